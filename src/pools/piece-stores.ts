// All torrents' stores over files: makes what they share (worker pools, descriptor cache, lanes, free-space check) and
// takes it down. Knows no torrent itself. Worker threads start with the first job.

import { availableParallelism } from 'node:os'
import type { Clock } from '../ports/clock.ts'
import { CachedReads } from '../io/files/cached-read.ts'
import { DiskSpace } from '../io/files/disk-space.ts'
import { FolderLooks } from '../io/files/folder-looks.ts'
import { DEFAULT_OPEN_FILES, OpenFiles } from '../io/files/open-files.ts'
import { plainLanes, type VolumeLanes } from '../io/files/volume-lanes.ts'
import type { Arena } from '../ports/arena.ts'
import type { Log } from '../ports/log.ts'
import type { OwnFiles } from '../ports/own-files.ts'
import type { FileFacts, PieceStore, PieceStores, StoreLayout } from '../ports/piece-store.ts'
import { MAX_JOB_FILES } from './contract/limits.ts'
import type { PieceWorkerData } from './contract/piece-worker.ts'
import type { ContentSources } from '../ports/content-source.ts'
import { FileContents } from './file-contents.ts'
import { FilePieceStore, type StoreParts } from './file-piece-store.ts'
import type { PoolStats } from './pool.ts'
import { chooseHash, type ChosenHash, type HashChoice } from './hash-choice.ts'
import { VolumeJobs } from './volume-jobs.ts'
import { workerUrl } from '../io/worker-url.ts'

/** More threads than this bring nothing: the main thread cannot feed them. */
const MAX_DEFAULT_THREADS = 4

/** One thread a core, at most four; at least two, so that one slow write does not hold up every hash. */
function defaultThreads(): number {
  return Math.min(MAX_DEFAULT_THREADS, Math.max(2, availableParallelism()))
}

/** Bounds; what is absent takes its default. */
export interface FilePieceStoresOptions {
  /** Worker threads at most; default defaultThreads(). */
  readonly threads?: number
  /** Descriptors at most; default 512, at least 64. */
  readonly openFiles?: number
  /** Bytes that stay free on every disk; 0 = off. */
  readonly minFreeBytes?: number
  /** Bound of the job queue. */
  readonly maxJobs?: number
  /** No job is done without a thread, for tests of threads. */
  readonly threadsOnly?: boolean
  /** By what pieces are hashed; default: the quickest. */
  readonly hash?: HashChoice
  /** Another worker file, for tests. */
  readonly worker?: URL
}

/** What all stores share with the rest of the node. */
export interface FilePieceStoresDeps {
  /** Where received blocks lie. */
  readonly blockArena: Arena
  /** Where stream and upload reads go. */
  readonly rangeArena: Arena
  readonly clock: Clock
  readonly log: Log
  /** The way into libuv's threads; default: nothing is known of volumes. */
  readonly lanes?: VolumeLanes
  /** Runs when three workers died within a minute: a bug; the node should stop with a report. */
  readonly onRepeatedLoss?: () => void
  /** Reads from the page cache, for tests. */
  readonly cachedReads?: CachedReads
  /** What a torrent in that folder never touches; absent: nothing is kept from it. */
  readonly own?: (destination: string) => OwnFiles | null
  /** What the machine can do, for tests. */
  readonly chooseHash?: (choice: HashChoice) => ChosenHash
  /** Gives bytes of a file back to the disk, for tests. */
  readonly punch?: StoreParts['punch']
  /** Free bytes of a folder's disk, for tests. */
  readonly freeBytes?: (folder: string) => Promise<number>
}

/** Figures for debugging. */
export interface FilePieceStoresStats extends PoolStats {
  readonly openFiles: number
  readonly lanesWaiting: number
  /** By what the workers hash: a path of the machine code, or `node` for node:crypto. */
  readonly hash: string
}

/** Of the arena, so much may wait to be hashed side by side: the rest takes what comes in meanwhile. */
const GATHERED_PART = 0.5

/** Opens stores over files; threads start with the first job. stop() last. */
export class FilePieceStores implements PieceStores {
  readonly #parts: StoreParts
  readonly #jobs: VolumeJobs
  readonly #chooseHash: () => ChosenHash
  readonly #log: Log
  readonly #looks: FolderLooks
  #chosen: ChosenHash | null = null

  constructor(options: FilePieceStoresOptions, deps: FilePieceStoresDeps) {
    const arenas = [deps.blockArena.buffer, deps.rangeArena.buffer]
    const { clock, log, lanes = plainLanes(clock), freeBytes } = deps
    this.#chooseHash = () => (deps.chooseHash ?? chooseHash)(options.hash ?? 'auto')
    this.#log = log
    this.#jobs = new VolumeJobs(
      {
        threads: Math.max(1, options.threads ?? defaultThreads()),
        worker: options.worker ?? workerUrl('piece'),
        workerData: (ring): PieceWorkerData => ({ arenas, ring, hash: this.#hash().path }),
        threadsOnly: options.threadsOnly === true,
        gatheredBytes: deps.blockArena.buffer.byteLength * GATHERED_PART,
        ...(options.maxJobs === undefined ? {} : { maxJobs: options.maxJobs }),
      },
      { lanes, arenas, log, ...(deps.onRepeatedLoss === undefined ? {} : { onRepeatedLoss: deps.onRepeatedLoss }) },
    )
    this.#parts = {
      arenas,
      jobs: this.#jobs,
      files: new OpenFiles(
        { capacity: Math.max(MAX_JOB_FILES, options.openFiles ?? DEFAULT_OPEN_FILES) },
        { clock, volumes: lanes },
      ),
      lanes,
      cached: deps.cachedReads ?? new CachedReads(),
      own: deps.own ?? (() => null),
      ...(deps.punch === undefined ? {} : { punch: deps.punch }),
      writingBytes: deps.blockArena.buffer.byteLength / 2,
      space: new DiskSpace(options.minFreeBytes ?? 0, {
        clock,
        turn: (folder, call) => lanes.run(folder, call),
        ...(freeBytes === undefined ? {} : { free: freeBytes }),
      }),
    }
    this.#looks = new FolderLooks({ lanes, own: this.#parts.own })
  }

  open(layout: StoreLayout): PieceStore {
    return new FilePieceStore(layout, this.#parts)
  }

  look(layout: StoreLayout): Promise<FileFacts[]> {
    return this.#looks.facts(layout)
  }

  /** Files that torrents are made of, hashed by the same workers; nothing of `own`. */
  contents(own: OwnFiles | null): ContentSources {
    return new FileContents(this.#parts, own)
  }

  /** Takes effect with the next write. 0 turns the check off. */
  setMinFreeBytes(bytes: number): void {
    this.#parts.space.setMinFreeBytes(bytes)
  }

  stats(): FilePieceStoresStats {
    const { files, lanes } = this.#parts
    const hash = this.#hash().path?.path ?? 'node'
    return { ...this.#jobs.stats(), openFiles: files.size, lanesWaiting: lanes.waiting, hash }
  }

  /** Found out once: at the first thread, or when somebody asks for figures. */
  #hash(): ChosenHash {
    if (this.#chosen !== null) return this.#chosen
    const chosen = (this.#chosen = this.#chooseHash())
    if (chosen.missing !== '') this.#log.warn('pieces are hashed by node:crypto', { missing: chosen.missing })
    return chosen
  }

  /**
   * Waits for posted jobs, at most `deadlineMs`, then ends the workers and closes the files. Jobs that are left reject
   * with Aborted. Stores must not be used afterwards.
   */
  async stop(deadlineMs: number): Promise<void> {
    await this.#jobs.drain(deadlineMs)
    await this.#jobs.stop()
    await this.#parts.files.close()
  }
}
