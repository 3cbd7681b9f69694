// The main thread's end of a database thread: queues jobs, sends them in batches, settles their promises in order.
// One batch is under way at a time, so that a slow disk makes batches bigger and not the queue of messages longer.
// Jobs of the background have a queue of their own, which goes on only while nothing else waits.
// Invariant: every promise settles, also when the thread dies or close() gives up.

import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { makeDeferred } from '../base/deferred.ts'
import { AppError, type ErrorCode, errorTable } from '../base/errors.ts'
import type { PackedMessage } from './packer.ts'
import type {
  FromDatabase,
  JobAnswer,
  JobFailure,
  JobMessage,
  JobTable,
  ToDatabase,
  UpgradeNote,
} from './thread-messages.ts'

/** What may wait before callers are turned away: far above what a running node has in flight. */
const MAX_WAITING_JOBS = 20_000
const MAX_WAITING_BYTES = 64 * 1024 * 1024
/** One batch is one transaction: bounded so that a read behind it does not wait long. */
const MAX_BATCH_JOBS = 512
const MAX_BATCH_BYTES = 4 * 1024 * 1024
/** Batches of patient jobs alone are sent no closer together: each costs three threads' switches and a transaction. */
const GATHER_MS = 20
/** What a job costs in the queue beside its bytes and texts. */
const JOB_BYTES = 256

/** The thread takes longer to start: a node answers its first request before it reads the packer's code. */
const PACKER_AFTER_MS = 10

interface Waiting {
  readonly job: JobMessage
  readonly bytes: number
  readonly resolve: (reply: unknown) => void
  readonly reject: (error: Error) => void
}

/** States: opening -> open -> closing -> over; any -> over when the thread dies. */
type LinkState = 'opening' | 'open' | 'closing' | 'over'

/** What a database thread is to its link. `J` names its jobs. */
export interface LinkKind<J> {
  /** As a part of a sentence: `records`. */
  readonly what: string
  /** Jobs that no client waits for: those that come close together share a transaction. */
  readonly patient: ReadonlySet<keyof J>
  /** Jobs that wait while others do; absent: none. Among each other they keep their order. */
  readonly background?: ReadonlySet<keyof J>
  /** Bytes of arguments in a batch of the background; absent: as of any batch. */
  readonly backgroundBytes?: number
}

/** Callbacks about a thread. */
export interface LinkEars {
  /** Called at most once, when the thread dies or finds the file damaged after it had opened. */
  readonly onFatal: (error: AppError) => void
  /** Called while the file is brought up to date, before it is open. */
  readonly onUpgrade?: ((note: UpgradeNote) => void) | undefined
  /** Called for what jobs made happen, after their promises are settled. */
  readonly onNotice?: (notice: unknown) => void
}

/** One database thread with the jobs of `J`, which answers with `Facts` when it is open. */
export class DatabaseLink<J extends JobTable<J>, Facts> {
  readonly #worker: Worker
  readonly #kind: LinkKind<J>
  readonly #ears: LinkEars
  readonly #opened = makeDeferred<Facts>()
  readonly #exited = makeDeferred<boolean>()
  /** Null until it is loaded; nothing is sent or read before. */
  #packer: typeof import('./packer.ts') | null = null
  readonly #packerLoaded: Promise<void>
  #state: LinkState = 'opening'
  #queue: Waiting[] = []
  #background: Waiting[] = []
  #queueBytes = 0
  #underWay: Waiting[] = []
  #scheduled = false
  /** The job that join() asked for last, and its end. */
  #joined: { readonly waiting: Waiting; readonly reply: Promise<unknown> } | null = null
  /** Waits until patient jobs may go. */
  #gathering: NodeJS.Timeout | null = null
  /** Something in the queue is not patient. */
  #hurry = false
  #sentMs = Number.NEGATIVE_INFINITY
  #clean = false
  #closeSent = false
  /** Why jobs are refused once the state is `over`. */
  #endError: AppError
  #fatalTold = false

  /** Starts the thread at once. `workerData` is what it is given. */
  constructor(workerUrl: URL, workerData: unknown, kind: LinkKind<J>, ears: LinkEars) {
    this.#kind = kind
    this.#ears = ears
    this.#endError = new AppError('Aborted', `The ${kind.what} are closed.`)
    this.#worker = new Worker(workerUrl, { workerData })
    this.#packerLoaded = this.#loadPacker()
    this.#worker.on('message', (packed: PackedMessage) => this.#whenLoaded(() => this.#handlePacked(packed)))
    this.#worker.on('error', error => this.#whenLoaded(() => this.#handleLoss(error)))
    this.#worker.on('exit', () => this.#whenLoaded(() => this.#handleExit()))
  }

  async #loadPacker(): Promise<void> {
    await delay(PACKER_AFTER_MS)
    this.#packer = await import('./packer.ts')
  }

  /** What the thread says is handled in its order, also what it says before the packer is there. */
  #whenLoaded(handle: () => void): void {
    if (this.#packer === null) void this.#packerLoaded.then(handle)
    else handle()
  }

  #handlePacked(packed: PackedMessage): void {
    const message = this.#packer?.unpackMessage(packed)
    this.#handleMessage(message as FromDatabase<Facts>)
  }

  /** Settles when the file is open. Rejects with AppError StateUnreadable, DiskFull, DiskError or WorkerLost. */
  opened(): Promise<Facts> {
    return this.#opened.promise
  }

  /** Jobs that are not answered yet. */
  get waiting(): number {
    return this.#queue.length + this.#background.length + this.#underWay.length
  }

  /**
   * Runs one job after all those asked for before it; settles when its batch is committed. Errors: see
   * ports/records.ts.
   */
  run<N extends keyof J & string>(name: N, ...args: J[N]['args']): Promise<J[N]['reply']> {
    if (this.#state === 'closing') {
      return Promise.reject(new AppError('Aborted', `The ${this.#kind.what} are being closed.`))
    }
    if (this.#state === 'over') return Promise.reject(this.#endError)
    const bytes = sizeOf(args)
    const queue = this.#kind.background?.has(name) === true ? this.#background : this.#queue
    if (queue.length >= MAX_WAITING_JOBS || this.#queueBytes + bytes > MAX_WAITING_BYTES) {
      return Promise.reject(new AppError('PoolBusy', 'Too much is waiting for the database.'))
    }
    return new Promise((resolve, reject) => {
      queue.push({ job: { name, args }, bytes, resolve, reject })
      this.#queueBytes += bytes
      this.#hurry ||= !this.#kind.patient.has(name) || queue.length >= MAX_BATCH_JOBS
      this.#schedule()
    })
  }

  /**
   * As run(), unless the job asked for last waits still, has the same name and takes these arguments up: `into` changes
   * its arguments and answers true. Then both are one job, and settle together.
   */
  join<N extends keyof J & string>(
    name: N,
    into: (args: J[N]['args']) => boolean,
    ...args: J[N]['args']
  ): Promise<J[N]['reply']> {
    const last = this.#queue.at(-1)
    const joined = this.#joined
    const runs = this.#state === 'opening' || this.#state === 'open'
    if (runs && joined !== null && joined.waiting === last && last.job.name === name && into(last.job.args)) {
      return joined.reply
    }
    const reply = this.run(name, ...args)
    const waiting = this.#queue.at(-1)
    this.#joined = waiting === undefined || waiting === last ? null : { waiting, reply }
    return reply
  }

  /** What waits is not gathered any longer: it goes with the next batch, which is sent as soon as none is under way. */
  hasten(): void {
    this.#hurry = this.#waits
    if (this.#hurry) this.#schedule()
  }

  /**
   * Takes no more jobs, finishes those that wait, and closes the file. After `deadlineMs` the thread is stopped as it
   * is and what waits rejects with Aborted. Answers true for an orderly end.
   */
  async close(deadlineMs: number): Promise<boolean> {
    if (this.#state === 'over') return this.#clean
    this.#state = this.#state === 'opening' || this.#state === 'open' ? 'closing' : this.#state
    this.#whenLoaded(() => this.#sendNext())
    const timer = setTimeout(() => void this.#worker.terminate(), deadlineMs)
    const clean = await this.#exited.promise
    clearTimeout(timer)
    return clean
  }

  /**
   * All jobs of this turn of the event loop go into one batch; the first patient one at once, those after it gathered.
   */
  #schedule(): void {
    if (this.#scheduled || this.#underWay.length > 0 || this.#state === 'opening') return
    const restMs = this.#hurry ? 0 : this.#sentMs + GATHER_MS - performance.now()
    if (restMs > 0) {
      this.#gathering ??= setTimeout(() => this.#sendNext(), restMs)
      return
    }
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      this.#sendNext()
    })
  }

  #sendNext(): void {
    if (this.#gathering !== null) clearTimeout(this.#gathering)
    this.#gathering = null
    if (this.#packer === null || this.#underWay.length > 0) return
    if (this.#state === 'opening' || this.#state === 'over') return
    if (!this.#waits) {
      if (this.#state === 'closing' && !this.#closeSent) {
        this.#closeSent = true
        this.#send({ kind: 'close' })
      }
      return
    }
    this.#underWay = this.#takeBatch()
    this.#hurry = this.#waits
    this.#sentMs = performance.now()
    for (const waiting of this.#underWay) this.#queueBytes -= waiting.bytes
    this.#joined = null
    this.#send({ kind: 'batch', jobs: this.#underWay.map(waiting => waiting.job) })
  }

  get #waits(): boolean {
    return this.#queue.length > 0 || this.#background.length > 0
  }

  #takeBatch(): Waiting[] {
    const queue = this.#queue.length > 0 ? this.#queue : this.#background
    const most = queue === this.#queue ? MAX_BATCH_BYTES : (this.#kind.backgroundBytes ?? MAX_BATCH_BYTES)
    let count = 0
    let bytes = 0
    while (count < queue.length && count < MAX_BATCH_JOBS) {
      bytes += queue[count]?.bytes ?? 0
      if (count > 0 && bytes > most) break
      count++
    }
    return queue.splice(0, count)
  }

  /** A start is over: the thread lets go of what only much work needs, by the `machineCode` of src/native. */
  rest(machineCode: string): void {
    if (this.#state === 'open') this.#send({ kind: 'rest', machineCode })
  }

  /** Only while the file is open: the packer is there. */
  #send(message: ToDatabase): void {
    if (this.#packer === null) throw new Error('the database thread is not open')
    const packed = this.#packer.packMessage(message)
    this.#worker.postMessage(packed, this.#packer.transferred(packed))
  }

  #handleMessage(message: FromDatabase<Facts>): void {
    switch (message.kind) {
      case 'upgrade':
        this.#ears.onUpgrade?.(message.note)
        return
      case 'open':
        if (this.#state === 'opening') this.#state = 'open'
        this.#opened.resolve(message.facts)
        this.#sendNext()
        return
      case 'failed':
        this.#state = 'over'
        this.#opened.reject(errorOf(message))
        return
      case 'answers':
        this.#handleAnswers(message.answers)
        for (const notice of message.notices ?? []) this.#ears.onNotice?.(notice)
        return
      case 'closed':
        this.#clean = true
    }
  }

  #handleAnswers(answers: readonly JobAnswer[]): void {
    const settled = this.#underWay
    this.#underWay = []
    // Closing has nothing to gather for.
    if (this.#hurry || this.#state === 'closing') this.#sendNext()
    else if (this.#waits) this.#schedule()
    for (const [index, waiting] of settled.entries()) {
      const answer = answers[index]
      if (answer?.ok === true) waiting.resolve(answer.reply)
      else this.#fail(waiting, answer)
    }
  }

  #fail(waiting: Waiting, failure: JobFailure | undefined): void {
    const error = failure === undefined ? new Error('The database gave no answer.') : errorOf(failure)
    waiting.reject(error)
    // A damaged file does not heal: better to stop than to promise what cannot be kept.
    if (error instanceof AppError && error.code === 'StateUnreadable') this.#tellFatal(error)
  }

  #handleLoss(cause: unknown): void {
    const wasOpen = this.#state === 'open'
    this.#state = 'over'
    this.#endError = new AppError('WorkerLost', 'The database thread died.', { cause })
    this.#opened.reject(this.#endError)
    this.#rejectAll(this.#endError)
    if (wasOpen) this.#tellFatal(this.#endError)
  }

  #handleExit(): void {
    if (this.#gathering !== null) clearTimeout(this.#gathering)
    if (this.#state === 'open' || this.#state === 'opening') this.#handleLoss(undefined)
    this.#state = 'over'
    const aborted = new AppError('Aborted', `The ${this.#kind.what} were closed before this was written.`)
    this.#opened.reject(aborted)
    this.#rejectAll(aborted)
    this.#exited.resolve(this.#clean)
  }

  #tellFatal(error: AppError): void {
    if (this.#fatalTold) return
    this.#fatalTold = true
    this.#ears.onFatal(error)
  }

  #rejectAll(error: Error): void {
    const dropped = [...this.#underWay, ...this.#queue, ...this.#background]
    this.#underWay = []
    this.#queue = []
    this.#background = []
    this.#queueBytes = 0
    for (const waiting of dropped) waiting.reject(error)
  }
}

function errorOf(failure: { readonly code: string; readonly text: string }): Error {
  const { code, text } = failure
  return Object.hasOwn(errorTable, code) ? new AppError(code as ErrorCode, text) : new Error(text)
}

/** Bytes of the texts and byte arrays among the arguments, one level deep: enough to bound the queue. */
function sizeOf(args: readonly unknown[]): number {
  let bytes = JOB_BYTES
  for (const arg of args) {
    bytes += flatSize(arg)
    if (typeof arg === 'object' && arg !== null && !ArrayBuffer.isView(arg)) {
      for (const member of Object.values(arg)) bytes += flatSize(member)
    }
  }
  return bytes
}

function flatSize(value: unknown): number {
  if (typeof value === 'string') return value.length * 2
  if (ArrayBuffer.isView(value)) return value.byteLength
  return Array.isArray(value) ? value.length * 32 : 8
}
