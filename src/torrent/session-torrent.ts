// One torrent of a session, awake (torrent.ts) or at rest (resting-torrent.ts): what services/ and the session hold on to.
// It owns the announcer, which goes on while the torrent rests, and its place in the queue. A torrent is woken by whoever
// needs it or when it is its turn, and put to rest by the session's sweep when nobody used it for a while.
// Invariant: exactly one of #awake and #row is set, but for the time after the end.

import { AppError } from '../base/errors.ts'
import type { InfoHash, PeerAddress } from '../base/ids.ts'
import type { Announcer, PeerOrigin, TrackerRow } from '../ports/announcer.ts'
import type { Timer } from '../ports/clock.ts'
import type { StorageMove } from '../ports/piece-store.ts'
import type { Handshake } from '../wire/peer/handshake.ts'
import type { Metainfo } from '../wire/torrent-types.ts'
import type { Engine } from './engine.ts'
import type { LinkReceiver, PeerLink } from './peer-link.ts'
import {
  filesUnchanged,
  NO_OBSTACLES,
  queuedFrom,
  type RestingTorrent,
  restingFrom,
  restingHave,
  restingSnapshot,
} from './resting-torrent.ts'
import { sourceRows } from './source-rows.ts'
import { layoutOf } from './torrent-core.ts'
import { OPEN_GATE, type QueueMember, type RunGate } from './torrent-queue.ts'
import { Torrent } from './torrent.ts'
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
} from './types.ts'
import { idleWebSeed } from './web-seed-row.ts'

/** A torrent stays awake this long after its last use: who comes back soon finds it ready. */
const STAY_MS = 20_000
/** One whose records could not be read when its turn came asks for another after this. */
const NEXT_TURN_MS = 60_000
/** How long trackers get to hear `stopped` when its turn is over. */
const FAREWELL_MS = 3000

/** Limits of one torrent, bytes/s, 0 = none. */
export interface TorrentLimits {
  readonly maxDownloadRate: number
  readonly maxUploadRate: number
}

/** One torrent of the session. */
export class SessionTorrent implements TorrentHandle, QueueMember {
  readonly infoHash: InfoHash
  readonly #engine: Engine
  #destination: string
  readonly #webSeeds: readonly string[]
  readonly #announcer: Announcer
  readonly #gate: RunGate
  /** Told when it woke: the sweep is to look at it again. */
  readonly #woken: (torrent: SessionTorrent) => void
  #awake: Torrent | null
  #row: RestingTorrent | null = null
  #waking: Promise<Torrent> | null = null
  #usedMs = Number.NEGATIVE_INFINITY
  #limits: TorrentLimits | null = null
  #controls: TorrentControls | null
  /** Its files are being moved: no time to rest. */
  #moving = false
  #ended = false
  #changes = 0
  /** Of a row that is `allocating`, or that has something no record holds. */
  #spec: TorrentSpec | null = null
  #nextTurn: Timer | null = null

  constructor(engine: Engine, spec: TorrentSpec, woken: (torrent: SessionTorrent) => void) {
    this.infoHash = spec.infoHash
    this.#engine = engine
    this.#destination = spec.destination
    this.#webSeeds = spec.webSeeds ?? spec.metainfo?.webSeeds ?? []
    this.#woken = woken
    this.#controls = spec.controls ?? null
    this.#limits = this.#controls
    this.#announcer = engine.deps.announcers.create({
      infoHash: spec.infoHash,
      peerId: engine.peerId,
      tiers: spec.announceTiers,
      ...(spec.metainfo?.dhtNodes === undefined ? {} : { dhtNodes: spec.metainfo.dhtNodes }),
      wantedPeers: () => this.#awake?.wantedPeers ?? 0,
      counters: () => this.#counters(),
      isPrivate: () => this.private === true,
      onPeers: (peers, origin) => this.#named(peers, origin),
    })
    this.#gate = spec.unqueued === true ? OPEN_GATE : engine.queue.gate(this)
    if (engine.deps.contents !== undefined) this.#row = this.#firstRow(spec)
    if (this.#row !== null && !this.#isRecorded(this.#row, spec)) this.#spec = spec
    this.#awake =
      this.#row === null ? this.#equipped(new Torrent(engine, spec, this.#announcer, this.#gate, null)) : null
  }

  /** What wakes it is in the records. What is being looked at is at hand all the same, and peers of a magnet are not. */
  #isRecorded({ status }: RestingTorrent, { metainfo, peers }: TorrentSpec): boolean {
    return status === 'stopped' || (status === 'queued' && metainfo !== null && peers.length === 0)
  }

  /** Null when it is to be awake. */
  #firstRow(spec: TorrentSpec): RestingTorrent | null {
    const complete = restingFrom(spec)
    if (!spec.running) return complete
    const row = queuedFrom(spec)
    const kind = spec.metainfo !== null && row.left === 0 ? 'seed' : 'download'
    return this.#gate.enter(kind) ? complete : row
  }

  /** Begins, as its spec asks for. Settles when it is known whether it may go on resting. */
  async begin(running: boolean): Promise<void> {
    if (this.#row === null) return running ? this.#torrent().resume() : undefined
    const spec = this.#spec
    if (this.#row.status === 'queued') return
    if (spec !== null && !(await this.#unchanged(spec))) return void this.#wakened().catch(() => undefined)
    // Woken meanwhile: the torrent looks for itself.
    if (this.#row?.status !== 'allocating') return
    this.#spec = null
    this.#row = { ...this.#row, status: 'seeding' }
    this.#changes += 1
    this.#announcer.start()
    this.#engine.deps.events.statusChanged(this.infoHash, 'seeding')
  }

  async #unchanged({ metainfo, resume }: TorrentSpec): Promise<boolean> {
    if (metainfo === null || resume === null) return false
    const store = this.#engine.deps.stores.open(layoutOf(this.#destination, metainfo))
    const facts = await store.facts().catch(() => null)
    return facts !== null && filesUnchanged(metainfo, resume, facts)
  }

  // --- TorrentHandle: works at rest too

  get resting(): boolean {
    return this.#row !== null
  }

  get status(): TorrentStatus {
    return this.#row?.status ?? this.#torrent().snapshot().status
  }

  get private(): boolean | null {
    if (this.#row !== null) return this.#isMagnet ? null : this.#row.private
    return this.#awake?.metainfo?.private ?? null
  }

  get announced(): boolean {
    return this.#row === null ? this.#awake?.online === true : this.#row.status === 'seeding'
  }

  snapshot(): TorrentSnapshot {
    if (this.#row === null) return this.#torrent().snapshot()
    return restingSnapshot(this.infoHash, this.#destination, this.#row, this.#announcer)
  }

  get revision(): number {
    return this.#announcer.revision + this.#changes + this.#engine.changes
  }

  peers(): PeerSnapshot[] {
    return this.#awake?.peers() ?? []
  }

  trackers(): TrackerRow[] {
    return sourceRows(this.#announcer.rows(), this.private, this.#engine.deps.swarm, origin =>
      this.#awake === null ? 0 : this.#awake.connectedFrom(origin),
    )
  }

  webSeeds(): WebSeedRow[] {
    return this.#awake?.webSeeds() ?? this.#webSeeds.map(idleWebSeed)
  }

  announceTiers(): string[][] {
    return this.#announcer.tiers()
  }

  haveBits(): Uint8Array {
    return this.#row === null ? this.#torrent().haveBits() : restingHave(this.#row).buffer
  }

  get openReaders(): number {
    return this.#awake?.openReaders ?? 0
  }

  async loadMetainfo(): Promise<Metainfo | null> {
    if (this.#row === null) return this.#torrent().metainfo
    return this.#isMagnet ? null : (await this.#contents()).metainfo
  }

  async loadFiles(): Promise<Iterable<FileSnapshot>> {
    const row = this.#row
    if (row === null) return this.#torrent().files()
    if (this.#isMagnet) return []
    return fileSnapshots((await this.#contents()).metainfo, row.selected, restingHave(row))
  }

  async whenMetadata(signal: AbortSignal): Promise<Metainfo> {
    return (await this.#wakened()).whenMetadata(signal)
  }

  async wake(): Promise<void> {
    await this.#wakened()
  }

  setControls(controls: TorrentControls): void {
    this.#controls = controls
    this.#limits = controls
    if (this.#awake !== null) this.#equipped(this.#awake)
  }

  obstacles(): TorrentObstacles {
    return this.#awake?.wishes.obstacles() ?? NO_OBSTACLES
  }

  removeTrackers(urls: readonly string[]): string[] {
    return this.#announcer.remove(urls)
  }

  forceAnnounce(urls: readonly string[] | null): number {
    return this.#announcer.announceNow(urls)
  }

  async moveStorage(move: StorageMove): Promise<void> {
    if (this.#moving) throw new AppError('StateConflict', 'The files of this download are being moved already.')
    this.#moving = true
    try {
      await (await this.#wakened()).wishes.moveStorage(move)
      this.#destination = move.destination
      this.#changes += 1
    } finally {
      this.#moving = false
    }
  }

  async leaveFolder(folder: string): Promise<void> {
    await (await this.#wakened()).wishes.leaveFolder(folder)
  }

  // --- TorrentHandle: awake only

  get metainfo(): Metainfo | null {
    return this.#inUse().metainfo
  }

  get selectedFiles(): readonly number[] | null {
    return this.#inUse().selectedFiles
  }

  files(): FileSnapshot[] {
    return [...this.#inUse().files()]
  }

  stop(): Promise<void> {
    return this.#inUse().stop()
  }

  resume(): void {
    this.#inUse().resume()
  }

  recheck(begun?: () => void): Promise<void> {
    return this.#inUse().recheck(begun)
  }

  select(files: readonly number[] | null): void {
    this.#inUse().select(files)
  }

  addTrackers(tiers: readonly (readonly string[])[]): string[] {
    return this.#inUse().addTrackers(tiers)
  }

  addPeers(peers: readonly PeerAddress[], origin: 'lsd' | null = null): void {
    this.#inUse().addPeers(peers, origin)
  }

  readNow(fileIndex: number, position: number, length: number, into: Uint8Array): number {
    return this.#inUse().readNow(fileIndex, position, length, into)
  }

  openReader(fileIndex: number): FileReader {
    return this.#inUse().openReader(fileIndex)
  }

  /** It has a swarm under another info hash too (BEP 52). */
  alsoAs(infoHash: InfoHash): void {
    this.#announcer.alsoAs(infoHash)
  }

  // --- QueueMember

  start(): void {
    if (this.#awake !== null) return this.#awake.resume()
    this.#wakened().then(
      torrent => torrent.resume(),
      (error: unknown) => {
        if (this.#ended) return
        this.#engine.log.warn('a torrent could not begin its turn', { infoHash: this.infoHash, error: String(error) })
        this.#gate.leave()
        this.#nextTurn = this.#engine.clock.after(NEXT_TURN_MS, () => this.#askAgain())
      },
    )
  }

  /** Another one has had its turn meanwhile. */
  #askAgain(): void {
    const row = this.#row
    if (row?.status === 'queued' && this.#gate.enter(row.left === 0 ? 'seed' : 'download')) this.start()
  }

  hold(): void {
    if (this.#awake !== null) return this.#awake.hold()
    const row = this.#row
    if (row === null || row.status === 'stopped' || row.status === 'queued') return
    this.#row = { ...row, status: 'queued' }
    this.#changes += 1
    if (row.status === 'seeding') void this.#announcer.stop(FAREWELL_MS)
    this.#engine.deps.events.statusChanged(this.infoHash, 'queued')
  }

  rates(): { readonly down: number; readonly up: number } | null {
    if (this.#awake !== null) return this.#awake.rates()
    return this.#row?.status === 'seeding' ? { down: 0, up: 0 } : null
  }

  // --- Session

  setRateLimits(limits: TorrentLimits): void {
    this.#limits = limits
    this.#awake?.wishes.setRateLimits(limits)
  }

  /** Another IP filter is in force. */
  closeRefused(): void {
    this.#awake?.closeRefused()
  }

  /** Tells a torrent what was asked of it. */
  #equipped(torrent: Torrent): Torrent {
    if (this.#limits !== null) torrent.wishes.setRateLimits(this.#limits)
    if (this.#controls === null) return torrent
    torrent.wishes.setOrder(this.#controls)
    torrent.wishes.setSuperSeeding(this.#controls.superSeeding === true)
    return torrent
  }

  /** Takes over an incoming connection; null = refused. One that comes during a rest waits until the torrent is awake. */
  accept(link: PeerLink, handshake: Handshake): LinkReceiver | null | Promise<LinkReceiver | null> {
    if (this.#row?.status === 'stopped' || this.#row?.status === 'queued') return null
    if (this.#awake !== null) return this.#awake.accept(link, handshake)
    return this.#wakened().then(torrent => (link.alive ? torrent.accept(link, handshake) : null))
  }

  /**
   * Puts the torrent to rest if nobody has used it for a while. Answers whether it is to be asked again: false when it
   * rests, or is in a state that only an event of the engine ends.
   */
  restIfIdle(nowMs: number): boolean {
    const torrent = this.#awake
    if (torrent === null) return false
    if (this.#moving || torrent.inUse) this.#usedMs = nowMs
    if (nowMs - this.#usedMs < STAY_MS) return true
    const row = torrent.rest()
    if (row === null) {
      const { status } = torrent.snapshot()
      return torrent.metainfo !== null && (status === 'seeding' || status === 'stopped' || status === 'queued')
    }
    this.#awake = null
    this.#row = row
    return false
  }

  /** Ends for good, progress durable; `deadlineMs` bounds the farewell to trackers. */
  async shutdown(deadlineMs: number): Promise<void> {
    this.#end()
    if (this.#awake === null) await this.#announcer.stop(deadlineMs)
    else await this.#awake.shutdown(deadlineMs)
  }

  /** Ends for good and forgets; with `deleteData` its files are deleted. Rejects with what the disk said. */
  async remove(deleteData: boolean, deadlineMs: number): Promise<void> {
    if (deleteData) await this.#wakened()
    this.#end()
    if (this.#awake === null) await this.#announcer.stop(deadlineMs)
    else await this.#awake.remove(deleteData, deadlineMs)
  }

  #end(): void {
    this.#ended = true
    this.#nextTurn?.cancel()
    this.#gate.leave()
  }

  /** Its metadata is not known: only asked for at rest. */
  get #isMagnet(): boolean {
    return this.#spec !== null && this.#spec.metainfo === null
  }

  #torrent(): Torrent {
    // Whoever needs what a rest does not keep wakes the torrent first.
    if (this.#awake === null) throw new Error('the torrent is at rest')
    return this.#awake
  }

  /** For who uses it: it stays awake for a while. */
  #inUse(): Torrent {
    this.#usedMs = this.#engine.clock.now()
    return this.#torrent()
  }

  #wakened(): Promise<Torrent> {
    this.#usedMs = this.#engine.clock.now()
    if (this.#awake !== null) return Promise.resolve(this.#awake)
    this.#waking ??= this.#wake().finally(() => {
      this.#waking = null
    })
    return this.#waking
  }

  async #wake(): Promise<Torrent> {
    const spec = this.#spec
    if (spec !== null) {
      this.#spec = null
      const torrent = this.#isAwake(new Torrent(this.#engine, spec, this.#announcer, this.#gate, null))
      torrent.resume()
      return torrent
    }
    const { metainfo, resume } = await this.#contents()
    const row = this.#row
    if (row === null || this.#ended) throw new AppError('Aborted')
    return this.#isAwake(this.#torrentOf(row, metainfo, resume))
  }

  #torrentOf(row: RestingTorrent, metainfo: Metainfo, resume: TorrentSpec['resume']): Torrent {
    const { name, selected: selectedFiles, totalUp, totalDown } = row
    const destination = this.#destination
    const webSeeds = this.#webSeeds
    const known = {
      infoHash: this.infoHash,
      name,
      metainfo,
      destination,
      announceTiers: [],
      webSeeds,
      peers: [],
      resume,
    }
    const counters = { selectedFiles, running: row.status !== 'stopped', totalUp, totalDown }
    return new Torrent(this.#engine, { ...known, ...counters }, this.#announcer, this.#gate, row)
  }

  #isAwake(torrent: Torrent): Torrent {
    this.#awake = this.#equipped(torrent)
    this.#row = null
    this.#changes += 1
    this.#usedMs = this.#engine.clock.now()
    this.#woken(this)
    this.#gate.woke()
    return torrent
  }

  async #contents(): Promise<{ metainfo: Metainfo; resume: TorrentSpec['resume'] }> {
    const spec = this.#spec
    if (spec !== null && spec.metainfo !== null) return { metainfo: spec.metainfo, resume: spec.resume }
    const found = await this.#engine.deps.contents?.load(this.infoHash)
    // Removed meanwhile: every row that is at rest has its metadata in the records.
    if (found === undefined || found === null) throw new AppError('Aborted', 'The download is gone.')
    return found
  }

  #counters(): { uploaded: number; downloaded: number; left: number } {
    if (this.#row === null) return this.#torrent().counters()
    return { uploaded: this.#row.sessionUp, downloaded: this.#row.sessionDown, left: this.#row.left }
  }

  #named(peers: readonly PeerAddress[], origin: PeerOrigin): void {
    if (peers.length === 0) return
    // A seed at rest is found by those that look for it.
    if (origin !== 'tracker') return this.#awake?.addPeers(peers, 'dht')
    this.#wakened().then(
      torrent => torrent.trackerPeers(peers),
      (error: unknown) =>
        this.#ended || this.#engine.log.warn('a torrent could not be woken', { error: String(error) }),
    )
  }
}
