// The jobs of a pool that are admitted and not yet sent, and the callers that wait for admission. Both are bounded.
// Invariant: admitted jobs and bytes stay under the bounds, except that one job alone may be larger than all.

import { AppError } from '../base/errors.ts'
import type { PackedJob } from './contract/batch.ts'
import type { JobName } from './contract/jobs.ts'

/** Jobs admitted by default: sixteen full batches. */
const MAX_JOBS = 1024
/** Bytes of work admitted by default: the arena is smaller, so only rechecks reach it. */
const MAX_BYTES = 64 * 1024 * 1024
/** Callers that may wait; each of them holds memory or is bounded itself, so more is a mistake. */
const MAX_WAITING = 16_384

/** A job between run() and its end. */
export interface QueuedJob {
  readonly name: JobName
  /** Bytes of work. */
  readonly cost: number
  readonly packed: PackedJob
  readonly postedUs: number
  readonly resolve: (reply: unknown) => void
  readonly reject: (error: unknown) => void
}

interface Waiting {
  readonly cost: number
  readonly go: () => void
  readonly giveUp: (error: unknown) => void
}

/** The queue of one pool: admit, push, take, done, in this order for each job. */
export class JobQueue {
  readonly #maxJobs: number
  readonly #maxBytes: number
  #ready: QueuedJob[] = []
  #waiting: Waiting[] = []
  #jobs = 0
  #bytes = 0
  #readyBytes = 0

  constructor(options: { readonly maxJobs?: number | undefined; readonly maxBytes?: number | undefined }) {
    this.#maxJobs = Math.max(1, options.maxJobs ?? MAX_JOBS)
    this.#maxBytes = options.maxBytes ?? MAX_BYTES
  }

  /** Jobs admitted and not done. */
  get jobs(): number {
    return this.#jobs
  }
  /** Their bytes of work. */
  get bytes(): number {
    return this.#bytes
  }
  /** Callers waiting for admission. */
  get waiting(): number {
    return this.#waiting.length
  }
  /** Jobs not sent yet, and their bytes. */
  get ready(): number {
    return this.#ready.length
  }
  get readyBytes(): number {
    return this.#readyBytes
  }

  /** The job that is sent next. */
  get oldest(): QueuedJob | undefined {
    return this.#ready[0]
  }

  /** Resolves when a job of `cost` may be pushed; rejects with PoolBusy when too many wait. */
  async admit(cost: number): Promise<void> {
    if (this.#waiting.length === 0 && this.#fits(cost)) return this.#count(cost)
    if (this.#waiting.length >= MAX_WAITING) throw new AppError('PoolBusy')
    await new Promise<void>((go, giveUp) => this.#waiting.push({ cost, go, giveUp }))
  }

  /** Adds an admitted job. */
  push(job: QueuedJob): void {
    this.#ready.push(job)
    this.#readyBytes += job.cost
  }

  /** Takes the next batch: at least one job, at most `most`, and no more than `bytes` of work unless it is one job. */
  take(most: number, bytes: number): QueuedJob[] {
    let count = 0
    let sum = 0
    for (const job of this.#ready) {
      if (count === most || (count > 0 && sum + job.cost > bytes)) break
      sum += job.cost
      count++
    }
    this.#readyBytes -= sum
    return this.#ready.splice(0, count)
  }

  /** Counts an admitted job as done, and lets waiting callers in. */
  done(cost: number): void {
    this.#jobs--
    this.#bytes -= cost
    for (let first = this.#waiting[0]; first !== undefined && this.#fits(first.cost); first = this.#waiting[0]) {
      this.#waiting.shift()
      this.#count(first.cost)
      first.go()
    }
  }

  /** Rejects all jobs not sent yet and all waiting callers. */
  abort(error: unknown): void {
    const [ready, waiting] = [this.#ready, this.#waiting]
    this.#ready = []
    this.#readyBytes = 0
    this.#waiting = []
    for (const job of ready) {
      this.#jobs--
      this.#bytes -= job.cost
      job.reject(error)
    }
    for (const caller of waiting) caller.giveUp(error)
  }

  #fits(cost: number): boolean {
    return this.#jobs === 0 || (this.#jobs < this.#maxJobs && this.#bytes + cost <= this.#maxBytes)
  }

  #count(cost: number): void {
    this.#jobs++
    this.#bytes += cost
  }
}
