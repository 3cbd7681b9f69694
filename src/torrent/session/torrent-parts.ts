// The parts of one torrent that is awake (torrent-*.ts), made and tied together here: what follows from an event of one
// part for the others. Decides little itself. What others ask of the torrent is in torrent.ts. All calls come on the
// one loop.

import { AppError } from '../../base/errors.ts'
import type { PeerAddress } from '../../base/ids.ts'
import type { Announcer, PeerOrigin } from '../../ports/announcer.ts'
import type { Metainfo } from '../../wire/metainfo/torrent-types.ts'
import type { Engine, Ticker } from './engine.ts'
import { FileChanged } from '../../ports/piece-store.ts'
import { ChangedFiles } from '../pieces/changed-files.ts'
import { DurableDoubts } from '../pieces/durable-doubts.ts'
import { PieceLosses } from '../pieces/piece-losses.ts'
import { TorrentCheck } from '../pieces/torrent-check.ts'
import { type TorrentContent, TorrentCore } from './torrent-core.ts'
import { TorrentMetadata } from '../metadata/torrent-metadata.ts'
import { TorrentPieces } from '../pieces/torrent-pieces.ts'
import { TorrentRequests } from '../peers/torrent-requests.ts'
import { TorrentRun } from './torrent-run.ts'
import { type RestingTorrent, restingHave } from './resting-torrent.ts'
import type { RunGate } from './torrent-queue.ts'
import { TorrentScrub } from '../pieces/torrent-scrub.ts'
import { TorrentStreams } from '../streams/torrent-streams.ts'
import { TorrentSwarm } from '../peers/torrent-swarm.ts'
import { TorrentWebSeeds } from '../web-seeds/torrent-web-seeds.ts'
import { TorrentOptions } from './torrent-options.ts'
import type { TorrentSpec, TorrentStatus } from '../types.ts'
import { NewMetadata } from '../metadata/new-metadata.ts'

const SECOND_MS = 1000
/** Failures that say nothing of the disk. */
const PASSING_ERRORS: ReadonlySet<string> = new Set(['PoolBusy', 'WorkerLost', 'Aborted'])

/** All parts, and what they do to each other. */
export class TorrentParts implements Ticker {
  readonly core: TorrentCore
  readonly #announcer: Announcer
  readonly #requests: TorrentRequests
  readonly pieces: TorrentPieces
  readonly #losses: PieceLosses
  readonly changed: ChangedFiles
  readonly scrub: TorrentScrub
  readonly #metadata: TorrentMetadata
  readonly swarm: TorrentSwarm
  readonly webSeeds: TorrentWebSeeds
  readonly streams: TorrentStreams
  readonly run: TorrentRun
  readonly #check: TorrentCheck
  readonly newMetadata: NewMetadata
  /** Limits, order, place. */
  readonly options: TorrentOptions
  #secondMs = 0

  /** `gate`: its place in the queue. `rested`: it goes on where a rest began, without looking at its files. */
  constructor(engine: Engine, spec: TorrentSpec, announcer: Announcer, gate: RunGate, rested: RestingTorrent | null) {
    const core = new TorrentCore(engine, spec)
    this.core = core
    this.#announcer = announcer
    this.pieces = new TorrentPieces(core, {
      pieceDone: piece => this.#pieceDone(piece),
      readerWaits: piece => this.streams.waitsFor(piece),
      pieceFailed: piece => {
        this.#metadata.hashes.pieceFailed(piece)
        this.#requests.refillSoon()
      },
      storeFailed: error => this.#storeFailed(error),
      guilty: ips => this.swarm.ban(this.webSeeds.blame(ips), 'sent bad data'),
    })
    this.#losses = new PieceLosses(core, this.pieces, {
      lost: piece => this.#pieceLost(piece),
      failed: error => this.#storeFailed(error),
    })
    const { infoHash } = core
    const doubts = new DurableDoubts({
      infoHash,
      journal: engine.deps.journal,
      failed: error => this.#storeFailed(error),
    })
    this.changed = new ChangedFiles(core, this.pieces, {
      doubted: (content, error) => {
        if (content.doubted !== null) this.swarm.holdBack(content.doubted)
        this.streams.cut(error.file, error)
        doubts.note(error.file)
      },
      checkLater: file => this.#check.doubt(file),
      cleared: piece => this.streams.pieceDone(piece),
      lost: pieces => this.#piecesLost(pieces),
      checked: () => this.#checkpoint(),
      failed: error => this.#storeFailed(error),
    })
    this.scrub = new TorrentScrub(core, this.changed)
    this.#requests = new TorrentRequests(core, {
      shortage: () => engine.holders.relieve(),
      readersWait: () => this.streams.hungry > 0,
    })
    this.#metadata = new TorrentMetadata(core, {
      metadataFound: metainfo => this.#metadataFound(metainfo),
      metadataUnusable: error => this.run.fail(error),
      guilty: ips => this.swarm.ban(ips, 'sent wrong metadata'),
      announceTiers: () => this.#announcer.tiers(),
      layersKnown: metainfo => engine.deps.events.layersKnown?.(spec.infoHash, metainfo),
    })
    const targets = { requests: this.#requests, pieces: this.pieces, metadata: this.#metadata }
    this.swarm = new TorrentSwarm(core, targets, {
      readersWait: () => this.streams.hungry > 0,
      joined: () => core.engine.activate(this),
      wantPeers: urgent => this.#announcer.announceSoon(urgent),
      readFailed: (error, first, last) => this.#losses.readFailed(error, first, last),
    })
    const { blocks } = this.swarm
    this.webSeeds = new TorrentWebSeeds(core, spec.webSeeds ?? spec.metainfo?.webSeeds ?? [], spec.metainfo === null, {
      lease: (piece, block) => blocks.lease(piece, block),
      received: (key, request, slot) => blocks.take(key, request, slot),
      readersWait: () => this.streams.hungry > 0,
      refillSoon: () => this.#requests.refillSoon(),
    })
    this.streams = new TorrentStreams(core, {
      windowsMoved: (dropped, jumped) => this.#windowsMoved(dropped, jumped),
      readerNeeds: () => this.run.runForReaders(),
      readersDone: () => this.run.readersDone(),
      readFailed: error => this.#storeFailed(error),
    })
    const checkHooks = {
      setStatus: (status: TorrentStatus) => {
        // After a rest a look that finds nothing new is none that anybody is told of.
        if (status !== 'allocating' || core.status !== 'downloading') this.run.setStatus(status)
      },
      nothingThere: () => this.run.goOnline(),
    }
    this.#check = new TorrentCheck(core, checkHooks, spec.resume)
    this.run = new TorrentRun(core, this.#check, this.pieces, this.#announcer, {
      gate,
      readersNeed: () => this.streams.hungry > 0 || this.newMetadata.waiters > 0,
      online: () => this.#online(),
      offline: (reason, cut) => this.#offline(reason, cut),
      working: fresh => this.#working(fresh),
      keepMetadata: () => this.newMetadata.keep(),
      readersFail: error => this.streams.fail(error),
    })
    this.newMetadata = new NewMetadata(core, {
      needed: () => core.status === 'queued' && this.run.runForReaders(),
      runsForIt: () => this.run.forReaders,
      unneeded: () => this.streams.hungry === 0 && this.run.readersDone(),
    })
    this.options = new TorrentOptions(core, this.#requests, this.swarm.peers.connector, this.run, this.changed)
    // Metadata without the hashes of its pieces is not whole: they are fetched first.
    if (spec.metainfo !== null && !this.#metadata.holdsBack(spec.metainfo)) {
      this.#begin(core.setContent(spec.metainfo), rested)
    }
    // BEP 27: a private torrent's peers come from its own trackers.
    if (core.content?.metainfo.private !== true) this.learn(spec.peers, null)
  }

  /** Peers that somebody named; null: the user or a magnet. */
  learn(peers: readonly PeerAddress[], origin: PeerOrigin | null): void {
    if (peers.length === 0) return
    this.swarm.peers.connector.addAddresses(peers, origin)
    if (this.core.online) this.core.engine.activate(this)
  }

  /** Other files are wanted: what is not any more is given up. */
  select(files: readonly number[] | null): void {
    const dropped = this.core.setSelected(files)
    const content = this.core.content
    if (content === null) return
    this.#dropPieces([...dropped, ...this.run.chooseWanted(content)], content)
    if (!this.core.working) return this.run.regard()
    this.#needMore()
    this.swarm.judgeAll()
    if (this.run.forReaders) return
    if (!this.core.complete) this.run.setStatus('downloading')
    else if (this.core.status === 'downloading') this.#finished()
  }

  /** Its turn in the queue is over. */
  hold(): void {
    const { content } = this.core
    if (!this.run.hold() || content === null) return
    this.#dropPieces(this.run.chooseWanted(content), content)
    this.swarm.judgeAll()
  }

  /** Every quarter of a second while there is something to watch. */
  tick(nowMs: number): boolean {
    this.#requests.refillThrottled()
    if (nowMs - this.#secondMs >= SECOND_MS) {
      this.#secondMs = nowMs
      this.#requests.tick(nowMs)
      this.#metadata.tick(nowMs)
      this.webSeeds.tick(nowMs)
      this.streams.tick(nowMs)
      this.swarm.peers.tick(nowMs)
      if (this.run.checkpointDue(nowMs)) this.#checkpoint()
      return this.#isBusy()
    }
    return true
  }

  /** BEP 21: it wants nothing, and others can get from it only a part. */
  get isPartialSeed(): boolean {
    const { content, complete } = this.core
    return complete && content !== null && content.picker.haveCount < content.lengths.pieceCount
  }

  // --- what follows from what

  #begin(content: TorrentContent, rested: RestingTorrent | null): void {
    if (rested === null) return this.#check.assumeResumed(content)
    this.#check.expectResumed(content)
    this.core.sessionDown = rested.sessionDown
    this.core.sessionUp = rested.sessionUp
    content.picker.setHave(restingHave(rested))
    if (rested.status === 'seeding') this.run.carryOn(content)
    else if (rested.status === 'downloading') this.run.lookOn(content)
    else if (rested.status === 'queued') this.run.waitOn()
  }

  #online(): void {
    this.core.engine.activate(this)
    this.swarm.peers.connector.connectSome(this.core.now())
  }

  #offline(reason: string, cut: boolean): void {
    this.#metadata.reset()
    this.#requests.stop()
    this.webSeeds.stop()
    this.changed.stop()
    this.scrub.stop()
    this.swarm.peers.closeAll(reason, cut)
  }

  /** The data is checked, `fresh`: just now. */
  #working(fresh: boolean): void {
    const content = this.core.content
    if (content === null) return
    this.core.engine.activate(this)
    if (fresh) {
      this.#losses.reset()
      this.changed.reset()
    }
    this.streams.renew()
    this.streams.wakeAll()
    this.swarm.working(content, fresh)
    this.webSeeds.fill()
  }

  #metadataFound(metainfo: Metainfo): void {
    const content = this.core.setContent(metainfo)
    this.swarm.metadataFound(content)
    this.#announcer.metadataKnown()
    this.newMetadata.found(metainfo)
    this.run.haveContent(content)
  }

  #pieceDone(piece: number): void {
    this.run.pieceWritten()
    this.#metadata.hashes.pieceDone(piece)
    this.streams.pieceDone(piece)
    if (this.core.working) {
      this.swarm.tellHave(piece)
      this.webSeeds.pieceDone()
      this.#requests.refillSoon()
    }
    if (this.core.complete && (this.core.status === 'downloading' || !this.core.working)) this.#finished()
  }

  /** A piece that was there is not any more: it is fetched again, where it is wanted. */
  #pieceLost(piece: number): void {
    this.#piecesLost([piece])
    if (this.core.working) this.#checkpoint()
  }

  #piecesLost(pieces: readonly number[]): void {
    for (const piece of pieces) this.swarm.tellLost(piece)
    if (this.core.status === 'seeding' && !this.core.complete) this.run.setStatus('downloading')
    if (!this.core.working) return
    this.#needMore()
    this.swarm.judgeAll()
  }

  /** The last selected piece is there. */
  #finished(): void {
    if (this.core.working && !this.run.forReaders) this.run.setStatus('seeding')
    // To trackers only the whole torrent is one that is complete (BEP 21).
    if (this.isPartialSeed) this.#announcer.announceSoon()
    else this.#announcer.completed()
    this.core.engine.deps.events.finished(this.core.infoHash, this.core.name)
    if (this.core.working) this.#checkpoint()
  }

  /** The disk said no. A pool that is full for a moment is no reason to stop. */
  #storeFailed(error: unknown): void {
    if (error instanceof FileChanged) return this.changed.found(error)
    const passing = error instanceof AppError && PASSING_ERRORS.has(error.code)
    if (!passing) this.run.fail(error)
  }

  #windowsMoved(dropped: readonly number[], jumped: ReadonlySet<number> | null): void {
    const content = this.core.content
    if (content === null) return
    this.#dropPieces(dropped, content)
    if (jumped !== null) {
      this.#requests.makeWay(jumped, content)
      this.webSeeds.makeWay(jumped)
    }
    this.swarm.judgeAll()
    this.#requests.refillAll()
    this.webSeeds.fill()
  }

  /** Other pieces than before are wanted: whoever may have them is asked. */
  #needMore(): void {
    this.#requests.refillSoon()
    this.webSeeds.fill()
    this.core.engine.activate(this)
  }

  #dropPieces(pieces: readonly number[], content: TorrentContent): void {
    this.#requests.withdrawPieces(pieces, content)
    this.pieces.drop(pieces)
  }

  #checkpoint(): void {
    this.run.checkpoint().catch((error: unknown) => this.#storeFailed(error))
  }

  #isBusy(): boolean {
    if (this.streams.open > 0) return true
    if (!this.core.online) return false
    if (this.webSeeds.busy) return true
    const { peers } = this.core
    return (
      peers.size > 0 ||
      this.swarm.peers.connector.size > 0 ||
      this.pieces.dirty ||
      this.swarm.peers.connector.hasCandidates
    )
  }
}
