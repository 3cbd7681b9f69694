// One torrent of a session: what services/ and the session hold on to, whether it is awake or suspended
// (suspend-state.ts). It owns the announcer, which goes on meanwhile. What is kept of a suspended torrent answers here;
// for the rest wake() comes first, which gives the torrent itself.

import { AppError } from '../../base/errors.ts'
import type { InfoHash, PeerAddress } from '../../base/ids.ts'
import type { Announcer, PeerOrigin, TrackerRow } from '../../ports/announcer.ts'
import type { StorageMove } from '../../ports/piece-store.ts'
import type { Handshake } from '../../wire/peer/handshake.ts'
import type { Metainfo } from '../../wire/metainfo/torrent-types.ts'
import type { Engine } from './engine.ts'
import type { LinkReceiver, PeerLink } from '../peers/peer-link.ts'
import { listens, suspendedHave, suspendedObstacles, suspendedSnapshot } from './suspended-torrent.ts'
import { sourceRows } from '../peers/source-rows.ts'
import { Torrent } from './torrent.ts'
import { fileSnapshots } from './torrent-stats.ts'
import type {
  AwakeTorrent,
  DataChoice,
  FileSnapshot,
  PeerSnapshot,
  TorrentControls,
  TorrentHandle,
  TorrentLimits,
  TorrentObstacles,
  TorrentSnapshot,
  TorrentSpec,
  TorrentStatus,
  WebSeedRow,
} from '../types.ts'
import { type WakeOwner, SuspendState } from './suspend-state.ts'
import { idleWebSeed } from '../web-seeds/web-seed-row.ts'

/** Addresses that are kept for a torrent that waits to be woken: thousands may wait. */
const MAX_NAMED = 50

/** Who suspends torrents; see Session. */
export interface IdleWatch {
  /** It may be idle soon. */
  mayBeIdle(torrent: SessionTorrent): void
}

/** One torrent of the session. */
export class SessionTorrent implements TorrentHandle, WakeOwner {
  readonly infoHash: InfoHash
  readonly #engine: Engine
  readonly #announcer: Announcer
  readonly #state: SuspendState
  readonly #watch: IdleWatch
  /** Its files are being moved: not to be suspended. */
  #moving = false
  /** It is being removed: it has no events any more, and is unknown to peers that ask for it. */
  #leaving = false
  /** The user asked trackers for peers: addresses they name next are called, whatever is known of them. */
  #asked = false

  constructor(engine: Engine, spec: TorrentSpec, watch: IdleWatch) {
    this.infoHash = spec.infoHash
    this.#engine = engine
    this.#announcer = engine.deps.announcers.create({
      infoHash: spec.infoHash,
      peerId: engine.peerId,
      tiers: spec.announceTiers,
      completedBefore: spec.finishedBefore === true,
      ...(spec.metainfo?.dhtNodes === undefined ? {} : { dhtNodes: spec.metainfo.dhtNodes }),
      wantedPeers: () => this.#wantedPeers(),
      counters: () => this.#counters(),
      isPrivate: () => this.private === true,
      onPeers: (peers, origin) => this.#named(peers, origin),
    })
    this.#watch = watch
    this.#state = new SuspendState(engine, spec, this.#announcer, this)
  }

  /** Begins, as its spec asks for. Settles when it is known whether it may stay suspended. */
  begin(running: boolean): Promise<void> {
    return this.#state.begin(running)
  }

  // --- TorrentHandle: works while suspended too

  get leaving(): boolean {
    return this.#leaving
  }

  get suspended(): boolean {
    return this.#state.suspended
  }

  get status(): TorrentStatus {
    return this.#state.held.status
  }

  get private(): boolean | null {
    const { held, isMagnet } = this.#state
    if (held instanceof Torrent) return held.metainfo?.private ?? null
    return isMagnet ? null : held.private
  }

  get announced(): boolean {
    if (this.#leaving) return false
    const { held } = this.#state
    return held instanceof Torrent ? held.online : listens(held)
  }

  snapshot(): TorrentSnapshot {
    const { held, destination } = this.#state
    if (held instanceof Torrent) return held.snapshot()
    return suspendedSnapshot(this.infoHash, destination, held, this.#announcer)
  }

  get revision(): number {
    return this.#announcer.revision + this.#state.changes + this.#engine.changes
  }

  peers(): PeerSnapshot[] {
    return this.#state.awake?.peers() ?? []
  }

  trackers(): TrackerRow[] {
    return sourceRows(this.#announcer.rows(), this.private, this.#engine.deps.swarm, origin =>
      this.#state.awake === null ? 0 : this.#state.awake.connectedFrom(origin),
    )
  }

  webSeeds(): WebSeedRow[] {
    return this.#state.awake?.webSeeds() ?? this.#state.webSeeds.map(idleWebSeed)
  }

  announceTiers(): string[][] {
    return this.#announcer.tiers()
  }

  haveBits(): Uint8Array {
    const { held } = this.#state
    return held instanceof Torrent ? held.haveBits() : suspendedHave(held).buffer
  }

  get openReaders(): number {
    return this.#state.awake?.openReaders ?? 0
  }

  get downRate(): number {
    return this.#state.awake?.downRate ?? 0
  }

  async loadMetainfo(): Promise<Metainfo | null> {
    const { held, isMagnet } = this.#state
    if (held instanceof Torrent) return held.metainfo
    return isMagnet ? null : (await this.#state.contents()).metainfo
  }

  async loadFiles(): Promise<Iterable<FileSnapshot>> {
    const { held, isMagnet } = this.#state
    if (held instanceof Torrent) return held.filesInTurns()
    if (isMagnet) return []
    return fileSnapshots((await this.#state.contents()).metainfo, held.selected, suspendedHave(held))
  }

  get awake(): AwakeTorrent | null {
    const { awake } = this.#state
    awake?.use()
    return awake
  }

  wake(): Promise<AwakeTorrent> {
    return this.#state.wakened()
  }

  setControls(controls: TorrentControls): void {
    this.#state.setControls(controls)
  }

  obstacles(): TorrentObstacles {
    const { held } = this.#state
    if (held instanceof Torrent) return held.options.obstacles()
    return suspendedObstacles(held, this.#engine.deps.swarm?.networkTrouble?.() ?? null)
  }

  get queueAhead(): number | null {
    return this.#state.queueAhead
  }

  setQueueOrder(order: number): void {
    this.#state.setQueueOrder(order)
  }

  removeTrackers(urls: readonly string[]): string[] {
    return this.#announcer.remove(urls)
  }

  setTrackers(tiers: readonly (readonly string[])[]): void {
    this.#announcer.setTiers(tiers)
  }

  forceAnnounce(urls: readonly string[] | null): number {
    const asked = this.#announcer.announceNow(urls)
    this.#asked = asked > 0
    return asked
  }

  async moveStorage(move: StorageMove): Promise<void> {
    if (this.#moving) throw new AppError('StateConflict', 'The files of this download are being moved already.')
    this.#moving = true
    try {
      await (await this.#state.wakened()).options.moveStorage(move)
      this.#state.movedTo(move.destination)
    } finally {
      this.#moving = false
    }
  }

  /** It has a swarm under another info hash too (BEP 52). */
  alsoAs(infoHash: InfoHash): void {
    this.#announcer.alsoAs(infoHash)
  }

  // --- Session

  setRateLimits(limits: TorrentLimits): void {
    this.#state.setRateLimits(limits)
  }

  /** The torrent while it is awake, for what is no use of it; null while suspended. */
  get current(): Torrent | null {
    return this.#state.awake
  }

  /**
   * Takes over an incoming connection; null = refused. One that comes during a suspension waits until the torrent is
   * awake.
   */
  accept(link: PeerLink, handshake: Handshake): LinkReceiver | null | Promise<LinkReceiver | null> {
    if (this.#leaving) return null
    const { held } = this.#state
    if (!(held instanceof Torrent)) {
      if (held.status === 'stopped' || held.status === 'queued') return null
    } else if (held.looking === null) return held.accept(link, handshake)
    return this.#acceptLater(link, handshake)
  }

  /** A peer that comes before it is known what is there is answered when it is. */
  async #acceptLater(link: PeerLink, handshake: Handshake): Promise<LinkReceiver | null> {
    const torrent = await this.#state.wakened()
    await torrent.looking
    return link.alive && !this.#leaving ? torrent.accept(link, handshake) : null
  }

  /**
   * Suspends the torrent if nobody has used it for a while; `crowded`: many others could be suspended too. Answers
   * whether it is to be asked again: false when it is suspended, or is in a state that only an event of the engine
   * ends.
   */
  suspendIfIdle(nowMs: number, crowded: boolean): boolean {
    const { line } = this.#engine.waking
    const place = line.has(this) ? (crowded ? 'hurried' : 'called') : crowded ? 'crowd' : 'alone'
    const { again, untried } = this.#state.suspendIfIdle(nowMs, place, this.#moving)
    if (untried.length > 0) this.#stand(untried, this.private === true ? 'tracker' : 'dht')
    // In the crowd it may have been suspended to wait there.
    if (place !== 'crowd' && (!again || this.#state.awake?.connected === true)) line.left(this)
    return again
  }

  /** Ends for good, progress durable; `deadlineMs` bounds the farewell to trackers. */
  async shutdown(deadlineMs: number): Promise<void> {
    this.#state.end()
    this.#engine.waking.line.left(this)
    const { held } = this.#state
    if (held instanceof Torrent) await held.shutdown(deadlineMs)
    else await this.#announcer.stop(deadlineMs)
  }

  /** Ends for good and forgets; with `deleteData` its files are deleted. Rejects with what the disk said. */
  async remove(deleteData: DataChoice, deadlineMs: number): Promise<void> {
    this.#leaving = true
    if (deleteData !== false) await this.#state.wakened()
    this.#state.end()
    this.#engine.waking.line.left(this)
    const { held } = this.#state
    if (held instanceof Torrent) await held.remove(deleteData, deadlineMs)
    else await this.#announcer.stop(deadlineMs)
  }

  // --- WakeOwner

  woken(): void {
    this.#watch.mayBeIdle(this)
  }

  #wantedPeers(): number {
    const { held } = this.#state
    if (held instanceof Torrent) return held.wantedPeers
    return held.status === 'downloading' ? this.#engine.limits.maxConnectionsPerTorrent : 0
  }

  #counters(): { uploaded: number; downloaded: number; left: number } {
    const { held } = this.#state
    if (held instanceof Torrent) return held.counters()
    return { uploaded: held.sessionUp, downloaded: held.sessionDown, left: held.left }
  }

  #named(peers: readonly PeerAddress[], origin: PeerOrigin): void {
    if (peers.length === 0) return
    // A suspended seed is found by those that look for it.
    const { awake, row } = this.#state
    // The run before may have kept addresses from trackers for one that is being looked at since a start.
    const seeks = row?.status === 'downloading' || (row?.status === 'allocating' && row.piecesLeft > 0)
    if (origin !== 'tracker' && !seeks) return awake?.named(peers, 'dht')
    if (!seeks) return this.#wakeFor(peers, origin)
    const asked = this.#asked
    this.#asked = false
    if (!this.#areNews(peers, asked)) return
    // The user waits for it.
    if (asked) return this.#wakeFor(peers, origin)
    this.#stand(peers, origin)
  }

  /** Wakes when there is a place, with these addresses. */
  #stand(peers: readonly PeerAddress[], origin: PeerOrigin): void {
    const { line } = this.#engine.waking
    const kept = line.crowded ? peers.slice(0, MAX_NAMED) : peers
    line.enter(this, () => this.#wakeFor(kept, origin))
  }

  #wakeFor(peers: readonly PeerAddress[], origin: PeerOrigin): void {
    if (this.#engine.stopping) return
    this.#state.wakened().then(
      torrent => (origin === 'tracker' ? torrent.trackerPeers(peers) : torrent.named(peers, 'dht')),
      (error: unknown) => {
        this.#engine.waking.line.left(this)
        if (this.#state.ended) return
        this.#engine.log.warn('a torrent could not be woken', { error: String(error) })
      },
    )
  }

  /** Whether some of them may be called, and were not called in vain lately. */
  #areNews(peers: readonly PeerAddress[], asked: boolean): boolean {
    const { clock, waking, connections } = this.#engine
    const nowMs = clock.now()
    const isNew = (peer: PeerAddress) =>
      !connections.refuses(peer.ip, nowMs) && (asked || !waking.dead.has(this.infoHash, peer, nowMs))
    return peers.some(isNew)
  }
}
