// One torrent that is awake: what may be asked of it, by services/ and by the session. Its
// parts and what follows from what are in torrent-parts.ts. All calls come on the one loop.

import { addressKey, type InfoHash, type PeerAddress } from '../../base/ids.ts'
import type { AnnounceCounters, Announcer, PeerOrigin } from '../../ports/announcer.ts'
import type { FileMark } from '../../ports/piece-store.ts'
import type { Handshake } from '../../wire/peer/handshake.ts'
import type { Metainfo, TorrentFile } from '../../wire/metainfo/torrent-types.ts'
import type { Engine } from './engine.ts'
import { ORIGIN_BITS } from '../peers/known-peers.ts'
import type { LinkReceiver, PeerLink } from '../peers/peer-link.ts'
import { TorrentCore } from './torrent-core.ts'
import { type SuspendedTorrent, UNKNOWN_LEFT } from './suspended-torrent.ts'
import type { RunGate } from './torrent-queue.ts'
import { fileSnapshots, peerSnapshots, suspendedOf, torrentSnapshot } from './torrent-stats.ts'
import { TorrentParts } from './torrent-parts.ts'
import { TorrentOptions } from './torrent-options.ts'
import type {
  AwakeTorrent,
  DataChoice,
  FileReader,
  FileSnapshot,
  PeerCall,
  PeerSnapshot,
  TorrentSnapshot,
  TorrentSpec,
  TorrentStatus,
  WebSeedRow,
} from '../types.ts'

/** States in which a torrent that nobody uses may be suspended. */
export const MAY_SUSPEND: ReadonlySet<TorrentStatus> = new Set(['seeding', 'downloading', 'stopped', 'queued'])

/**
 * Among whom a torrent is suspended: `called`, it was woken for peers that were named; `crowd`, many others are awake,
 * or wait to be woken; `hurried`: both.
 */
export type SuspendPlace = 'alone' | 'called' | 'crowd' | 'hurried'

/** One torrent. */
export class Torrent implements AwakeTorrent {
  readonly #parts: TorrentParts
  readonly #core: TorrentCore
  readonly #announcer: Announcer
  /** When somebody used it last, clock ms. */
  #usedMs = Number.NEGATIVE_INFINITY
  #suspended = false

  /** `gate`: its place in the queue. `suspended`: it goes on where a suspension began, without looking at its files. */
  constructor(
    engine: Engine,
    spec: TorrentSpec,
    announcer: Announcer,
    gate: RunGate,
    suspended: SuspendedTorrent | null,
  ) {
    this.#parts = new TorrentParts(engine, spec, announcer, gate, suspended)
    this.#core = this.#parts.core
    this.#announcer = announcer
  }

  /** Limits, order, place. */
  get options(): TorrentOptions {
    return this.#parts.options
  }

  // --- AwakeTorrent

  get infoHash(): InfoHash {
    return this.#core.infoHash
  }

  get metainfo(): Metainfo | null {
    return this.#core.content?.metainfo ?? null
  }

  get selectedFiles(): readonly number[] | null {
    return this.#core.selected
  }

  files(): FileSnapshot[] {
    return [...this.filesInTurns()]
  }

  stop(): Promise<void> {
    this.use()
    return this.#parts.run.stop()
  }

  resume(): void {
    this.use()
    this.begin()
  }

  recheck(begun: () => void = () => undefined): Promise<void> {
    this.use()
    return this.#parts.run.recheck(begun)
  }

  scrub(signal: AbortSignal): Promise<boolean> {
    this.use()
    return this.#parts.scrub.run(signal)
  }

  select(files: readonly number[] | null): void {
    this.use()
    this.#parts.selection.select(files)
  }

  addTrackers(tiers: readonly (readonly string[])[]): string[] {
    this.use()
    return this.#core.content?.metainfo.private === true ? [] : this.#announcer.addTiers(tiers)
  }

  addPeers(peers: readonly PeerAddress[], origin: 'lsd' | null = null): void {
    this.use()
    this.named(peers, origin)
  }

  callPeer(peer: PeerAddress): PeerCall {
    this.use()
    if (this.#core.content?.metainfo.private === true) return 'refused'
    const call = this.#parts.swarm.peers.connector.call(peer)
    if (this.#core.online) this.#core.activate()
    return call
  }

  async leaveFolder(folder: string, files?: readonly TorrentFile[]): Promise<void> {
    this.use()
    await this.#core.content?.store.leave(folder, files)
  }

  whenMetadata(signal: AbortSignal): Promise<Metainfo> {
    this.use()
    return this.#parts.newMetadata.whenKept(this.#parts.run, signal)
  }

  openReader(fileIndex: number, options?: { readonly background?: boolean }): FileReader {
    this.use()
    const reader = this.#parts.streams.open(fileIndex, this.#parts.run, options)
    // One that forgets may have left its seeds.
    if (this.#core.forgets) this.#parts.swarm.peers.connector.connectSome(this.#core.now())
    this.#core.activate()
    return reader
  }

  forecast(...asked: Parameters<AwakeTorrent['forecast']>): ReturnType<AwakeTorrent['forecast']> {
    this.use()
    const forecast = this.#parts.streams.forecast(...asked)
    this.#core.activate()
    return forecast
  }

  readNow(fileIndex: number, position: number, length: number, into: Uint8Array): number {
    this.use()
    return this.#parts.streams.readNow(fileIndex, position, length, into)
  }

  // --- session-torrent.ts, suspend-state.ts

  /** See TorrentControls.forgets. */
  async keepMade(): Promise<void> {
    await this.#core.content?.own.keepMade()
  }

  setForgets(on: boolean): void {
    this.#parts.selection.setForgets(on)
  }

  /** Somebody uses it. Throws when it was kept until its torrent was suspended. */
  use(): void {
    if (this.#suspended) throw new Error('a torrent was used after it was suspended')
    this.#usedMs = this.#core.now()
  }

  /** When somebody used it last, clock ms; below all others: nobody did. */
  get usedMs(): number {
    return this.#usedMs
  }

  /** It runs when it is its turn in the queue; who was called in vain is called again. */
  begin(): void {
    this.#core.known.forgiveAll()
    this.#parts.run.resume()
  }

  /** Peers that somebody named; null: the user. */
  named(peers: readonly PeerAddress[], origin: 'dht' | 'lsd' | null): void {
    // BEP 27: a private torrent's peers come from its own trackers.
    if (this.#core.content?.metainfo.private !== true) this.#parts.learn(peers, origin)
  }

  /** As files(); each is made when it is taken. */
  filesInTurns(): Iterable<FileSnapshot> {
    const { content, selected } = this.#core
    return content === null ? [] : fileSnapshots(content.metainfo, selected, content.picker.have)
  }

  get openReaders(): number {
    return this.#core.readers.open
  }

  get status(): TorrentStatus {
    return this.#core.status
  }

  snapshot(): TorrentSnapshot {
    return torrentSnapshot(this.#core, this.#announcer)
  }

  peers(): PeerSnapshot[] {
    return [...peerSnapshots(this.#core), ...this.#parts.webSeeds.peers()]
  }

  webSeeds(): WebSeedRow[] {
    return this.#parts.webSeeds.rows()
  }

  haveBits(): Uint8Array {
    return Uint8Array.from(this.#core.content?.picker.have.buffer ?? [])
  }

  /** Its turn in the queue is over. */
  hold(): void {
    this.#parts.selection.hold()
  }

  /** Bytes/s of payload; null while its data is prepared or checked. */
  rates(): { readonly down: number; readonly up: number } | null {
    const { status, down, up } = this.#core
    if (status !== 'metadata' && status !== 'downloading' && status !== 'seeding') return null
    const nowMs = this.#core.now()
    return { down: down.rate(nowMs), up: up.rate(nowMs) }
  }

  /** It makes way for a film: its rates say nothing of it. */
  get heldBack(): boolean {
    const { status, engine } = this.#core
    return status === 'downloading' && engine.shared.turns.waits(this.#core.infoHash, this.#core.now())
  }

  /** Bytes/s of payload that come in. */
  get downRate(): number {
    return this.#core.down.rate(this.#core.now())
  }

  /** Connected peers that this source named, among others maybe. */
  connectedFrom(origin: PeerOrigin): number {
    const { known, peers } = this.#core
    let count = 0
    for (const peer of peers.values()) {
      const { origins = 0 } = known.get(addressKey(peer.address)) ?? {}
      if ((origins & ORIGIN_BITS[origin]) !== 0) count += 1
    }
    return count
  }

  /** It is in touch with its swarm, or tries to be. */
  get online(): boolean {
    return this.#core.online
  }

  /** What its announcer asks for. */
  get wantedPeers(): number {
    return this.#parts.swarm.peers.wanted
  }

  /** What its announcer tells. */
  counters(): AnnounceCounters {
    const { up, down } = this.#core.session
    const partialSeed = this.#core.isPartialSeed
    const left = partialSeed ? this.#core.bytesMissing() : this.#left()
    return { uploaded: up, downloaded: down, left, ...(partialSeed ? { partialSeed } : {}) }
  }

  /** Peers that a tracker named. */
  trackerPeers(peers: readonly PeerAddress[]): void {
    this.#parts.learn(peers, 'tracker')
  }

  get connected(): boolean {
    return this.#core.peers.size > 0
  }

  /** Somebody is connected or reads: not to be suspended. */
  get busy(): boolean {
    return this.#core.readers.open > 0 || this.#core.peers.size > 0 || this.#parts.swarm.peers.connector.size > 0
  }

  /**
   * What is to be kept while it is suspended, null when it must stay awake: it seeds all it has selected, is stopped or
   * queued, or downloads and knows nobody who might have something; nobody uses it and nothing is on its way. Known
   * addresses are forgotten. It must not be used afterwards. In a crowd also one is suspended whose addresses wait for
   * their turn: they stay in `untried`.
   */
  suspend(place: SuspendPlace = 'alone'): SuspendedTorrent | null {
    const { content, status } = this.#core
    if (
      content === null ||
      this.#parts.newMetadata.unkept ||
      this.busy ||
      this.#parts.pieces.dirty ||
      this.#parts.changed.underWay ||
      this.#parts.scrub.underWay ||
      this.#parts.cache.atWork ||
      !this.#parts.run.settled
    )
      return null
    if (status === 'seeding' && !(this.#core.working && this.#core.satisfied)) return null
    if (status === 'downloading' && !this.#waitsForSomebody(place === 'crowd')) return null
    if (!MAY_SUSPEND.has(status)) return null
    const patient = place === 'alone' || place === 'called'
    if (patient && this.#core.working && this.#parts.swarm.peers.connector.hasDue(this.#core.now())) return null
    this.#suspended = true
    this.#core.engine.tickers.deactivate(this.#parts)
    this.#parts.webSeeds.stop()
    if (status === 'downloading') this.#noteDead()
    return suspendedOf(this.#core, content.metainfo, content.picker.have)
  }

  /** Addresses that were not called before it was suspended. */
  get untried(): PeerAddress[] {
    return [...this.#core.known.addresses(false)]
  }

  /** Those that were called in vain, or are our own: who names them again brings no news. */
  #noteDead(): void {
    const { engine, infoHash, known } = this.#core
    for (const address of known.addresses(true)) engine.waking.dead.note(infoHash, address, this.#core.now())
  }

  /** It misses data, has nothing begun, and nothing to try: trackers, the DHT and peers that call know where it is. */
  #waitsForSomebody(crowded: boolean): boolean {
    const { content, known, working, encryptionTrouble } = this.#core
    if (content === null || !working || this.#parts.run.forReaders || content.picker.openCount > 0) return false
    // Somebody is there, and whoever asks is to hear why we do not talk.
    if (encryptionTrouble !== null) return false
    return this.#parts.webSeeds.rows().length === 0 && !known.hasHope(!crowded)
  }

  /** Addresses that are known may be tried at once: all, or those that were connected before. */
  reachAgain(all: boolean): void {
    const { known, online } = this.#core
    if (all) known.forgiveAll()
    else known.retryGood()
    if (!online) return
    this.#parts.swarm.peers.connector.connectSome(this.#core.now())
    this.#core.activate()
  }

  /** Another IP filter is in force: whom it refuses goes. */
  closeRefused(): void {
    this.#parts.swarm.peers.closeRefused('in the IP filter')
  }

  /** After a suspension, until it is known what is there: settles then. Null at other times. */
  get looking(): Promise<void> | null {
    return this.#parts.run.looking
  }

  /** Takes over an incoming connection; null = refused. */
  accept(link: PeerLink, handshake: Handshake): LinkReceiver | null {
    return this.#parts.swarm.peers.accept(link, handshake)
  }

  /**
   * Ends for good, progress durable; `deadlineMs` bounds the farewell to trackers. `cut`: peers are sent nothing more.
   */
  async shutdown(deadlineMs: number, cut = false): Promise<void> {
    this.#parts.newMetadata.abort()
    await this.#parts.run.shutdown(deadlineMs, cut)
    this.#core.readers.closeAll()
    this.#core.engine.tickers.deactivate(this.#parts)
  }

  /** Ends for good and forgets; `deleteData`: its files are deleted, or some. Rejects with what the disk said. */
  async remove(deleteData: DataChoice, deadlineMs: number): Promise<void> {
    await this.shutdown(deadlineMs, true)
    await this.#core.engine.deps.metadata.remove(this.infoHash)
    if (deleteData !== false) await this.#removeData(deleteData)
  }

  /**
   * Files that are not the torrent's stay, though they have its names: they were there before, and nothing of them
   * fits. What only says `made` keeps more: see DataChoice.
   */
  async #removeData(choice: Exclude<DataChoice, false>): Promise<void> {
    const { content, engine, infoHash } = this.#core
    if (content === null) return
    const { own, store } = content
    await own.known()
    if (choice === 'made') {
      // Asked for each file: another download may come while the disk is at it.
      const shares = (): boolean => engine.deps.events.sharesFiles?.(infoHash) !== false
      // An empty file in the place of one that is not may be about to be written by another program.
      const isMine = (index: number, size: number, mark: FileMark): boolean =>
        own.madeMark(index) === mark || (size === 0 && content.metainfo.files[index]?.length === 0)
      return store.remove((index, size, mark) => shares() || !isMine(index, size, mark))
    }
    await store.remove((index, sizeBytes) => sizeBytes > 0 && !own.isOwn(index) && !own.hasPieceOf(index))
  }

  #left(): number {
    // Of a magnet nothing is known, but it is not complete.
    return this.#core.content === null ? UNKNOWN_LEFT : this.#core.bytesLeft()
  }
}
