// The jobs of a pool that are admitted and not yet sent, and the callers that wait for admission. Both are bounded in
// number: a job holds no bytes. Invariant: jobs that are spread (checks of files, for which no user waits) are sent
// after all others, and in no batch with them.

import { AppError } from '../base/errors.ts'
import type { PackedJob } from './contract/batch.ts'
import { type JobName, jobs } from './contract/jobs.ts'

/** Jobs admitted by default: sixteen full batches. */
const MAX_JOBS = 1024
/** Callers that may wait; each of them holds memory or is bounded itself, so more is a mistake. */
const MAX_WAITING = 16_384

/** A job between run() and its end. */
export interface QueuedJob {
  readonly name: JobName
  /** Bytes of work. */
  readonly cost: number
  /** It may wait for others of its kind; see CommitGathering. */
  readonly patient: boolean
  readonly packed: PackedJob
  readonly postedUs: number
  readonly resolve: (reply: unknown) => void
  readonly reject: (error: unknown) => void
}

interface Waiting {
  readonly go: () => void
  readonly giveUp: (error: unknown) => void
}

/** The queue of one pool: admit, push, take, done, in this order for each job. */
export class JobQueue {
  readonly #maxJobs: number
  #ready: QueuedJob[] = []
  /** Ready, and spread. */
  #spread: QueuedJob[] = []
  #waiting: Waiting[] = []
  #jobs = 0
  #readyBytes = 0
  /** Ready, and patient. */
  #patient = 0

  constructor(options: { readonly maxJobs?: number | undefined }) {
    this.#maxJobs = Math.max(1, options.maxJobs ?? MAX_JOBS)
  }

  /** Jobs admitted and not done. */
  get jobs(): number {
    return this.#jobs
  }
  /** Callers waiting for admission. */
  get waiting(): number {
    return this.#waiting.length
  }
  /** Jobs not sent yet, and their bytes. */
  get ready(): number {
    return this.#ready.length + this.#spread.length
  }
  get readyBytes(): number {
    return this.#readyBytes
  }

  /** Whether all of those not sent yet may wait for others. */
  get patient(): boolean {
    return this.#patient === this.ready
  }

  /** The job that is sent next. */
  get first(): QueuedJob | undefined {
    return this.#ready[0] ?? this.#spread[0]
  }

  /** Whether one of those not sent yet is spread. */
  get spread(): boolean {
    return this.#spread.length > 0
  }

  /** True when a job may be pushed at once; false: nobody may before those that wait. */
  admitNow(): boolean {
    if (!this.open) return false
    this.#jobs++
    return true
  }

  /** Whether admitNow() would say true. */
  get open(): boolean {
    return this.#waiting.length === 0 && this.#fits
  }

  /** Resolves when a job may be pushed; rejects with PoolBusy when too many wait. */
  async admit(): Promise<void> {
    if (this.admitNow()) return
    if (this.#waiting.length >= MAX_WAITING) throw new AppError('PoolBusy')
    await new Promise<void>((go, giveUp) => this.#waiting.push({ go, giveUp }))
  }

  /** Adds an admitted job. */
  push(job: QueuedJob): void {
    const queue = jobs[job.name].spread ? this.#spread : this.#ready
    queue.push(job)
    this.#readyBytes += job.cost
    if (job.patient) this.#patient++
  }

  /** Takes the next batch: at least one job, at most `most`, and no more than `bytes` of work unless it is one job. */
  take(most: number, bytes: number): QueuedJob[] {
    const queue = this.#ready.length > 0 ? this.#ready : this.#spread
    let count = 0
    let sum = 0
    for (const job of queue) {
      if (count === most || (count > 0 && sum + job.cost > bytes)) break
      sum += job.cost
      count++
    }
    this.#readyBytes -= sum
    const taken = queue.splice(0, count)
    for (const job of taken) if (job.patient) this.#patient--
    return taken
  }

  /** Counts an admitted job as done, and lets waiting callers in. */
  done(): void {
    this.#jobs--
    while (this.#fits) {
      const first = this.#waiting.shift()
      if (first === undefined) return
      this.#jobs++
      first.go()
    }
  }

  /** Rejects all jobs not sent yet and all waiting callers. */
  abort(error: unknown): void {
    const ready = [...this.#ready, ...this.#spread]
    const waiting = this.#waiting
    this.#ready = []
    this.#spread = []
    this.#readyBytes = 0
    this.#patient = 0
    this.#waiting = []
    for (const job of ready) {
      this.#jobs--
      job.reject(error)
    }
    for (const caller of waiting) caller.giveUp(error)
  }

  get #fits(): boolean {
    return this.#jobs < this.#maxJobs
  }
}
