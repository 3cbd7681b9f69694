// The thread that reads films, as the node has it: started with the first film, ended when there is nothing to do for a
// while, and ended at once when a film takes it too much time or memory. Films are made by strangers: what one does to
// its reader, it does there.
// States: none -> idle <-> reading; reading -> none when the thread is ended or died.

import { AppError, errorText } from '../../../base/errors.ts'
import { workerUrl } from '../../../io/worker-url.ts'
import type { Clock, Timer } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { SubtitleOrder } from '../core/subtitles/subtitle-part.ts'
import type { FilmReader, ReadableFilm, ReadOutcome } from '../ports/film-reader.ts'
import type { TextsOutcome } from '../probe/read-part.ts'
import type { FilmDone, FilmJob } from '../probe/thread-messages.ts'
import { FilmThread, isOutOfMemory } from './film-thread.ts'

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

interface Reading {
  readonly film: ReadableFilm
  readonly settle: (done: FilmDone) => void
  readonly reject: (error: unknown) => void
}

/** The thread, and the film that it reads. */
export class MediaThread implements FilmReader {
  readonly #options: Required<MediaThreadOptions>
  #thread: FilmThread<FilmJob, FilmDone> | null = null
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

  async read(film: ReadableFilm): Promise<ReadOutcome> {
    const { outcome, busyMs } = await this.#job(film, null)
    if (outcome.kind === 'texts' || outcome.kind === 'none') throw new Error('the reader has answered another question')
    return { outcome, busyMs }
  }

  async texts(film: ReadableFilm, order: SubtitleOrder): Promise<TextsOutcome> {
    const { outcome } = await this.#job(film, order)
    if (outcome.kind === 'read') throw new Error('the reader has answered another question')
    return outcome
  }

  #job(film: ReadableFilm, texts: SubtitleOrder | null): Promise<FilmDone> {
    if (this.#stopped) return Promise.reject(new AppError('Aborted'))
    if (this.#reading !== null) return Promise.reject(new Error('a film is being read already'))
    this.#idle?.cancel()
    const thread = (this.#thread ??= this.#start())
    const { limitMs } = this.#options
    return new Promise((settle, reject) => {
      this.#reading = { film, settle, reject }
      thread.begin({ size: film.size, texts }, this.#inTime(film), { limitMs })
    })
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#idle?.cancel()
    this.#takeReading()?.reject(new AppError('Aborted'))
    await this.#end()
  }

  #start(): FilmThread<FilmJob, FilmDone> {
    return new FilmThread<FilmJob, FilmDone>(this.#options, {
      over: (done, failure) => this.#over(done, failure),
      late: () => {
        void this.#end()
        this.#tooMuch('it takes too long')
      },
      died: error => this.#died(error),
    })
  }

  /** The film with an end to the time that its bytes take in all: a slow disk must not hold up other films. */
  #inTime(film: ReadableFilm): ReadableFilm {
    const { clock, waitMs } = this.#options
    let waitedMs = 0
    return {
      size: film.size,
      async read(start, length, into) {
        if (waitedMs >= waitMs)
          throw new AppError('VolumeStalled', 'The disk takes too long to read what is known of the film.')
        const since = clock.now()
        try {
          return await film.read(start, length, into)
        } finally {
          waitedMs += clock.now() - since
        }
      },
    }
  }

  #over({ outcome, busyMs }: FilmDone, failure: unknown): void {
    const reading = this.#takeReading()
    this.#idle = this.#options.clock.after(this.#options.idleMs, () => void this.#end())
    if (outcome.kind === 'failed') reading?.reject(failure ?? new AppError('DiskError'))
    else reading?.settle({ outcome, busyMs })
  }

  /** The thread is gone by itself. What a film costs is the film's; anything else is a fault of ours, and told. */
  #died(error: Error): void {
    this.#thread = null
    if (isOutOfMemory(error)) return this.#tooMuch('it takes too much memory')
    const reading = this.#takeReading()
    this.#options.log.warn('the reader of films failed', { size: reading?.film.size, error: errorText(error) })
    reading?.reject(new AppError('WorkerLost', 'The film could not be read: its reader failed.', { cause: error }))
  }

  /** Of a thread that is gone. */
  #tooMuch(why: string): void {
    const reading = this.#takeReading()
    this.#options.log.warn('a film was given up', { size: reading?.film.size, why })
    reading?.settle({ outcome: { kind: 'unreadable', why, isCostly: true }, busyMs: this.#options.limitMs })
  }

  #takeReading(): Reading | null {
    const reading = this.#reading
    this.#reading = null
    return reading
  }

  async #end(): Promise<void> {
    const thread = this.#thread
    this.#thread = null
    await thread?.end()
  }
}
