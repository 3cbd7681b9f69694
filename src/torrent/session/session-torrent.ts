// One torrent of a session: what services/ and the session hold on to, whether it is awake or at rest (wake-state.ts).
// It owns the announcer, which goes on while the torrent rests, and remembers what was asked of it. What a rest keeps
// answers at rest too; for the rest wake() comes first.

import { AppError } from '../../base/errors.ts'
import type { InfoHash, PeerAddress } from '../../base/ids.ts'
import type { Announcer, PeerOrigin, TrackerRow } from '../../ports/announcer.ts'
import type { StorageMove } from '../../ports/piece-store.ts'
import type { Handshake } from '../../wire/peer/handshake.ts'
import type { Metainfo } from '../../wire/metainfo/torrent-types.ts'
import type { Engine } from './engine.ts'
import type { LinkReceiver, PeerLink } from '../peers/peer-link.ts'
import { restingHave, restingObstacles, restingSnapshot } from './resting-torrent.ts'
import { sourceRows } from '../peers/source-rows.ts'
import type { Torrent } from './torrent.ts'
import { fileSnapshots } from './torrent-stats.ts'
import type {
  FileReader,
  FileSnapshot,
  PeerSnapshot,
  TorrentControls,
  TorrentHandle,
  TorrentObstacles,
  TorrentSnapshot,
  TorrentSpec,
  TorrentStatus,
  WebSeedRow,
} from '../types.ts'
import { type WakeHooks, WakeState } from './wake-state.ts'
import { idleWebSeed } from '../web-seeds/web-seed-row.ts'

/** Addresses that are kept for a torrent that waits to be woken: thousands may wait. */
const MAX_NAMED = 50

/** Limits of one torrent, bytes/s, 0 = none. */
export interface TorrentLimits {
  readonly maxDownloadRate: number
  readonly maxUploadRate: number
}

/** One torrent of the session. */
export class SessionTorrent implements TorrentHandle, WakeHooks {
  readonly infoHash: InfoHash
  readonly #engine: Engine
  readonly #announcer: Announcer
  readonly #state: WakeState
  /** Told when it woke: the sweep is to look at it again. */
  readonly #woken: (torrent: SessionTorrent) => void
  #limits: TorrentLimits | null = null
  #controls: TorrentControls | null
  /** Its files are being moved: no time to rest. */
  #moving = false
  /** It is being removed: it has no events any more, and is unknown to peers that ask for it. */
  #leaving = false
  /** The user asked trackers for peers: addresses they name next are called, whatever is known of them. */
  #asked = false

  constructor(engine: Engine, spec: TorrentSpec, woken: (torrent: SessionTorrent) => void) {
    this.infoHash = spec.infoHash
    this.#engine = engine
    this.#controls = spec.controls ?? null
    this.#limits = this.#controls
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
    this.#woken = woken
    this.#state = new WakeState(engine, spec, this.#announcer, this)
  }

  /** Begins, as its spec asks for. Settles when it is known whether it may go on resting. */
  begin(running: boolean): Promise<void> {
    return this.#state.begin(running)
  }

  // --- TorrentHandle: works at rest too

  get leaving(): boolean {
    return this.#leaving
  }

  get resting(): boolean {
    return this.#state.resting
  }

  get status(): TorrentStatus {
    return this.#state.row?.status ?? this.#state.torrent().snapshot().status
  }

  get private(): boolean | null {
    if (this.#state.row !== null) return this.#state.isMagnet ? null : this.#state.row.private
    return this.#state.awake?.metainfo?.private ?? null
  }

  get announced(): boolean {
    if (this.#leaving) return false
    return this.#state.row === null ? this.#state.awake?.online === true : this.#listens
  }

  snapshot(): TorrentSnapshot {
    if (this.#state.row === null) return this.#state.torrent().snapshot()
    return restingSnapshot(this.infoHash, this.#state.destination, this.#state.row, this.#announcer)
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
    return this.#state.row === null ? this.#state.torrent().haveBits() : restingHave(this.#state.row).buffer
  }

  get openReaders(): number {
    return this.#state.awake?.openReaders ?? 0
  }

  async loadMetainfo(): Promise<Metainfo | null> {
    if (this.#state.row === null) return this.#state.torrent().metainfo
    return this.#state.isMagnet ? null : (await this.#state.contents()).metainfo
  }

  async loadFiles(): Promise<Iterable<FileSnapshot>> {
    const row = this.#state.row
    if (row === null) return this.#state.torrent().files()
    if (this.#state.isMagnet) return []
    return fileSnapshots((await this.#state.contents()).metainfo, row.selected, restingHave(row))
  }

  async whenMetadata(signal: AbortSignal): Promise<Metainfo> {
    return (await this.#state.wakened()).whenMetadata(signal)
  }

  async wake(): Promise<void> {
    await this.#state.wakened()
  }

  setControls(controls: TorrentControls): void {
    this.#controls = controls
    this.#limits = controls
    if (this.#state.awake !== null) this.equip(this.#state.awake)
  }

  obstacles(): TorrentObstacles {
    if (this.#state.row === null) return this.#state.torrent().options.obstacles()
    return restingObstacles(this.#state.row, this.#engine.deps.swarm?.networkTrouble?.() ?? null)
  }

  removeTrackers(urls: readonly string[]): string[] {
    return this.#announcer.remove(urls)
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

  async leaveFolder(folder: string): Promise<void> {
    await (await this.#state.wakened()).options.leaveFolder(folder)
  }

  // --- TorrentHandle: awake only

  get metainfo(): Metainfo | null {
    return this.#state.inUse().metainfo
  }

  get selectedFiles(): readonly number[] | null {
    return this.#state.inUse().selectedFiles
  }

  files(): FileSnapshot[] {
    return [...this.#state.inUse().files()]
  }

  stop(): Promise<void> {
    return this.#state.inUse().stop()
  }

  resume(): void {
    this.#state.inUse().resume()
  }

  recheck(begun?: () => void): Promise<void> {
    return this.#state.inUse().recheck(begun)
  }

  scrub(signal: AbortSignal): Promise<boolean> {
    return this.#state.inUse().scrub(signal)
  }

  select(files: readonly number[] | null): void {
    this.#state.inUse().select(files)
  }

  addTrackers(tiers: readonly (readonly string[])[]): string[] {
    return this.#state.inUse().addTrackers(tiers)
  }

  addPeers(peers: readonly PeerAddress[], origin: 'lsd' | null = null): void {
    this.#state.inUse().addPeers(peers, origin)
  }

  readNow(fileIndex: number, position: number, length: number, into: Uint8Array): number {
    return this.#state.inUse().readNow(fileIndex, position, length, into)
  }

  openReader(fileIndex: number): FileReader {
    return this.#state.inUse().openReader(fileIndex)
  }

  /** It has a swarm under another info hash too (BEP 52). */
  alsoAs(infoHash: InfoHash): void {
    this.#announcer.alsoAs(infoHash)
  }

  // --- Session

  setRateLimits(limits: TorrentLimits): void {
    this.#limits = limits
    this.#state.awake?.options.setRateLimits(limits)
  }

  /** See Torrent. */
  reachAgain(all: boolean): void {
    this.#state.awake?.reachAgain(all)
  }

  /** Another IP filter is in force. */
  closeRefused(): void {
    this.#state.awake?.closeRefused()
  }

  /**
   * Takes over an incoming connection; null = refused. One that comes during a rest waits until the torrent is awake.
   */
  accept(link: PeerLink, handshake: Handshake): LinkReceiver | null | Promise<LinkReceiver | null> {
    if (this.#leaving) return null
    if (this.#state.row?.status === 'stopped' || this.#state.row?.status === 'queued') return null
    if (this.#state.awake?.looking === null) return this.#state.awake.accept(link, handshake)
    return this.#acceptLater(link, handshake)
  }

  /** A peer that comes before it is known what is there is answered when it is. */
  async #acceptLater(link: PeerLink, handshake: Handshake): Promise<LinkReceiver | null> {
    const torrent = await this.#state.wakened()
    await torrent.looking
    return link.alive && !this.#leaving ? torrent.accept(link, handshake) : null
  }

  /**
   * Puts the torrent to rest if nobody has used it for a while; `crowded`: many others could rest too. Answers whether
   * to ask it again: false when it rests, or is in a state that only an event of the engine ends.
   */
  restIfIdle(nowMs: number, crowded: boolean): boolean {
    const { wakeLine } = this.#engine
    const place = wakeLine.has(this) ? (crowded ? 'hurried' : 'called') : crowded ? 'crowd' : 'alone'
    const again = this.#state.restIfIdle(nowMs, place, this.#moving)
    // In the crowd it may have gone to rest to wait there.
    if (place !== 'crowd' && (!again || this.#state.awake?.connected === true)) wakeLine.left(this)
    return again
  }

  /** Ends for good, progress durable; `deadlineMs` bounds the farewell to trackers. */
  async shutdown(deadlineMs: number): Promise<void> {
    this.#state.end()
    this.#engine.wakeLine.left(this)
    if (this.#state.awake === null) await this.#announcer.stop(deadlineMs)
    else await this.#state.awake.shutdown(deadlineMs)
  }

  /** Ends for good and forgets; with `deleteData` its files are deleted. Rejects with what the disk said. */
  async remove(deleteData: boolean, deadlineMs: number): Promise<void> {
    this.#leaving = true
    if (deleteData) await this.#state.wakened()
    this.#state.end()
    this.#engine.wakeLine.left(this)
    if (this.#state.awake === null) await this.#announcer.stop(deadlineMs)
    else await this.#state.awake.remove(deleteData, deadlineMs)
  }

  // --- WakeHooks

  equip({ options }: Torrent): void {
    if (this.#limits !== null) options.setRateLimits(this.#limits)
    if (this.#controls === null) return
    options.setOrder(this.#controls)
    options.setSuperSeeding(this.#controls.superSeeding === true)
    options.setOverwrite(this.#controls.overwrite === true)
  }

  woken(): void {
    this.#woken(this)
  }

  restsWith(untried: readonly PeerAddress[]): void {
    this.#stand(untried, this.private === true ? 'tracker' : 'dht')
  }

  /** At rest, and in touch with its swarm: peers may call. */
  get #listens(): boolean {
    const status = this.#state.row?.status
    return status === 'seeding' || status === 'downloading'
  }

  #wantedPeers(): number {
    if (this.#state.awake !== null) return this.#state.awake.wantedPeers
    return this.#state.row?.status === 'downloading' ? this.#engine.limits.maxConnectionsPerTorrent : 0
  }

  #counters(): { uploaded: number; downloaded: number; left: number } {
    if (this.#state.row === null) return this.#state.torrent().counters()
    return { uploaded: this.#state.row.sessionUp, downloaded: this.#state.row.sessionDown, left: this.#state.row.left }
  }

  #named(peers: readonly PeerAddress[], origin: PeerOrigin): void {
    if (peers.length === 0) return
    // A seed at rest is found by those that look for it.
    const { awake, row } = this.#state
    // The run before may have kept addresses from trackers for one that is being looked at since a start.
    const seeks = row?.status === 'downloading' || (row?.status === 'allocating' && row.piecesLeft > 0)
    if (origin !== 'tracker' && !seeks) return awake?.addPeers(peers, 'dht')
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
    const { wakeLine } = this.#engine
    const kept = wakeLine.crowded ? peers.slice(0, MAX_NAMED) : peers
    wakeLine.enter(this, () => this.#wakeFor(kept, origin))
  }

  #wakeFor(peers: readonly PeerAddress[], origin: PeerOrigin): void {
    if (this.#engine.stopping) return
    this.#state.wakened().then(
      torrent => (origin === 'tracker' ? torrent.trackerPeers(peers) : torrent.addPeers(peers, 'dht')),
      (error: unknown) => {
        this.#engine.wakeLine.left(this)
        if (this.#state.ended) return
        this.#engine.log.warn('a torrent could not be woken', { error: String(error) })
      },
    )
  }

  /** Whether some of them may be called, and were not called in vain lately. */
  #areNews(peers: readonly PeerAddress[], asked: boolean): boolean {
    const { clock, dead } = this.#engine
    const nowMs = clock.now()
    const isNew = (peer: PeerAddress) =>
      !this.#engine.refuses(peer.ip, nowMs) && (asked || !dead.has(this.infoHash, peer, nowMs))
    return peers.some(isNew)
  }
}
