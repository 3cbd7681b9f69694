// A pool of worker threads fed with batches. Jobs posted in one turn of the event loop are packed together and sent
// when a thread can take them; commits for which nobody waits may be held a moment (commit-gathering.ts). Invariants:
// every promise settles, also when a worker dies or the pool stops; what waits is bounded in jobs and bytes, and
// callers beyond that wait their turn.

import type { Piscina } from 'piscina'
import { AppError, errorText } from '../base/errors.ts'
import type { Log } from '../ports/log.ts'
import { BatchMessages } from './batch-messages.ts'
import { type BatchMessage, type JobFailureData, type JobResult, nowUs, type ResultBatch } from './contract/batch.ts'
import { type JobName, jobs, type ReplyOf, type RequestOf } from './contract/jobs.ts'
import { CommitGathering } from './commit-gathering.ts'
import { MAX_BATCH_BYTES, MAX_BATCH_JOBS, MIN_BATCH_BYTES } from './contract/limits.ts'
import { JobQueue, type QueuedJob } from './job-queue.ts'
import { JobTimes, type JobStats } from './job-times.ts'
import { type Backlog, GROW_AFTER_MS, ThreadDemand } from './thread-demand.ts'

/** Batches a thread holds at a time: one at work, one at hand. */
const BATCHES_PER_THREAD = 2
/** A thread without work ends after this long, giving its memory back. */
const IDLE_MS = 30_000
/** This many dead workers within LOSS_WINDOW_US are a bug that must be reported. */
const MAX_LOSSES = 3
const LOSS_WINDOW_US = 60_000_000

/** A job failed; `code` is an errno name, `GONE` or `BUG_IN_JOB`. */
export class JobFailed extends Error {
  readonly data: JobFailureData
  constructor(data: JobFailureData) {
    super(data.text)
    this.name = 'JobFailed'
    this.data = data
  }
}

/** Which workers, how many, and how much may wait for them. */
export interface PoolOptions {
  /** Most threads; they start at first use. */
  readonly threads: number
  /** The worker's file; it exports runBatch. */
  readonly worker: URL
  /** What each thread is started with, asked for when the first one is: with the ring its batches lie in. */
  readonly workerData: (ring: SharedArrayBuffer) => unknown
  /** Jobs admitted at a time; more wait outside. */
  readonly maxJobs?: number
  /** Bytes of commits that may wait for each other and go together; default: none do. */
  readonly gatheredBytes?: number
  /** Bytes of the ring, a multiple of 8; default RING_BYTES. */
  readonly ringBytes?: number
}

/** Figures of the present moment; `jobs` since the start. */
export interface PoolStats {
  readonly threads: number
  readonly waiting: number
  readonly queuedJobs: number
  readonly batchesInFlight: number
  /** Batches whose place in the ring of the present threads is not free. */
  readonly ringEntries: number
  /** Batches that these threads were sent beside the ring. */
  readonly outsideRing: number
  readonly workersLost: number
  readonly jobs: Readonly<Partial<Record<JobName, JobStats>>>
}

/** What a pool works with. */
export interface PoolDeps {
  readonly log: Log
  /** Threads have died again and again. */
  readonly onRepeatedLoss?: () => void
  /** By what it is judged how long commits wait for each other: microseconds; default: the monotonic clock. */
  readonly nowUs?: () => number
}

/** The pool. run() until stop(). */
export class WorkerPool {
  readonly #options: PoolOptions
  readonly #log: Log
  readonly #nowUs: () => number
  readonly #onLosses: () => void
  readonly #queue: JobQueue
  readonly #times = new JobTimes()
  /** Batches at the workers, with the way to end them when piscina forgets them. */
  readonly #inFlight = new Map<readonly QueuedJob[], (error: unknown) => void>()
  readonly #losses: number[] = []
  /** How a piscina is made, once the package is loaded: a node that has done nothing yet does without it. */
  #Piscina: typeof Piscina | null = null
  #loading = false
  #piscina: Piscina<BatchMessage, BatchMessage> | null = null
  /** The ring of the present piscina: another one gets another, which no thread of the last can touch. */
  #messages: BatchMessages | null = null
  #flush: NodeJS.Immediate | null = null
  readonly #demand: ThreadDemand
  #lookAgain: NodeJS.Timeout | null = null
  readonly #gathering: CommitGathering
  #heldUntil: NodeJS.Timeout | null = null
  /** When the last thread was ready. */
  #readyUs = 0
  /** When a thread answered last, or was given something while none had anything. */
  #heardUs = 0
  #stopped = false
  #warm = false
  #drained: () => void = () => undefined

  constructor(options: PoolOptions, deps: PoolDeps) {
    this.#options = options
    this.#nowUs = deps.nowUs ?? nowUs
    this.#log = deps.log
    this.#onLosses = deps.onRepeatedLoss ?? (() => undefined)
    this.#queue = new JobQueue({ maxJobs: options.maxJobs })
    this.#demand = new ThreadDemand(options.threads)
    this.#gathering = new CommitGathering(options.gatheredBytes ?? 0)
  }

  /**
   * Runs a job. Rejects with JobFailed, or with AppError WorkerLost, PoolBusy (too many callers wait already) or
   * Aborted (the pool stopped). Whatever the request names in memory must stay until then.
   */
  async run<Name extends JobName>(name: Name, request: RequestOf<Name>): Promise<ReplyOf<Name>> {
    if (!this.#stopped) await this.#queue.admit()
    // Asked again: the pool may have stopped meanwhile.
    if (this.#stopped) throw new AppError('Aborted', 'The worker pool has stopped.')
    return new Promise<ReplyOf<Name>>((resolve, reject) =>
      this.#push(name, request, false, resolve as (reply: unknown) => void, reject),
    )
  }

  /** A thread is up, and a job is admitted at once: post() may be called, in this turn. */
  get ready(): boolean {
    return this.#warm && !this.#stopped && this.#queue.open
  }

  /**
   * As run() without a promise, when the pool is ready: exactly one of `resolve` and `reject` is called, later.
   * `patient`: nobody waits for it, so that it may wait a moment for others of its kind.
   */
  post<Name extends JobName>(
    name: Name,
    request: RequestOf<Name>,
    patient: boolean,
    resolve: (reply: ReplyOf<Name>) => void,
    reject: (error: unknown) => void,
  ): void {
    if (!this.ready || !this.#queue.admitNow()) throw new Error('the pool takes no job at once')
    if (patient) this.#gathering.came(this.#nowUs())
    this.#push(name, request, patient, resolve as (reply: unknown) => void, reject)
  }

  #push(
    name: JobName,
    request: RequestOf<JobName>,
    patient: boolean,
    resolve: (reply: unknown) => void,
    reject: (error: unknown) => void,
  ): void {
    const entry = jobs[name]
    const cost = (entry.cost as (request: RequestOf<JobName>) => number)(request)
    const packed = { job: entry.number, request }
    this.#queue.push({ name, cost, patient, packed, postedUs: this.#nowUs(), resolve, reject })
    this.#flush ??= setImmediate(this.#sendSoon)
  }

  /** No thread has answered yet, or all have ended: a job would wait until one has started. */
  get cold(): boolean {
    return !this.#warm && !this.#stopped
  }

  /** Starts a thread, unless one is up or starting. */
  warm(): void {
    if (this.cold && this.#inFlight.size === 0 && this.#isLoaded()) this.#send([])
  }

  stats(): PoolStats {
    return {
      threads: this.#piscina?.threads.length ?? 0,
      waiting: this.#queue.waiting,
      queuedJobs: this.#queue.jobs,
      batchesInFlight: this.#inFlight.size,
      ringEntries: this.#messages?.entries ?? 0,
      outsideRing: this.#messages?.outside ?? 0,
      workersLost: this.#losses.length,
      jobs: this.#times.stats(),
    }
  }

  /** Resolves when no job is left, or after `deadlineMs`. */
  async drain(deadlineMs: number): Promise<void> {
    const deadlineUs = nowUs() + deadlineMs * 1000
    while ((this.#queue.jobs > 0 || this.#queue.waiting > 0) && nowUs() < deadlineUs) {
      await new Promise<void>(resolve => {
        const timer = setTimeout(resolve, (deadlineUs - nowUs()) / 1000)
        this.#drained = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }

  /**
   * Ends the pool: running batches are lost, waiting jobs and callers are Aborted. Resolves when every thread has
   * ended.
   */
  async stop(): Promise<void> {
    this.#stopped = true
    if (this.#flush !== null) clearImmediate(this.#flush)
    if (this.#lookAgain !== null) clearTimeout(this.#lookAgain)
    if (this.#heldUntil !== null) clearTimeout(this.#heldUntil)
    this.#flush = null
    const piscina = this.#piscina
    this.#piscina = null
    // Promises of running batches settle only after the threads are gone: until then they may use the slots.
    await piscina?.destroy()
    this.#queue.abort(new AppError('Aborted', 'The worker pool has stopped.'))
    for (const end of [...this.#inFlight.values()]) end(new Error('the pool has stopped'))
  }

  /** Whether threads can be made. If not, what makes them is loaded; then everything that waits is sent. */
  #isLoaded(): boolean {
    if (this.#Piscina !== null) return true
    if (!this.#loading) void this.#load()
    return false
  }

  async #load(): Promise<void> {
    this.#loading = true
    try {
      this.#Piscina = (await import('piscina')).Piscina
      this.#sendBatches()
      this.warm()
    } catch (error) {
      this.#queue.abort(new AppError('WorkerLost', undefined, { cause: error }))
    } finally {
      this.#loading = false
    }
  }

  readonly #sendSoon = (): void => this.#sendBatches()

  #sendBatches(): void {
    this.#flush = null
    const { first, spread } = this.#queue
    if (this.#stopped || first === undefined || !this.#isLoaded() || this.#holds(first)) return
    // Small bursts are shared out over the threads instead of filling one message.
    const shares = spread ? this.#options.threads * BATCHES_PER_THREAD : this.#demand.wanted
    // Who waits for a piece does not wait for sixteen others, nor does a disk that is slow anyway get them in one lump.
    const gathered = this.#queue.patient && this.#gathering.quick ? (this.#options.gatheredBytes ?? 0) : 0
    const bytes = Math.min(
      Math.max(MAX_BATCH_BYTES, gathered),
      Math.max(MIN_BATCH_BYTES, Math.ceil(this.#queue.readyBytes / shares)),
    )
    const most = this.#demand.batches(BATCHES_PER_THREAD)
    // A batch at hand saves a busy thread a wait, but costs a message: only a full one does, or one that waits long.
    const atHand = spread || this.#queue.readyBytes >= MAX_BATCH_BYTES || this.#waitedMs(first) >= GROW_AFTER_MS
    this.#sendUpTo(atHand ? most : this.#demand.batches(1), bytes)
    const next = this.#queue.first
    if (next === undefined) return
    if (this.#inFlight.size >= most && this.#demand.grow(this.#backlog(next, spread))) this.#sendUpTo(most + 1, bytes)
    else this.#lookLater()
  }

  /** Whether what is ready waits for more of its kind; it is looked at again when that has taken long enough. */
  #holds(first: QueuedJob): boolean {
    if (!this.#queue.patient) return false
    const { ready: count, readyBytes: bytes } = this.#queue
    const leftUs = this.#gathering.leftUs({ count, bytes, sinceUs: first.postedUs }, this.#nowUs())
    if (leftUs === 0) return false
    this.#heldUntil ??= setTimeout(
      () => {
        this.#heldUntil = null
        this.#sendBatches()
      },
      Math.ceil(leftUs / 1000),
    )
    return true
  }

  #backlog(next: QueuedJob, spread: boolean): Backlog {
    const silentMs = (nowUs() - Math.max(this.#heardUs, this.#readyUs)) / 1000
    return { waitedMs: this.#waitedMs(next), silentMs, spread }
  }

  #sendUpTo(most: number, bytes: number): void {
    while (this.#inFlight.size < most && this.#queue.ready > 0) this.#send(this.#queue.take(MAX_BATCH_JOBS, bytes))
  }

  /** What came together while a thread started does not count as waiting for one. */
  #waitedMs(job: QueuedJob): number {
    return (nowUs() - Math.max(job.postedUs, this.#readyUs)) / 1000
  }

  /** Jobs wait and nothing may happen for long: a thread can hang in a slow disk. */
  #lookLater(): void {
    this.#lookAgain ??= setTimeout(() => {
      this.#lookAgain = null
      // Not now: what the threads have answered while this thread was busy is read first.
      this.#flush ??= setImmediate(this.#sendSoon)
    }, GROW_AFTER_MS).unref()
  }

  #send(batch: readonly QueuedJob[]): void {
    let ended = false
    let free = (): void => undefined
    const end = (settle: () => void): void => {
      if (ended) return
      ended = true
      this.#inFlight.delete(batch)
      settle()
      free()
      for (let left = batch.length; left > 0; left--) this.#queue.done()
      if (this.#queue.jobs === 0) this.#drained()
      this.#sendBatches()
    }
    const lose = (error: unknown): void => end(() => this.#fail(batch, error))
    if (this.#inFlight.size === 0) this.#heardUs = nowUs()
    this.#inFlight.set(batch, lose)
    try {
      const messages = (this.#messages ??= new BatchMessages(this.#options.ringBytes))
      const piscina = (this.#piscina ??= this.#makePool(messages))
      const message = messages.pack(batch.map(job => job.packed))
      free = () => messages.free(message)
      piscina.run(message).then(
        answer => end(() => this.#settle(batch, () => messages.unpack(answer))),
        // Of a pool that is being taken down the threads may still use the slots: its batches are ended after them.
        error => (this.#piscina === piscina ? lose(error) : undefined),
      )
    } catch (error) {
      lose(error)
    }
  }

  #settle(batch: readonly QueuedJob[], unpack: () => ResultBatch): void {
    this.#warm = true
    this.#heardUs = nowUs()
    try {
      const { startedUs, results } = unpack()
      batch.forEach((job, i) => this.#settleJob(job, startedUs, results[i]))
    } catch (error) {
      this.#fail(batch, error)
    }
  }

  #settleJob(job: QueuedJob, startedUs: number, result: JobResult | undefined): void {
    if (result === undefined) return job.reject(new AppError('WorkerLost', 'A worker left a job without an answer.'))
    this.#times.add(job.name, startedUs - job.postedUs, result.runUs)
    if (result.failure === null) job.resolve(result.reply)
    else job.reject(new JobFailed(result.failure))
  }

  #fail(batch: readonly QueuedJob[], error: unknown): void {
    const lost = this.#stopped
      ? new AppError('Aborted', 'The worker pool has stopped.')
      : new AppError('WorkerLost', undefined, { cause: error })
    for (const job of batch) job.reject(lost)
    if (!this.#stopped) this.#countLoss(error)
  }

  #countLoss(error: unknown): void {
    const now = nowUs()
    this.#log.error('a worker died', { error: errorText(error) })
    while (this.#losses[0] !== undefined && now - this.#losses[0] > LOSS_WINDOW_US) this.#losses.shift()
    this.#losses.push(now)
    if (this.#losses.length === MAX_LOSSES) this.#onLosses()
  }

  #makePool(messages: BatchMessages): Piscina<BatchMessage, BatchMessage> {
    if (this.#Piscina === null) throw new Error('batches are sent only when piscina is loaded')
    const piscina = new this.#Piscina<BatchMessage, BatchMessage>({
      filename: this.#options.worker.href,
      name: 'runBatch',
      workerData: this.#options.workerData(messages.buffer),
      minThreads: 0,
      maxThreads: this.#options.threads,
      idleTimeout: IDLE_MS,
      concurrentTasksPerWorker: BATCHES_PER_THREAD,
      atomics: 'disabled',
      recordTiming: false,
      // Workers need nothing of the environment, which holds the API key.
      env: {},
      resourceLimits: { maxYoungGenerationSizeMb: 8 },
    })
    // Without a listener an error of an idle worker would end the process.
    piscina.on('error', error => this.#abandon(piscina, error))
    const ready = new Set<unknown>()
    piscina.on('workerCreate', thread => this.#threadReady(piscina, ready.add(thread)))
    piscina.on('workerDestroy', thread => {
      ready.delete(thread)
      if (this.#piscina === piscina) this.#demand.went(ready.size)
      setImmediate(() => this.#checkThreads(piscina))
    })
    return piscina
  }

  #threadReady(piscina: Piscina<BatchMessage, BatchMessage>, ready: ReadonlySet<unknown>): void {
    if (this.#piscina !== piscina) return
    this.#demand.came(ready.size)
    this.#readyUs = nowUs()
    // Not now: piscina has yet to give the thread what it was started for.
    this.#flush ??= setImmediate(this.#sendSoon)
  }

  /** Piscina starts no thread for tasks it has queued when its last thread dies while starting: they are ended here. */
  #checkThreads(piscina: Piscina<BatchMessage, BatchMessage>): void {
    if (this.#piscina !== piscina || piscina.threads.length > 0) return
    this.#warm = false
    this.#demand.reset()
    if (this.#inFlight.size > 0) this.#abandon(piscina, new Error('no worker is left'))
  }

  /** Ends all batches in flight and starts afresh with the next job. */
  #abandon(piscina: Piscina<BatchMessage, BatchMessage>, error: unknown): void {
    if (this.#piscina !== piscina || this.#stopped) return
    this.#piscina = null
    this.#messages = null
    this.#warm = false
    this.#demand.reset()
    this.#log.error('the worker pool failed', { error: errorText(error) })
    // The slots of the batches stay locked until no thread is left that could use them.
    const lost = [...this.#inFlight.values()]
    void piscina.destroy().finally(() => {
      for (const lose of lost) lose(error)
    })
  }
}
