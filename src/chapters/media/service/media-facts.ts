// Facts of films in downloads: kept ones at once, others by a job for each film that all who ask for it share. Bounded:
// films under way, films that are known to be unreadable, and by the store the facts that are kept.

import { AppError } from '../../../base/errors.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Asker, StreamableFile } from '../../../services/downloads/streams-api.ts'
import type { FilmFacts } from '../core/film-facts.ts'
import type { FilmReader } from '../ports/film-reader.ts'
import type { FilmStore } from '../ports/film-store.ts'
import { FilmBytes, type FilmDisk } from './film-bytes.ts'
import { FilmJob, type JobState } from './film-job.ts'
import type { MediaAnswer, MediaService, MediaWatching } from './media-api.ts'
import { ReaderLine } from './reader-line.ts'
import { UnreadableFilms } from './unreadable-films.ts'
import { Waits } from './waits.ts'

/** Films that are read, or waited for, at a time. */
const MAX_FILMS = 32
/** How long one may wait for its turn: 32 films of 3 s are worse. */
const LINE_LIMIT_MS = 20_000
/** How long one that had its turn by then may still be looked at; its reader ends sooner by itself. */
const LOOK_LIMIT_MS = 60_000

/** What it works with. */
export interface MediaFactsDeps {
  readonly clock: Clock
  readonly disk: FilmDisk
  readonly reader: FilmReader
  readonly store: FilmStore
  /** See DownloadsService.streamable(). */
  readonly streamable: (infohash: string, fileIndex: string, asker: Asker) => StreamableFile | Promise<StreamableFile>
}

/** Facts of films over the downloads of a node. */
export class MediaFacts implements MediaService, MediaWatching {
  readonly #deps: MediaFactsDeps
  /** Of all that is read by its reader. */
  readonly line: ReaderLine
  readonly #jobs = new Map<string, FilmJob>()
  readonly #unreadable: UnreadableFilms
  #stopped = false

  constructor(deps: MediaFactsDeps) {
    this.#deps = deps
    this.line = new ReaderLine(deps.reader)
    this.#unreadable = new UnreadableFilms(deps.clock)
  }

  /** Films under way. */
  get films(): number {
    return this.#jobs.size
  }

  kept(infohash: string, fileIndex: number): Promise<FilmFacts | null> {
    return this.#deps.store.get(`${infohash}-${fileIndex}`)
  }

  async facts(infohash: string, fileIndex: string, waitMs: number, asker: Asker): Promise<MediaAnswer> {
    const file = await this.#deps.streamable(infohash, fileIndex, asker)
    const { name, size, tag } = file
    const kept = await this.#deps.store.get(tag)
    if (kept !== null) return { name, size, facts: kept, wanted: null, missing: [] }
    if (asker.signal.aborted) throw new AppError('Aborted')
    const state = await this.#wait(this.#jobOf(file), waitMs, asker.signal)
    return { name, size, ...state }
  }

  async watch(infohash: string, fileIndex: string, asker: Asker, tell: (facts: FilmFacts) => void): Promise<void> {
    const file = await this.#deps.streamable(infohash, fileIndex, asker)
    const kept = await this.#deps.store.get(file.tag)
    const { signal } = asker
    if (signal.aborted) throw new AppError('Aborted')
    if (kept !== null) {
      tell(kept)
      return
    }
    const job = this.#jobOf(file)
    job.join(tell)
    const waits = new Waits(this.#deps.clock, signal)
    try {
      await Promise.race([job.whole, waits.left()])
    } finally {
      waits.end()
      job.leave(tell)
    }
  }

  /** Ends what is under way. */
  async stop(): Promise<void> {
    this.#stopped = true
    for (const job of this.#jobs.values()) job.end()
    await this.#deps.reader.stop()
  }

  #jobOf(file: StreamableFile): FilmJob {
    const { tag } = file
    const known = this.#jobs.get(tag)
    if (known?.isOver === false) return known
    if (this.#stopped) throw new AppError('NotReady', 'The node is stopping.')
    const why = this.#unreadable.why(tag)
    if (why !== null) throw new AppError('MediaUnreadable', why)
    if (this.#jobs.size >= MAX_FILMS)
      throw new AppError('TooManyRequests', `${MAX_FILMS} films are being read already; try again.`)
    const job = new FilmJob(new FilmBytes(file, this.#deps.disk), this.line, () => {
      if (this.#jobs.get(tag) === job) this.#jobs.delete(tag)
    })
    this.#jobs.set(tag, job)
    void this.#keep(tag, job)
    return job
  }

  async #keep(tag: string, job: FilmJob): Promise<void> {
    try {
      const facts = await job.whole
      if (!job.isPassing) await this.#deps.store.put(tag, facts)
    } catch (error) {
      if (error instanceof AppError && error.code === 'MediaUnreadable') this.#unreadable.note(tag, error.message)
    }
  }

  /** What is known when the time is over, or all. The asker that leaves rejects with Aborted. */
  async #wait(job: FilmJob, waitMs: number, signal: AbortSignal): Promise<JobState> {
    const waits = new Waits(this.#deps.clock, signal)
    const whole = job.whole.then((facts): JobState => ({ facts, wanted: null, missing: [] }))
    job.join()
    try {
      const looked = this.#looked(job, waits)
      const all = (await Promise.race([whole, looked])) ?? (await Promise.race([whole, waits.after(waitMs)]))
      if (all !== null) return all
      // A look that has begun is over soon, and may bring all, or end it.
      const last = await Promise.race([whole, this.#looked(job, waits)])
      return last ?? (job.isOver ? await whole : job.state)
    } finally {
      waits.end()
      job.leave()
    }
  }

  /** Null when the look that goes on is over. AppErrors TooManyRequests, VolumeStalled: it takes too long. */
  #looked(job: FilmJob, waits: Waits): Promise<null> {
    const stalled = waits.after(LINE_LIMIT_MS + LOOK_LIMIT_MS).then((): never => {
      throw new AppError('VolumeStalled')
    })
    stalled.catch(() => undefined)
    const late = waits.after(LINE_LIMIT_MS).then((): Promise<never> => {
      if (job.isInLine) throw new AppError('TooManyRequests', 'Too many films are being read; try again.')
      return stalled
    })
    return Promise.race([job.look, late]).then(() => null)
  }
}
