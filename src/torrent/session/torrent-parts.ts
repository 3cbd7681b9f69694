// The parts of one torrent that is awake, made here, each with the parts it works with; what they report to parts that
// are made after them is connected last (torrent-reactions.ts). What others ask of the torrent is in torrent.ts.

import type { PeerAddress } from '../../base/ids.ts'
import type { Announcer, PeerOrigin } from '../../ports/announcer.ts'
import type { Engine } from './engine.ts'
import type { Ticker } from './tickers.ts'
import { ChangedFiles } from '../pieces/changed-files.ts'
import { DurableDoubts } from '../pieces/durable-doubts.ts'
import { NewMetadata } from '../metadata/new-metadata.ts'
import { PieceLosses } from '../pieces/piece-losses.ts'
import { TorrentCheck } from '../pieces/torrent-check.ts'
import { TorrentCheckpoints } from '../pieces/torrent-checkpoints.ts'
import { type TorrentContent, TorrentCore } from './torrent-core.ts'
import { TorrentMetadata } from '../metadata/torrent-metadata.ts'
import { TorrentOptions } from './torrent-options.ts'
import { TorrentPieces } from '../pieces/torrent-pieces.ts'
import { TorrentReactions } from './torrent-reactions.ts'
import { TorrentRequests } from '../peers/torrent-requests.ts'
import { TorrentRun } from './torrent-run.ts'
import { type SuspendedTorrent, suspendedHave } from './suspended-torrent.ts'
import type { RunGate } from './torrent-queue.ts'
import { TorrentScrub } from '../pieces/torrent-scrub.ts'
import { TorrentSelection } from './torrent-selection.ts'
import { ReadCache } from './read-cache.ts'
import { TorrentStreams } from '../streams/torrent-streams.ts'
import { TorrentSwarm } from '../peers/torrent-swarm.ts'
import { TorrentWebSeeds } from '../web-seeds/torrent-web-seeds.ts'
import { TorrentWork } from './torrent-work.ts'
import type { TorrentSpec } from '../types.ts'

const SECOND_MS = 1000

/** All parts. */
export class TorrentParts implements Ticker {
  readonly core: TorrentCore
  readonly pieces: TorrentPieces
  readonly changed: ChangedFiles
  readonly scrub: TorrentScrub
  readonly swarm: TorrentSwarm
  readonly webSeeds: TorrentWebSeeds
  readonly streams: TorrentStreams
  readonly run: TorrentRun
  readonly newMetadata: NewMetadata
  readonly selection: TorrentSelection
  /** Limits, order, place. */
  readonly options: TorrentOptions
  readonly #requests: TorrentRequests
  readonly #metadata: TorrentMetadata
  readonly #check: TorrentCheck
  readonly #reactions: TorrentReactions
  readonly cache: ReadCache
  #secondMs = 0

  /** `gate`: its place in the queue. `suspended`: it goes on where a suspension began, without looking at its files. */
  constructor(
    engine: Engine,
    spec: TorrentSpec,
    announcer: Announcer,
    gate: RunGate,
    suspended: SuspendedTorrent | null,
  ) {
    const core = new TorrentCore(engine, spec)
    const reports = new TorrentReactions(core, announcer)
    this.core = core
    this.#reactions = reports
    const requests = (this.#requests = new TorrentRequests(core))
    const metadata = (this.#metadata = new TorrentMetadata(core, announcer, reports))
    const pieces = (this.pieces = new TorrentPieces(core, { hashes: metadata.hashes, requests }, reports))
    const losses = new PieceLosses(core, pieces, reports)
    const swarm = (this.swarm = new TorrentSwarm(core, { requests, pieces, metadata, losses }, announcer))
    const { blocks } = swarm
    const urls = spec.webSeeds ?? spec.metainfo?.webSeeds ?? []
    const webSeeds = (this.webSeeds = new TorrentWebSeeds(core, urls, spec.metainfo === null, {
      blocks,
      requests,
    }))
    const streams = (this.streams = new TorrentStreams(core, { requests, pieces, webSeeds }, reports))
    const check = (this.#check = new TorrentCheck(core, spec.resume))
    const checkpoints = new TorrentCheckpoints(core, check, pieces)
    const cache = (this.cache = new ReadCache(core, { pieces, streams, checkpoints }, reports))
    const doubts = new DurableDoubts({ infoHash: core.infoHash, journal: engine.deps.journal, reports })
    const changed = (this.changed = new ChangedFiles(core, { pieces, check, doubts }, reports))
    const scrub = (this.scrub = new TorrentScrub(core, changed))
    const newMetadata = (this.newMetadata = new NewMetadata(core))
    const at = { requests, metadata, webSeeds, losses, changed, scrub, swarm, streams, cache }
    const work = new TorrentWork(core, at)
    const run = (this.run = new TorrentRun(core, { check, pieces, newMetadata, work, checkpoints }, announcer, gate))
    reports.connect({ run, work, requests, metadata, newMetadata, swarm, webSeeds, changed, cache })
    this.selection = new TorrentSelection(core, { run, work, requests, pieces, swarm, cache, reactions: reports })
    cache.settled = () => this.selection.settleForgets()
    this.options = new TorrentOptions(core, requests, swarm.peers.connector, run, changed)
    core.ticker = this
    this.#begin(spec, suspended)
  }

  /** Peers that somebody named; null: the user or a magnet. */
  learn(peers: readonly PeerAddress[], origin: PeerOrigin | null): void {
    if (peers.length === 0) return
    this.swarm.peers.connector.addAddresses(peers, origin)
    if (this.core.online) this.core.activate()
  }

  /** Every quarter of a second while there is something to watch. */
  tick(nowMs: number): boolean {
    this.streams.tell(nowMs)
    this.#requests.refillThrottled()
    if (nowMs - this.#secondMs >= SECOND_MS) {
      this.#secondMs = nowMs
      this.#requests.tick(nowMs)
      this.#metadata.tick(nowMs)
      this.webSeeds.tick(nowMs)
      this.core.readers.tick(nowMs)
      this.cache.look()
      this.streams.tick(nowMs)
      this.swarm.peers.tick(nowMs)
      if (this.run.checkpointDue(nowMs)) this.#reactions.checkpoint()
      return this.#isBusy()
    }
    return true
  }

  #begin({ metainfo, peers }: TorrentSpec, suspended: SuspendedTorrent | null): void {
    const { core } = this
    // Metadata without the hashes of its pieces is not whole: they are fetched first.
    if (metainfo !== null && !this.#metadata.holdsBack(metainfo)) this.#goOn(core.setContent(metainfo), suspended)
    // BEP 27: a private torrent's peers come from its own trackers.
    if (core.content?.metainfo.private !== true) this.learn(peers, null)
  }

  #goOn(content: TorrentContent, suspended: SuspendedTorrent | null): void {
    if (suspended === null) return this.#check.assumeResumed(content)
    this.#check.expectResumed(content)
    this.core.session.down = suspended.sessionDown
    this.core.session.up = suspended.sessionUp
    content.picker.setHave(suspendedHave(suspended))
    if (suspended.status === 'seeding') this.run.carryOn(content)
    else if (suspended.status === 'downloading') this.run.lookOn(content)
    else if (suspended.status === 'queued') this.run.waitOn()
  }

  #isBusy(): boolean {
    if (this.core.readers.open > 0) return true
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
