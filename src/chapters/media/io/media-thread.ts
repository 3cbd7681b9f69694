// The thread that reads films, as the node has it: started with the first film, ended when there is nothing to do for a
// while, and ended at once when a film takes it too much time or memory. Films are made by strangers: what one does to
// its reader, it does there.
// States: none -> idle <-> reading; reading -> none when the thread is ended or died.

import { Worker } from 'node:worker_threads'
import { AppError, errorText } from '../../../base/errors.ts'
import { workerUrl } from '../../../io/worker-url.ts'
import type { Clock, Timer } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { FilmReader, ReadableFilm, ReadOutcome } from '../ports/film-reader.ts'
import {
  type FilmDone,
  type FilmJob,
  type FromMediaThread,
  type MediaThreadData,
  type RangeWanted,
  SHARED_HEAD_BYTES,
  SHARED_READ_BYTES,
  STATE,
  WORD,
} from '../probe/thread-messages.ts'
import { ReadingTime } from './reading-time.ts'

/** How long the thread may work on one film by the processor's clock, without its waits for bytes. */
const LIMIT_MS = 3000
/** How long the bytes of one film may take in all; each read of it has an end of its own. */
const WAIT_MS = 20_000
/** Of the thread's heap: an index of 32 MiB lies outside of it, and its tables take up to 2 MiB. */
const MEMORY_MIB = 64
/** A thread without work takes some 10 MB. */
const IDLE_MS = 60_000

/** Where the thread's code lies, and what it may take. */
export interface MediaThreadOptions {
  readonly clock: Clock
  readonly log: Log
  readonly worker?: URL
  readonly limitMs?: number
  readonly waitMs?: number
  readonly memoryMib?: number
  readonly idleMs?: number
}

interface Thread {
  readonly worker: Worker
  readonly words: Int32Array
  readonly bytes: Uint8Array
}

interface Reading {
  readonly film: ReadableFilm
  readonly settle: (outcome: ReadOutcome) => void
  readonly reject: (error: unknown) => void
  readonly time: ReadingTime
  /** How long its bytes took up to now, ms. */
  waitedMs: number
  /** Why bytes could not be read; null = all could. */
  failure: unknown
}

/** The thread, and the film that it reads. */
export class MediaThread implements FilmReader {
  readonly #options: Required<MediaThreadOptions>
  #thread: Thread | null = null
  #reading: Reading | null = null
  #idle: Timer | null = null
  #stopped = false

  constructor(options: MediaThreadOptions) {
    const { worker = workerUrl('media'), limitMs = LIMIT_MS, waitMs = WAIT_MS } = options
    const { clock, log, memoryMib = MEMORY_MIB, idleMs = IDLE_MS } = options
    this.#options = { clock, log, worker, limitMs, waitMs, memoryMib, idleMs }
  }

  /** There is a thread now. */
  get running(): boolean {
    return this.#thread !== null
  }

  read(film: ReadableFilm): Promise<ReadOutcome> {
    if (this.#stopped) return Promise.reject(new AppError('Aborted'))
    if (this.#reading !== null) return Promise.reject(new Error('a film is being read already'))
    this.#idle?.cancel()
    const thread = (this.#thread ??= this.#start())
    const { clock, limitMs } = this.#options
    return new Promise((settle, reject) => {
      const time = new ReadingTime(clock, limitMs, () => this.#late())
      this.#reading = { film, settle, reject, time, waitedMs: 0, failure: null }
      // It keeps the process as long as it reads.
      thread.worker.ref()
      const job: FilmJob = { size: film.size }
      thread.worker.postMessage(job, [])
    })
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#idle?.cancel()
    const reading = this.#takeReading()
    reading?.reject(new AppError('Aborted'))
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
    worker.on('message', (message: FromMediaThread) => {
      if (thread !== this.#thread) return
      if (message.kind === 'begun') this.#reading?.time.begin(message.task)
      else if (message.kind === 'wanted') void this.#give(thread, message)
      else this.#done(message)
    })
    worker.on('error', error => this.#died(thread, error))
    worker.on('exit', code => this.#died(thread, new Error(`it ended with code ${code}`)))
    return thread
  }

  /** Puts a range into the shared memory. The thread's time stands still meanwhile. */
  async #give({ words, bytes }: Thread, { start, length }: RangeWanted): Promise<void> {
    const reading = this.#reading
    // A film that is over has nothing to wait for.
    let count = -1
    if (reading !== null) {
      reading.time.pause()
      count = await this.#read(reading, start, bytes.subarray(0, length))
      if (this.#reading !== reading) return
      reading.time.run()
    }
    Atomics.store(words, WORD.count, Math.max(0, count))
    Atomics.store(words, WORD.state, count > 0 ? STATE.there : count === 0 ? STATE.notHere : STATE.failed)
    Atomics.notify(words, WORD.state)
  }

  /** How many bytes, 0 = they are not there, -1 = they cannot be read. A slow disk must not hold up other films. */
  async #read(reading: Reading, start: number, into: Uint8Array): Promise<number> {
    const { clock, waitMs } = this.#options
    if (reading.waitedMs >= waitMs) {
      reading.failure = new AppError('VolumeStalled', 'The disk takes too long to read what is known of the film.')
      return -1
    }
    const since = clock.now()
    try {
      return await reading.film.read(start, into.length, into)
    } catch (error) {
      reading.failure = error
      return -1
    } finally {
      reading.waitedMs += clock.now() - since
    }
  }

  #done({ outcome, busyMs }: FilmDone): void {
    const reading = this.#takeReading()
    this.#thread?.worker.unref()
    this.#idle = this.#options.clock.after(this.#options.idleMs, () => void this.#end())
    if (outcome.kind === 'failed') reading?.reject(reading.failure ?? new AppError('DiskError'))
    else reading?.settle({ outcome, busyMs })
  }

  /** The thread is gone by itself. What a film costs is the film's; anything else is a fault of ours, and told. */
  #died(thread: Thread, error: Error): void {
    if (thread !== this.#thread) return
    this.#thread = null
    if ('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') return this.#tooMuch('it takes too much memory')
    const reading = this.#takeReading()
    this.#options.log.warn('the reader of films failed', { size: reading?.film.size, error: errorText(error) })
    reading?.reject(new AppError('WorkerLost', 'The film could not be read: its reader failed.', { cause: error }))
  }

  #late(): void {
    void this.#end()
    this.#tooMuch('it takes too long')
  }

  /** Of a thread that is gone. */
  #tooMuch(why: string): void {
    const reading = this.#takeReading()
    this.#options.log.warn('a film was given up', { size: reading?.film.size, why })
    reading?.settle({ outcome: { kind: 'unreadable', why }, busyMs: this.#options.limitMs })
  }

  #takeReading(): Reading | null {
    const reading = this.#reading
    this.#reading = null
    reading?.time.pause()
    return reading
  }

  async #end(): Promise<void> {
    const thread = this.#thread
    this.#thread = null
    await thread?.worker.terminate()
  }
}
