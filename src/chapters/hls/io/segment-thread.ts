// A thread that makes segments, as the node has it: started with its first segment, ended when there is nothing to do
// for a while, and ended at once when a film takes it too much time or memory, or does not let go of it when nobody
// waits any more. Films are made by strangers: what one does to its reader, it does there.
// States: none -> idle <-> making; making -> none when the thread is ended or died.

import { Worker } from 'node:worker_threads'
import { AppError } from '../../../base/errors.ts'
import { workerUrl } from '../../../io/worker-url.ts'
import type { Clock, Timer } from '../../../ports/clock.ts'
import { ReadingTime } from '../../media/io/reading-time.ts'
import type { ReadableFilm } from '../../media/ports/film-reader.ts'
import {
  type MediaThreadData,
  type RangeWanted,
  SHARED_HEAD_BYTES,
  SHARED_READ_BYTES,
  STATE,
  WORD,
} from '../../media/probe/thread-messages.ts'
import {
  type FromSegmentThread,
  GIVEN_UP_WORD,
  type SegmentJob,
  type SegmentOutcome,
} from '../convert/thread-messages.ts'
import type { SegmentMaker } from '../ports/segment-maker.ts'

/** How long the thread may work on one segment by the processor's clock, without its waits for bytes. */
const LIMIT_MS = 3000
/** Of the thread's heap; bytes lie outside of it, and are bounded where they are gathered, read and converted. */
const MEMORY_MIB = 64
/** A thread without work takes some 10 MB. */
const IDLE_MS = 60_000
/** How long it may take to let go of a segment for which nobody waits any more. */
const LET_GO_MS = 50

/** Where the thread's code lies, and what it may take. */
export interface SegmentThreadOptions {
  readonly clock: Clock
  readonly worker?: URL
  readonly limitMs?: number
  readonly memoryMib?: number
  readonly idleMs?: number
}

interface Thread {
  readonly worker: Worker
  readonly words: Int32Array
  readonly bytes: Uint8Array
}

interface Making {
  readonly film: ReadableFilm
  readonly settle: (outcome: SegmentOutcome) => void
  readonly reject: (error: unknown) => void
  readonly time: ReadingTime
  /** Ends the watch over whoever waits. */
  readonly leave: () => void
  /** Why bytes could not be read; null = all could. */
  failure: unknown
}

/** The thread, and the segment that it makes. */
export class SegmentThread implements SegmentMaker {
  readonly #options: Required<SegmentThreadOptions>
  #thread: Thread | null = null
  #making: Making | null = null
  #timer: Timer | null = null
  #stopped = false

  constructor({ clock, worker, limitMs = LIMIT_MS, memoryMib = MEMORY_MIB, idleMs = IDLE_MS }: SegmentThreadOptions) {
    this.#options = { clock, worker: worker ?? workerUrl('hls'), limitMs, memoryMib, idleMs }
  }

  /** There is a thread now. */
  get running(): boolean {
    return this.#thread !== null
  }

  make(job: SegmentJob, film: ReadableFilm, signal: AbortSignal): Promise<SegmentOutcome> {
    if (this.#stopped || signal.aborted) return Promise.reject(new AppError('Aborted'))
    if (this.#making !== null) return Promise.reject(new Error('a segment is being made already'))
    this.#timer?.cancel()
    const thread = (this.#thread ??= this.#start())
    Atomics.store(thread.words, GIVEN_UP_WORD, 0)
    const { clock, limitMs } = this.#options
    return new Promise((settle, reject) => {
      const time = new ReadingTime(clock, limitMs, () => this.#late())
      const giveUp = (): void => this.#giveUp(thread)
      const leave = (): void => signal.removeEventListener('abort', giveUp)
      signal.addEventListener('abort', giveUp, { once: true })
      this.#making = { film, settle, reject, time, leave, failure: null }
      // It keeps the process as long as it works.
      thread.worker.ref()
      thread.worker.postMessage(job, [])
    })
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#timer?.cancel()
    this.#takeMaking()?.reject(new AppError('Aborted'))
    await this.#end()
  }

  #start(): Thread {
    const { worker: url, memoryMib } = this.#options
    const shared = new SharedArrayBuffer(SHARED_HEAD_BYTES + SHARED_READ_BYTES)
    const workerData: MediaThreadData = { shared }
    const worker = new Worker(url, {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: memoryMib, maxYoungGenerationSizeMb: 8 },
      stdout: true,
      stderr: true,
    })
    // What is said there is nobody's business, and must not pile up.
    worker.stdout.resume()
    worker.stderr.resume()
    const thread: Thread = {
      worker,
      words: new Int32Array(shared, 0, SHARED_HEAD_BYTES / 4),
      bytes: new Uint8Array(shared, SHARED_HEAD_BYTES, SHARED_READ_BYTES),
    }
    worker.on('message', (message: FromSegmentThread) => {
      if (thread !== this.#thread) return
      if (message.kind === 'begun') this.#making?.time.begin(message.task)
      else if (message.kind === 'wanted') void this.#give(thread, message)
      else this.#done(message.outcome)
    })
    worker.on('error', error => {
      const code = 'code' in error ? error.code : ''
      this.#died(thread, code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'it takes too much memory' : 'its reader failed')
    })
    worker.on('exit', () => this.#died(thread, 'its reader ended'))
    return thread
  }

  /** Puts a range into the shared memory. The thread's time stands still meanwhile. */
  async #give({ words, bytes }: Thread, { start, length }: RangeWanted): Promise<void> {
    const making = this.#making
    if (making === null) return
    making.time.pause()
    const count = await making.film.read(start, Math.min(length, bytes.length), bytes).catch((error: unknown) => {
      making.failure = error
      return -1
    })
    if (this.#making !== making) return
    making.time.run()
    Atomics.store(words, WORD.count, Math.max(0, count))
    Atomics.store(words, WORD.state, count > 0 ? STATE.there : count === 0 ? STATE.notHere : STATE.failed)
    Atomics.notify(words, WORD.state)
  }

  /** Nobody waits any more: a word says so to the thread, which is ended when it does not hear. */
  #giveUp(thread: Thread): void {
    if (this.#making === null || thread !== this.#thread) return
    Atomics.store(thread.words, GIVEN_UP_WORD, 1)
    this.#timer = this.#options.clock.after(LET_GO_MS, () => {
      void this.#end()
      this.#takeMaking()?.reject(new AppError('Aborted'))
    })
  }

  #done(outcome: SegmentOutcome): void {
    const making = this.#takeMaking()
    this.#thread?.worker.unref()
    this.#timer?.cancel()
    this.#timer = this.#options.clock.after(this.#options.idleMs, () => void this.#end())
    if (outcome.kind === 'failed') making?.reject(making.failure ?? new AppError('DiskError'))
    else if (outcome.kind === 'given-up') making?.reject(new AppError('Aborted'))
    else making?.settle(outcome)
  }

  /** The thread is gone by itself. */
  #died(thread: Thread, why: string): void {
    if (thread !== this.#thread) return
    this.#thread = null
    this.#timer?.cancel()
    this.#takeMaking()?.settle({ kind: 'unreadable', why })
  }

  #late(): void {
    void this.#end()
    this.#takeMaking()?.settle({ kind: 'unreadable', why: 'it takes too long' })
  }

  #takeMaking(): Making | null {
    const making = this.#making
    this.#making = null
    making?.time.pause()
    making?.leave()
    return making
  }

  async #end(): Promise<void> {
    const thread = this.#thread
    this.#thread = null
    this.#timer?.cancel()
    await thread?.worker.terminate()
  }
}
