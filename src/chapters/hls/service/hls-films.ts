// Films of downloads in segments: how a film is cut is known of its facts, and each segment is a job of its own, from
// the reader that asks the swarm for its bytes to the thread that makes it. Nothing of a job goes on when its client
// has gone. Bounded: jobs under way, and films whose cuts are kept.

import { AppError, DecodeError } from '../../../base/errors.ts'
import type { Asker, StreamableFile } from '../../../services/downloads/streams-api.ts'
import type { ByteRange } from '../../media/core/byte-source.ts'
import { FilmBytes, type FilmDisk } from '../../media/service/film-bytes.ts'
import type { MediaAnswer, MediaService } from '../../media/service/media-api.ts'
import { MAX_SEGMENT_BYTES } from '../core/samples.ts'
import { orderOf, planOf, segmentName, type SegmentPlan } from '../core/segment-plan.ts'
import type { SegmentJob } from '../convert/thread-messages.ts'
import type { AskedFilm, HlsService } from './hls-api.ts'
import type { SegmentLine } from './segment-line.ts'

/** Segments under way, those too that wait for the swarm: each has a reader of its download. */
const MAX_JOBS = 32
/** And of one film: one link must not keep all others waiting. */
const MAX_JOBS_OF_FILM = 12
/** Films whose cuts are kept; a film of two hours has some 200 KB of them. */
const MAX_PLANS = 16
/** How long facts may take that have to be downloaded first. */
const FACTS_WAIT_MS = 20_000
/** Looks at one segment. Each brings what was missing for it; more go round in circles. */
const MAX_LOOKS = 256

/** What it works with. */
export interface HlsFilmsDeps {
  readonly media: Pick<MediaService, 'facts'>
  readonly disk: FilmDisk
  readonly line: SegmentLine
  /** See DownloadsService.streamable(). */
  readonly streamable: (infohash: string, fileIndex: string, asker: Asker) => StreamableFile | Promise<StreamableFile>
}

/** HlsService over the downloads of a node. */
export class HlsFilms implements HlsService {
  readonly #deps: HlsFilmsDeps
  /** Tag of a film and number of its sound -> its plan; the least lately used first. */
  readonly #plans = new Map<string, SegmentPlan>()
  readonly #jobs = new Set<AbortController>()
  /** How many of a film, by its tag. */
  readonly #ofFilm = new Map<string, number>()
  #stopped = false

  constructor(deps: HlsFilmsDeps) {
    this.#deps = deps
  }

  /** Segments under way. */
  get jobs(): number {
    return this.#jobs.size
  }

  async plan(film: AskedFilm, asker: Asker): Promise<SegmentPlan> {
    return this.#planOf(film, await this.#fileOf(film, asker), asker)
  }

  async segment(film: AskedFilm, name: string, asker: Asker): Promise<Uint8Array> {
    const file = await this.#fileOf(film, asker)
    const plan = await this.#planOf(film, file, asker)
    const order = orderOf(plan, name)
    if (order === null) {
      const last = segmentName(plan, plan.cuts.length - 1)
      throw new AppError('NotFound', `The segments of the film are ${segmentName(plan, 0)} to ${last}.`)
    }
    const job = { tag: file.tag, size: file.size, order }
    return this.#job(file.tag, asker, signal => this.#make(file, job, signal))
  }

  /** Ends what is under way. */
  async stop(): Promise<void> {
    this.#stopped = true
    for (const job of this.#jobs) job.abort()
    await this.#deps.line.stop()
  }

  async #fileOf({ infohash, fileIndex }: AskedFilm, asker: Asker): Promise<StreamableFile> {
    return this.#deps.streamable(infohash, fileIndex, asker)
  }

  async #planOf(
    { infohash, fileIndex, sound }: AskedFilm,
    { tag, size }: StreamableFile,
    asker: Asker,
  ): Promise<SegmentPlan> {
    const key = `${tag}/${sound ?? ''}`
    const known = this.#plans.get(key)
    if (known !== undefined) {
      this.#keep(key, known)
      return known
    }
    const now = await this.#deps.media.facts(infohash, fileIndex, 0, asker)
    // Chapters and what else may be far behind are not waited for.
    const { facts, wanted } = canPlan(now)
      ? now
      : await this.#deps.media.facts(infohash, fileIndex, FACTS_WAIT_MS, asker)
    if (facts === null || (wanted !== null && !canPlan({ facts })))
      throw new AppError('NotReady', 'The index of the film is not there yet; it has been asked for. Try again.')
    const plan = cannot(() => planOf(facts, size, sound))
    if (wanted === null) this.#keep(key, plan)
    return plan
  }

  #keep(key: string, plan: SegmentPlan): void {
    this.#plans.delete(key)
    this.#plans.set(key, plan)
    const [oldest] = this.#plans.keys()
    if (this.#plans.size > MAX_PLANS && oldest !== undefined) this.#plans.delete(oldest)
  }

  /** Runs a job that ends with its asker, and with this. */
  async #job<T>(tag: string, asker: Asker, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#stopped) throw new AppError('NotReady', 'The node is stopping.')
    const count = this.#ofFilm.get(tag) ?? 0
    if (count >= MAX_JOBS_OF_FILM)
      throw new AppError(
        'TooManyRequests',
        `${MAX_JOBS_OF_FILM} segments of it are being made or waited for; try again.`,
      )
    if (this.#jobs.size >= MAX_JOBS)
      throw new AppError('TooManyRequests', `${MAX_JOBS} segments are being made or waited for already; try again.`)
    this.#ofFilm.set(tag, count + 1)
    const controller = new AbortController()
    const leave = (): void => controller.abort()
    if (asker.signal.aborted) leave()
    asker.signal.addEventListener('abort', leave, { once: true })
    this.#jobs.add(controller)
    try {
      return await work(controller.signal)
    } finally {
      this.#jobs.delete(controller)
      const left = (this.#ofFilm.get(tag) ?? 1) - 1
      if (left === 0) this.#ofFilm.delete(tag)
      else this.#ofFilm.set(tag, left)
      asker.signal.removeEventListener('abort', leave)
    }
  }

  async #make(file: StreamableFile, job: SegmentJob, signal: AbortSignal): Promise<Uint8Array> {
    if (signal.aborted) throw new AppError('Aborted')
    const film = new FilmBytes(file, this.#deps.disk, { background: false })
    const close = (): void => film.close()
    signal.addEventListener('abort', close, { once: true })
    try {
      const { isHead, startByte, endByte } = job.order
      // What the index says may be a lie: all of a film is not fetched for it.
      const end = Math.min(endByte, startByte + MAX_SEGMENT_BYTES)
      let range: ByteRange = isHead ? { start: 0, end: 0 } : { start: startByte, end }
      for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
        await film.whenThere(range)
        const outcome = await this.#deps.line.make(job, film, signal)
        if (outcome.kind === 'made') return outcome.bytes
        if (outcome.kind === 'missing') range = outcome.range
        else throw new AppError('MediaUnreadable', `The film cannot be read: ${'why' in outcome ? outcome.why : ''}.`)
      }
      throw new AppError('MediaUnreadable', 'The film cannot be read: it is looked at again and again.')
    } finally {
      signal.removeEventListener('abort', close)
      film.close()
    }
  }
}

/** Whether segments follow from what is known. */
function canPlan({ facts }: Pick<MediaAnswer, 'facts'>): boolean {
  return facts !== null && facts.keys !== null && facts.duration !== null
}

/** What `work` gives; why not as AppError MediaUnreadable. */
function cannot<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof DecodeError) throw new AppError('MediaUnreadable', `It cannot be cut: ${error.message}.`)
    throw error
  }
}
