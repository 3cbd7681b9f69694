// Jobs on files, kept apart by volume: a thread that is stuck in a volume that does not answer holds up no piece of
// another. The volume of the state directory has the threads of the settings; each other one has at most two of its
// own, started by its first jobs and ended when idle. Invariants: at most MAX_POOLS pools beside that one; volumes
// beyond that share the last of them; what is done without a thread has the turn of its own volume.

import type { VolumeLanes } from '../io/files/volume-lanes.ts'
import type { Volume } from '../io/files/volume.ts'
import type { Log } from '../ports/log.ts'
import type { JobName, ReplyOf, RequestOf } from './contract/jobs.ts'
import { FirstJobs } from './first-jobs.ts'
import { addTimes } from './job-times.ts'
import { type PoolOptions, type PoolStats, WorkerPool } from './pool.ts'

/** Pools at most, beside that of the state directory. */
const MAX_POOLS = 8
/** Threads at most of a volume that is not that of the state directory: so many may be stuck in it. */
const VOLUME_THREADS = 2

/** What the pools share. */
export interface VolumeJobsDeps {
  readonly lanes: VolumeLanes
  readonly arenas: readonly SharedArrayBuffer[]
  readonly log: Log
  readonly onRepeatedLoss?: () => void
}

/** The threads of the volume of the state directory, and whether jobs are done without any. */
export interface VolumeJobsOptions extends PoolOptions {
  /** No job is done without a thread, for tests of threads. */
  readonly threadsOnly: boolean
}

/** The jobs of one volume. */
interface Jobs {
  readonly pool: WorkerPool
  readonly first: FirstJobs
}

/**
 * Jobs on files, kept apart by volume: a thread that is stuck in a volume that does not answer holds up no piece of
 * another.
 */
export class VolumeJobs {
  readonly #options: VolumeJobsOptions
  readonly #deps: VolumeJobsDeps
  /** Of volumes that are not that of the state directory. */
  readonly #pools: WorkerPool[] = []
  readonly #byVolume = new Map<Volume, Jobs>()
  #own: Jobs | null = null

  constructor(options: VolumeJobsOptions, deps: VolumeJobsDeps) {
    this.#options = options
    this.#deps = deps
  }

  /** Runs a job on files below `path`. Rejects like WorkerPool.run. */
  run<Name extends JobName>(path: string, name: Name, request: RequestOf<Name>): Promise<ReplyOf<Name>> {
    const { pool, first } = this.#of(path)
    const job = (this.#options.threadsOnly ? pool : first).run(name, request)
    return this.#deps.lanes.watchJob(path, job)
  }

  /** Whether post() may be called for files below `path`, in this turn. */
  isReady(path: string): boolean {
    return this.#of(path).pool.ready
  }

  /** As run() without a promise, when isReady(): exactly one of `resolve` and `reject` is called, later. */
  post<Name extends JobName>(
    path: string,
    name: Name,
    request: RequestOf<Name>,
    patient: boolean,
    resolve: (reply: ReplyOf<Name>) => void,
    reject: (error: unknown) => void,
  ): void {
    const { pool } = this.#of(path)
    const end = this.#deps.lanes.beginJob(path)
    pool.post(
      name,
      request,
      patient,
      reply => {
        end()
        resolve(reply)
      },
      error => {
        end()
        reject(error)
      },
    )
  }

  /** Figures of all pools together. */
  stats(): PoolStats {
    const none: PoolStats = {
      threads: 0,
      waiting: 0,
      queuedJobs: 0,
      batchesInFlight: 0,
      ringEntries: 0,
      outsideRing: 0,
      workersLost: 0,
      jobs: {},
    }
    return this.#allPools()
      .map(pool => pool.stats())
      .reduce(sumOf, none)
  }

  /** Resolves when no job is left, or after `deadlineMs`. */
  async drain(deadlineMs: number): Promise<void> {
    const jobs = [...this.#byVolume.values(), ...(this.#own === null ? [] : [this.#own])]
    const pools = this.#allPools().map(pool => pool.drain(deadlineMs))
    await Promise.all([...pools, ...jobs.map(({ first }) => within(deadlineMs, first.idle()))])
  }

  /** Ends the threads; see WorkerPool.stop. */
  async stop(): Promise<void> {
    await Promise.all(this.#allPools().map(pool => pool.stop()))
  }

  #of(path: string): Jobs {
    const volume = this.#deps.lanes.volumeOf(path)
    // Whichever paths there are: the node's own volume is one.
    if (volume.own) return (this.#own ??= this.#jobs(path, this.#pool(this.#options.threads)))
    const known = this.#byVolume.get(volume)
    if (known !== undefined) return known
    const jobs = this.#jobs(path, this.#volumePool())
    this.#byVolume.set(volume, jobs)
    return jobs
  }

  /** For one more volume. */
  #volumePool(): WorkerPool {
    const last = this.#pools.at(-1)
    if (last !== undefined && this.#pools.length >= MAX_POOLS) return last
    // Half of what may be on its way to such a volume (VolumeLanes.storeVolume): the other half is being written.
    const gatheredBytes = (this.#options.gatheredBytes ?? 0) / 2
    const pool = this.#pool(Math.min(VOLUME_THREADS, this.#options.threads), gatheredBytes)
    this.#pools.push(pool)
    return pool
  }

  #pool(threads: number, gatheredBytes = this.#options.gatheredBytes ?? 0): WorkerPool {
    const { log, onRepeatedLoss } = this.#deps
    return new WorkerPool(
      { ...this.#options, threads, gatheredBytes },
      { log, ...(onRepeatedLoss === undefined ? {} : { onRepeatedLoss }) },
    )
  }

  #jobs(path: string, pool: WorkerPool): Jobs {
    const { lanes, arenas } = this.#deps
    return { pool, first: new FirstJobs({ pool, arenas, turn: call => lanes.run(path, call) }) }
  }

  #allPools(): WorkerPool[] {
    return [...this.#pools, ...(this.#own === null ? [] : [this.#own.pool])]
  }
}

function sumOf(a: PoolStats, b: PoolStats): PoolStats {
  return {
    threads: a.threads + b.threads,
    waiting: a.waiting + b.waiting,
    queuedJobs: a.queuedJobs + b.queuedJobs,
    batchesInFlight: a.batchesInFlight + b.batchesInFlight,
    ringEntries: a.ringEntries + b.ringEntries,
    outsideRing: a.outsideRing + b.outsideRing,
    workersLost: a.workersLost + b.workersLost,
    jobs: addTimes(a.jobs, b.jobs),
  }
}

/** Waits for `work`, at most `ms`. */
async function within(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>(resolve => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work, late])
  clearTimeout(timer)
}
