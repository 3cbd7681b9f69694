// What follows for the others when a part of a torrent reports something. The parts that report are made first and
// know only this; those that it concerns are given by connect() when all are made, before anything can happen. Decides
// little itself.

import { AppError } from '../../base/errors.ts'
import type { Announcer } from '../../ports/announcer.ts'
import { FileChanged } from '../../ports/piece-store.ts'
import type { Metainfo } from '../../wire/metainfo/torrent-types.ts'
import type { PartReports } from '../part-reports.ts'
import type { ReadCache } from './read-cache.ts'
import type { RoomParts } from './room-parts.ts'
import type { TorrentCore } from './torrent-core.ts'
import type { TorrentRun } from './torrent-run.ts'
import type { TorrentWork } from './torrent-work.ts'

/** Failures that say nothing of the disk. */
const PASSING_ERRORS: ReadonlySet<string> = new Set(['PoolBusy', 'WorkerLost', 'Aborted'])

/** Parts that reports concern. */
export interface ConcernedParts
  extends Pick<RoomParts, 'requests' | 'metadata' | 'newMetadata' | 'swarm' | 'webSeeds' | 'changed'> {
  readonly run: TorrentRun
  readonly work: TorrentWork
  readonly cache: ReadCache
}

/** The reactions of one torrent. */
export class TorrentReactions implements PartReports {
  readonly #core: TorrentCore
  readonly #announcer: Announcer
  #connected: ConcernedParts | null = null

  constructor(core: TorrentCore, announcer: Announcer) {
    this.#core = core
    this.#announcer = announcer
  }

  /** Once, when all parts are made. */
  connect(parts: ConcernedParts): void {
    this.#connected = parts
  }

  get #parts(): ConcernedParts {
    if (this.#connected === null) throw new Error('a part reported something before all parts were made')
    return this.#connected
  }

  pieceDone(piece: number): void {
    const { run, metadata, swarm, webSeeds, requests, cache } = this.#parts
    run.pieceWritten()
    metadata.hashes.pieceDone(piece)
    const { working, complete, status, readers } = this.#core
    readers.pieceDone(piece)
    if (working) {
      swarm.tellHave(piece)
      webSeeds.pieceDone()
      requests.refillSoon()
    }
    if (complete && (status === 'downloading' || !working)) this.finished()
    cache.pieceDone(piece)
  }

  piecesLost(pieces: readonly number[]): void {
    const { swarm, run, work } = this.#parts
    for (const piece of pieces) swarm.tellLost(piece)
    if (this.#core.status === 'seeding' && !this.#core.complete) run.setStatus('downloading')
    if (!this.#core.working) return
    work.needMore()
    swarm.judgeAll()
  }

  checkpoint(): void {
    this.#parts.run.checkpoint().catch((error: unknown) => this.storeFailed(error))
  }

  /** What is left to be fetched is not what trackers were told. */
  leftChanged(): void {
    if (this.#core.online) this.#announcer.announceSoon()
  }

  /** A pool that is full for a moment is no reason to stop. */
  storeFailed(error: unknown): void {
    if (error instanceof FileChanged) return this.#parts.changed.found(error)
    const passing = error instanceof AppError && PASSING_ERRORS.has(error.code)
    if (!passing) this.failed(error)
  }

  failed(error: unknown): void {
    this.#parts.run.fail(error)
  }

  guilty(ips: readonly string[], reason: string): void {
    this.#parts.swarm.ban(this.#parts.webSeeds.blame(ips), reason)
  }

  metadataFound(metainfo: Metainfo): void {
    const { swarm, newMetadata, run } = this.#parts
    const content = this.#core.setContent(metainfo)
    swarm.metadataFound(content)
    this.#announcer.metadataKnown()
    newMetadata.found(metainfo)
    run.haveContent(content)
  }

  /** The last selected piece is there. */
  finished(): void {
    const core = this.#core
    const { run } = this.#parts
    if (core.working && !run.forReaders) run.setStatus('seeding')
    // To trackers only the whole torrent is one that is complete (BEP 21).
    if (core.isPartialSeed) this.#announcer.announceSoon()
    else this.#announcer.completed()
    core.engine.deps.events.finished(core.infoHash, core.name)
    if (core.working) this.checkpoint()
  }
}
