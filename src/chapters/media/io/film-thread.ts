// A thread that works on films, as the node has it: it is given one job at a time, and the bytes that it asks for by
// memory that both share. Films are made by strangers: what one does to its reader, it does there; its time and memory
// are bounded, and whoever owns the thread ends it.
// States: idle <-> working (waiting for bytes within it) -> over, by end() or because the thread died.

import { Worker } from 'node:worker_threads'
import type { Clock } from '../../../ports/clock.ts'
import type { ReadableFilm } from '../ports/film-reader.ts'
import {
  type FilmThreadData,
  type FromFilmThread,
  type Numbered,
  type RangeWanted,
  SHARED_HEAD_BYTES,
  SHARED_READ_BYTES,
  STATE,
  WORD,
} from '../probe/thread-messages.ts'
import { ReadingTime } from './reading-time.ts'

/** Where the thread's code lies, and what it may take. */
export interface FilmThreadOptions {
  readonly clock: Clock
  readonly worker: URL
  /** Of its heap; bytes lie outside of it, and are bounded by the work itself. */
  readonly memoryMib: number
}

/** Who hears of it. Nothing is called after end(). */
export interface FilmThreadHooks<Said> {
  /** The job is over. `failure`: why bytes of its film could not be read; null = all could. */
  over(said: Said, failure: unknown): void
  /**
   * Its job, or one before it that was left, has had its time; it goes on until end(). `isStarved`: not of a processor,
   * which is no fault of its film.
   */
  late(isStarved: boolean): void
  /** It is gone by itself. */
  died(error: Error): void
}

/** What a job may take. */
export interface JobLimits {
  /** By the processor's clock, without waits for bytes, ms. */
  readonly limitMs: number
  /** See ReadingTime. */
  readonly starvedMs?: number
}

/** Jobs that were left: the thread comes to the next one when it has heard that of each. */
interface Left {
  /** The last of them. */
  until: number
  /** Of the one that it is at. */
  time: ReadingTime
}

interface Working {
  readonly number: number
  readonly film: ReadableFilm
  readonly time: ReadingTime
  hasBegun: boolean
  failure: unknown
}

/** The thread; it lives until end(). */
export class FilmThread<Job, Said> {
  readonly #clock: Clock
  readonly #hooks: FilmThreadHooks<Said>
  readonly #worker: Worker
  readonly #words: Int32Array
  readonly #bytes: Uint8Array
  #working: Working | null = null
  #left: Left | null = null
  #limits: JobLimits = { limitMs: 0 }
  #jobs = 0
  #isOver = false

  constructor({ clock, worker, memoryMib }: FilmThreadOptions, hooks: FilmThreadHooks<Said>) {
    const shared = new SharedArrayBuffer(SHARED_HEAD_BYTES + SHARED_READ_BYTES)
    const workerData: FilmThreadData = { shared }
    this.#clock = clock
    this.#hooks = hooks
    this.#words = new Int32Array(shared, 0, SHARED_HEAD_BYTES / 4)
    this.#bytes = new Uint8Array(shared, SHARED_HEAD_BYTES, SHARED_READ_BYTES)
    this.#worker = new Worker(worker, {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: memoryMib, maxYoungGenerationSizeMb: 8 },
      stdout: true,
      stderr: true,
    })
    // What is said there is nobody's business, and must not pile up.
    this.#worker.stdout.resume()
    this.#worker.stderr.resume()
    this.#worker.on('message', (message: Numbered<FromFilmThread<Said>>) => this.#hear(message))
    this.#worker.on('error', error => this.#died(error))
    this.#worker.on('exit', code => this.#died(new Error(`it ended with code ${code}`)))
    this.#worker.unref()
  }

  /** The job's time runs; before that what it needs is loaded. */
  get hasBegun(): boolean {
    return this.#working?.hasBegun ?? false
  }

  /** Gives it a job; one before must be over, or left. */
  begin(job: Job, film: ReadableFilm, limits: JobLimits): void {
    this.#jobs += 1
    const number = this.#jobs
    this.#limits = limits
    const time = this.#timeOf()
    this.#working = { number, film, time, hasBegun: false, failure: null }
    // It keeps the process as long as it works.
    this.#worker.ref()
    const message: Numbered<Job> = { number, content: job }
    this.#worker.postMessage(message, [])
  }

  /** Nobody waits for the job any more: a word says so to the thread, which looks at it now and then. */
  giveUp(): void {
    Atomics.store(this.#words, WORD.givenUp, this.#jobs)
  }

  /** Nothing is heard of the job any more. It keeps its time: one that does not let go of the thread is late. */
  leave(): void {
    const number = this.#working?.number
    this.#rest()
    if (number === undefined) return
    if (this.#left === null) this.#left = { until: number, time: this.#timeOf() }
    else this.#left.until = number
  }

  /** Ends it; settles when it and all that it has started are gone. */
  async end(): Promise<void> {
    this.#isOver = true
    this.#rest()
    this.#left?.time.pause()
    await this.#worker.terminate()
  }

  #hear({ number, content }: Numbered<FromFilmThread<Said>>): void {
    if (this.#isOver) return
    const working = this.#working?.number === number ? this.#working : null
    if (content.kind === 'wanted') return void this.#give(working, content)
    if (working === null) return this.#hearLeft(number, content)
    if (content.kind === 'begun') {
      working.hasBegun = true
      working.time.begin(content.task)
      return
    }
    this.#rest()
    this.#hooks.over(content.said, working.failure)
  }

  #hearLeft(number: number, content: Exclude<FromFilmThread<Said>, RangeWanted>): void {
    const left = this.#left
    if (left === null) return
    if (content.kind === 'begun') return left.time.begin(content.task)
    left.time.pause()
    if (number < left.until) left.time = this.#timeOf()
    else this.#left = null
  }

  /** The time of a job, from now on. */
  #timeOf(): ReadingTime {
    const { limitMs, starvedMs } = this.#limits
    return new ReadingTime(this.#clock, limitMs, isStarved => this.#hooks.late(isStarved), starvedMs)
  }

  /** It has no job. */
  #rest(): void {
    this.#working?.time.pause()
    this.#working = null
    this.#worker.unref()
  }

  /** Puts a range into the shared memory. The thread's time stands still meanwhile. */
  async #give(working: Working | null, { start, length }: RangeWanted): Promise<void> {
    // A job that was left has nothing to wait for.
    const count = working === null ? -1 : await this.#read(working, start, length)
    if (this.#isOver) return
    Atomics.store(this.#words, WORD.count, Math.max(0, count))
    Atomics.store(this.#words, WORD.state, count > 0 ? STATE.there : count === 0 ? STATE.notHere : STATE.failed)
    Atomics.notify(this.#words, WORD.state)
  }

  /** How many bytes, 0 = they are not there, -1 = they cannot be read, or are not wanted any more. */
  async #read(working: Working, start: number, length: number): Promise<number> {
    working.time.pause()
    try {
      return await working.film.read(start, Math.min(length, this.#bytes.length), this.#bytes)
    } catch (error) {
      working.failure = error
      return -1
    } finally {
      if (this.#working === working) working.time.run()
    }
  }

  #died(error: Error): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#rest()
    this.#left?.time.pause()
    this.#hooks.died(error)
  }
}

/** The thread took more memory than it may. */
export function isOutOfMemory(error: Error): boolean {
  return 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
}
