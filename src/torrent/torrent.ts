// One torrent that is awake: owns its state (torrent-core.ts) and its parts (torrent-*.ts) and ties them together. Its
// announcer, and its place while it rests, belong to session-torrent.ts, through which services/ see it. Decides little itself: what follows from an event of one part for the others. All calls come on the one loop.

import { AppError } from '../base/errors.ts'
import type { InfoHash, PeerAddress } from '../base/ids.ts'
import type { AnnounceCounters, Announcer } from '../ports/announcer.ts'
import type { Handshake } from '../wire/peer/handshake.ts'
import { encodeHave, type PeerMessage } from '../wire/peer/messages.ts'
import { messageLimit } from '../wire/peer/decoder.ts'
import type { Metainfo } from '../wire/torrent-types.ts'
import type { Engine, Ticker } from './engine.ts'
import type { LinkReceiver, PeerLink } from './peer-link.ts'
import type { PeerHost, PeerSession } from './peer-session.ts'
import { TorrentBlocks } from './torrent-blocks.ts'
import { TorrentCheck } from './torrent-check.ts'
import { type TorrentContent, TorrentCore } from './torrent-core.ts'
import { TorrentMessages } from './torrent-messages.ts'
import { TorrentMetadata } from './torrent-metadata.ts'
import { TorrentPeers } from './torrent-peers.ts'
import { TorrentPieces } from './torrent-pieces.ts'
import { TorrentRequests } from './torrent-requests.ts'
import { TorrentRun } from './torrent-run.ts'
import { type RestingTorrent, restingHave, UNKNOWN_LEFT } from './resting-torrent.ts'
import type { RunGate } from './torrent-queue.ts'
import { fileSnapshots, peerSnapshots, restingOf, torrentSnapshot } from './torrent-stats.ts'
import { TorrentStreams } from './torrent-streams.ts'
import type { FileReader, FileSnapshot, PeerSnapshot, TorrentSnapshot, TorrentSpec, TorrentStatus } from './types.ts'
import { NewMetadata } from './new-metadata.ts'
import { uploadSource } from './upload-source.ts'

/** Checkpoints come this often while pieces come in. */
const CHECKPOINT_MS = 30_000
const SECOND_MS = 1000
/** Peers that were connected before a check hear of so many pieces one by one; of more by a new connection's bitfield. */
const MAX_HAVES_TOLD = 10_000
/** Failures that say nothing of the disk. */
const PASSING_ERRORS: ReadonlySet<string> = new Set(['PoolBusy', 'WorkerLost', 'Aborted'])
/** Trackers are asked for more peers this often when none is known. */
const WANT_PEERS_MS = 30_000

/** One torrent. */
export class Torrent implements PeerHost, Ticker {
  readonly #core: TorrentCore
  readonly #announcer: Announcer
  readonly #requests: TorrentRequests
  readonly #pieces: TorrentPieces
  readonly #blocks: TorrentBlocks
  readonly #metadata: TorrentMetadata
  readonly #messages: TorrentMessages
  readonly #peers: TorrentPeers
  readonly #streams: TorrentStreams
  readonly #run: TorrentRun
  readonly #check: TorrentCheck
  readonly #newMetadata: NewMetadata
  #secondMs = 0
  #checkpointMs = 0
  #wantPeersMs = Number.NEGATIVE_INFINITY

  /** `gate`: its place in the queue. `rested`: it goes on where a rest began, without looking at its files. */
  constructor(engine: Engine, spec: TorrentSpec, announcer: Announcer, gate: RunGate, rested: RestingTorrent | null) {
    const core = new TorrentCore(engine, spec)
    this.#core = core
    this.#announcer = announcer
    this.#pieces = new TorrentPieces(core, {
      pieceDone: piece => this.#pieceDone(piece),
      readerWaits: piece => this.#streams.waitsFor(piece),
      pieceFailed: () => this.#requests.refillSoon(),
      storeFailed: error => this.#storeFailed(error),
      guilty: ips => this.#ban(ips, 'sent bad data'),
    })
    this.#requests = new TorrentRequests(core, {
      shortage: () => engine.holders.relieve(),
      readersWait: () => this.#streams.hungry > 0,
    })
    this.#blocks = new TorrentBlocks(core, this.#requests, this.#pieces)
    this.#metadata = new TorrentMetadata(core, {
      metadataFound: metainfo => this.#metadataFound(metainfo),
      metadataUnusable: error => this.#run.fail(error),
      guilty: ips => this.#ban(ips, 'sent wrong metadata'),
      announceTiers: () => this.#announcer.tiers(),
    })
    this.#messages = new TorrentMessages(core, this.#requests, this.#metadata, {
      judge: peer => this.#judge(peer),
      interestChanged: () => this.#peers.chokeSoon(),
      listensAt: (peer, port) => this.#peers.listensAt(peer, port),
    })
    this.#peers = new TorrentPeers(core, this, {
      joined: peer => this.#joined(peer),
      left: peer => this.#peerLeft(peer),
      wantPeers: () => this.#wantPeers(),
    })
    this.#streams = new TorrentStreams(core, {
      windowsMoved: (dropped, jumped) => this.#windowsMoved(dropped, jumped),
      readerNeeds: () => this.#run.runForReaders(),
      readersDone: () => this.#run.readersDone(),
      readFailed: error => this.#storeFailed(error),
    })
    const checkHooks = {
      setStatus: (status: TorrentStatus) => this.#run.setStatus(status),
      nothingThere: () => this.#run.goOnline(),
    }
    this.#check = new TorrentCheck(core, checkHooks, spec.resume)
    this.#run = new TorrentRun(core, this.#check, this.#pieces, this.#announcer, {
      gate,
      readersNeed: () => this.#streams.hungry > 0 || this.#newMetadata.waiters > 0,
      online: () => this.#online(),
      offline: reason => this.#offline(reason),
      working: fresh => this.#working(fresh),
      keepMetadata: () => this.#newMetadata.keep(),
      readersFail: error => this.#streams.fail(error),
    })
    this.#newMetadata = new NewMetadata(core, {
      needed: () => core.status === 'queued' && this.#run.runForReaders(),
      runsForIt: () => this.#run.forReaders,
      unneeded: () => this.#streams.hungry === 0 && this.#run.readersDone(),
    })
    if (spec.metainfo !== null) this.#begin(core.setContent(spec.metainfo), rested)
    this.addPeers(spec.peers)
  }

  // --- what services/ ask, by way of session-torrent.ts

  get infoHash(): InfoHash {
    return this.#core.infoHash
  }

  get metainfo(): Metainfo | null {
    return this.#core.content?.metainfo ?? null
  }

  get selectedFiles(): readonly number[] | null {
    return this.#core.selected
  }

  get openReaders(): number {
    return this.#streams.open
  }

  snapshot(): TorrentSnapshot {
    return torrentSnapshot(this.#core, this.#announcer)
  }

  peers(): PeerSnapshot[] {
    return peerSnapshots(this.#core)
  }

  files(): Iterable<FileSnapshot> {
    const { content, selected } = this.#core
    return content === null ? [] : fileSnapshots(content.metainfo, selected, content.picker.have)
  }

  haveBits(): Uint8Array {
    return Uint8Array.from(this.#core.content?.picker.have.buffer ?? [])
  }

  stop(): Promise<void> {
    return this.#run.stop()
  }

  resume(): void {
    this.#core.known.forgiveAll()
    this.#run.resume()
  }

  /** Its turn in the queue is over. */
  hold(): void {
    const { content } = this.#core
    if (!this.#run.hold() || content === null) return
    this.#dropPieces(this.#run.chooseWanted(content), content)
    this.#judgeAll()
  }

  /** Bytes/s of payload; null while its data is prepared or checked. */
  rates(): { readonly down: number; readonly up: number } | null {
    const { status, down, up } = this.#core
    if (status !== 'metadata' && status !== 'downloading' && status !== 'seeding') return null
    const nowMs = this.#core.now()
    return { down: down.rate(nowMs), up: up.rate(nowMs) }
  }

  recheck(begun: () => void = () => undefined): Promise<void> {
    return this.#run.recheck(begun)
  }

  select(files: readonly number[] | null): void {
    this.#core.setSelected(files)
    const content = this.#core.content
    if (content === null) return
    this.#dropPieces(this.#run.chooseWanted(content), content)
    if (!this.#core.working) return this.#run.regard()
    this.#requests.refillSoon()
    this.#judgeAll()
    if (this.#run.forReaders) return
    if (!this.#core.complete) this.#run.setStatus('downloading')
    else if (this.#core.status === 'downloading') this.#finished()
  }

  addTrackers(tiers: readonly (readonly string[])[]): string[] {
    return this.#core.content?.metainfo.private === true ? [] : this.#announcer.addTiers(tiers)
  }

  addPeers(peers: readonly PeerAddress[]): void {
    // BEP 27: a private torrent's peers come from its own trackers.
    if (this.#core.content?.metainfo.private !== true) this.#learn(peers, false)
  }

  whenMetadata(signal: AbortSignal): Promise<Metainfo> {
    return this.#newMetadata.whenKept(this.metainfo, signal)
  }

  openReader(fileIndex: number): FileReader {
    const reader = this.#streams.openReader(fileIndex)
    this.#core.engine.activate(this)
    return reader
  }

  readNow(fileIndex: number, position: number, length: number, into: Uint8Array): number {
    return this.#streams.readNow(fileIndex, position, length, into)
  }

  // --- session-torrent.ts

  /** What its announcer asks for. */
  get wantedPeers(): number {
    return this.#peers.wanted
  }

  /** What its announcer tells. */
  counters(): AnnounceCounters {
    const { sessionUp, sessionDown } = this.#core
    return { uploaded: sessionUp, downloaded: sessionDown, left: this.#left() }
  }

  /** Peers that a tracker named. */
  trackerPeers(peers: readonly PeerAddress[]): void {
    this.#learn(peers, true)
  }

  /** Somebody is connected or reads: no time to rest. */
  get inUse(): boolean {
    return this.#streams.open > 0 || this.#core.peers.size > 0 || this.#peers.dialing > 0
  }

  /**
   * What is to be kept while it rests, null when it must stay awake: it seeds all it has selected, or is stopped or queued, nobody
   * uses it and nothing is on its way. Known addresses are forgotten. It must not be used afterwards.
   */
  rest(): RestingTorrent | null {
    const { content, status } = this.#core
    if (content === null || this.#newMetadata.unkept || this.inUse || this.#pieces.dirty || !this.#run.settled)
      return null
    if (status === 'seeding' && !(this.#core.working && this.#core.satisfied)) return null
    if (status !== 'seeding' && status !== 'stopped' && status !== 'queued') return null
    if (this.#core.working && this.#peers.hasDue(this.#core.now())) return null
    this.#core.engine.deactivate(this)
    return restingOf(this.#core, content.metainfo, content.picker.have)
  }

  /** Limits of this torrent alone, bytes/s, 0 = none; the session's count too. */
  setRateLimits(limits: { readonly maxDownloadRate: number; readonly maxUploadRate: number }): void {
    this.#core.downLimiter.setRate(limits.maxDownloadRate)
    this.#core.upLimiter.setRate(limits.maxUploadRate)
  }

  /** Takes over an incoming connection; null = refused. */
  accept(link: PeerLink, handshake: Handshake): LinkReceiver | null {
    return this.#peers.accept(link, handshake)
  }

  /** Ends for good, progress durable; `deadlineMs` bounds the farewell to trackers. */
  async shutdown(deadlineMs: number): Promise<void> {
    this.#newMetadata.abort()
    await this.#run.shutdown(deadlineMs)
    this.#streams.closeAll()
    this.#core.engine.deactivate(this)
  }

  /** Ends for good and forgets; with `deleteData` its files are deleted. Rejects with what the disk said. */
  async remove(deleteData: boolean, deadlineMs: number): Promise<void> {
    await this.shutdown(deadlineMs)
    await this.#core.engine.deps.metadata.remove(this.infoHash)
    if (deleteData) await this.#core.content?.store.remove()
  }

  /** Every quarter of a second while there is something to watch. */
  tick(nowMs: number): boolean {
    this.#requests.refillThrottled()
    if (nowMs - this.#secondMs >= SECOND_MS) {
      this.#secondMs = nowMs
      this.#requests.tick(nowMs)
      this.#metadata.tick(nowMs)
      this.#streams.tick(nowMs)
      this.#peers.tick(nowMs)
      this.#checkpointSometimes(nowMs)
      return this.#isBusy()
    }
    return true
  }

  // --- PeerHost

  get maxMessageBytes(): number {
    return messageLimit(this.#core.content?.lengths.pieceCount ?? null)
  }

  message(peer: PeerSession, message: PeerMessage): void {
    this.#messages.handle(peer, message)
  }

  blockStart(peer: PeerSession, piece: number, begin: number, length: number): Uint8Array | null {
    return this.#blocks.start(peer, piece, begin, length)
  }

  blockEnd(peer: PeerSession, _piece: number, _begin: number, _length: number, stored: boolean): void {
    this.#blocks.end(peer, stored)
  }

  turnDone(peer: PeerSession): void {
    if (!this.#core.working) return
    peer.uploads.uploadGoOn()
    this.#requests.refill(peer)
  }

  peerClosed(peer: PeerSession, reason: string, offence: boolean): void {
    this.#peers.gone(peer, offence, reason)
  }

  // --- what follows from what

  #begin(content: TorrentContent, rested: RestingTorrent | null): void {
    if (rested === null) return this.#check.assumeResumed(content)
    this.#core.sessionDown = rested.sessionDown
    this.#core.sessionUp = rested.sessionUp
    content.picker.setHave(restingHave(rested))
    if (rested.status === 'seeding') this.#run.carryOn(content)
    else if (rested.status === 'queued') this.#run.waitOn()
  }

  #left(): number {
    // Of a magnet nothing is known, but it is not complete.
    return this.#core.content === null ? UNKNOWN_LEFT : this.#core.bytesLeft()
  }

  #learn(peers: readonly PeerAddress[], tracked: boolean): void {
    if (peers.length === 0) return
    this.#peers.addAddresses(peers, tracked)
    if (this.#core.online) this.#core.engine.activate(this)
  }

  #wantPeers(): void {
    const nowMs = this.#core.now()
    if (nowMs - this.#wantPeersMs < WANT_PEERS_MS) return
    this.#wantPeersMs = nowMs
    this.#announcer.announceSoon()
  }

  #online(): void {
    this.#core.engine.activate(this)
    this.#peers.connectSome(this.#core.now())
  }

  #offline(reason: string): void {
    this.#metadata.reset()
    this.#requests.stop()
    this.#peers.closeAll(reason)
  }

  /** The data is checked: peers that were connected for the metadata hear what we have. */
  #working(fresh: boolean): void {
    const content = this.#core.content
    if (content === null) return
    this.#checkpointMs = this.#core.now()
    this.#core.engine.activate(this)
    const anew = fresh && content.picker.haveCount > MAX_HAVES_TOLD
    if (anew) this.#peers.closeAll('greeted before the data was checked')
    else if (fresh) this.#messages.sendHaves(content)
    this.#streams.renew()
    this.#streams.wakeAll()
    this.#judgeAll()
    this.#requests.refillSoon()
    this.#peers.chokeSoon()
    // The other side must see the end of a connection before the next one: the tick makes it.
    if (!anew) this.#peers.connectSome(this.#core.now())
  }

  #joined(peer: PeerSession): void {
    const content = this.#core.content
    if (content !== null) {
      this.#peerUploads(peer, content)
      content.picker.addPeer(peer.key, 'none')
    }
    peer.pipeline.setStreaming(this.#streams.hungry > 0)
    this.#messages.greet(peer)
    this.#core.engine.activate(this)
  }

  #peerLeft(peer: PeerSession): void {
    this.#blocks.abandon(peer)
    this.#requests.withdrawAll(peer, true)
    peer.uploads.close()
    this.#metadata.peerGone(peer)
    this.#core.content?.picker.removePeer(peer.key)
    this.#requests.refillSoon()
  }

  #peerUploads(peer: PeerSession, content: TorrentContent): void {
    peer.uploads.setSource(uploadSource(this.#core, peer, content, error => this.#storeFailed(error)))
  }

  #metadataFound(metainfo: Metainfo): void {
    const content = this.#core.setContent(metainfo)
    if (metainfo.private) this.#peers.goPrivate()
    for (const peer of this.#core.peers.values()) {
      this.#peerUploads(peer, content)
      try {
        this.#messages.applyEarly(peer, content)
      } catch {
        peer.close('told of pieces that do not exist', true)
      }
    }
    this.#newMetadata.found(metainfo)
    this.#run.haveContent(content)
  }

  #pieceDone(piece: number): void {
    this.#run.pieceWritten()
    this.#streams.pieceDone(piece)
    if (this.#core.working) {
      const have = encodeHave(piece)
      for (const peer of this.#core.peers.values()) {
        if (!this.#core.isSeed(peer)) peer.link.send(have)
        this.#judge(peer)
      }
      this.#requests.refillSoon()
    }
    if (this.#core.complete && (this.#core.status === 'downloading' || !this.#core.working)) this.#finished()
  }

  /** The last selected piece is there. */
  #finished(): void {
    if (this.#core.working && !this.#run.forReaders) this.#run.setStatus('seeding')
    this.#announcer.completed()
    this.#core.engine.deps.events.finished(this.infoHash, this.#core.name)
    if (this.#core.working) this.#checkpoint()
  }

  /** The disk said no. A pool that is full for a moment is no reason to stop. */
  #storeFailed(error: unknown): void {
    const passing = error instanceof AppError && PASSING_ERRORS.has(error.code)
    if (!passing) this.#run.fail(error)
  }

  #windowsMoved(dropped: readonly number[], jumped: ReadonlySet<number> | null): void {
    const content = this.#core.content
    if (content === null) return
    this.#dropPieces(dropped, content)
    if (jumped !== null) this.#requests.makeWay(jumped, content)
    this.#judgeAll()
    this.#requests.refillAll()
  }

  #dropPieces(pieces: readonly number[], content: TorrentContent): void {
    this.#requests.withdrawPieces(pieces, content)
    this.#pieces.drop(pieces)
  }

  #judge(peer: PeerSession): void {
    const content = this.#core.content
    if (content === null || !this.#core.working) return
    peer.interest(content.picker.isInteresting(peer.key))
  }

  #judgeAll(): void {
    for (const peer of this.#core.peers.values()) this.#judge(peer)
  }

  #ban(ips: readonly string[], reason: string): void {
    for (const ip of ips) this.#core.engine.bans.ban(ip, reason, this.#core.now())
    this.#peers.closeIps(ips, reason)
  }

  #checkpointSometimes(nowMs: number): void {
    if (!this.#core.working || !this.#pieces.dirty || nowMs - this.#checkpointMs < CHECKPOINT_MS) return
    this.#checkpointMs = nowMs
    this.#checkpoint()
  }

  #checkpoint(): void {
    this.#run.checkpoint().catch((error: unknown) => this.#storeFailed(error))
  }

  #isBusy(): boolean {
    if (this.#streams.open > 0) return true
    if (!this.#core.online) return false
    const { peers } = this.#core
    return peers.size > 0 || this.#peers.dialing > 0 || this.#pieces.dirty || this.#peers.hasCandidates
  }
}
