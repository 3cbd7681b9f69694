// Films of downloads in segments: how a film is cut is known of its facts, and each segment is a job of its own, from
// the reader that asks the swarm for its bytes to the thread that makes it. Nothing of a job goes on when its client
// has gone. Bounded: jobs under way, and films whose cuts are kept.

import { AppError, DecodeError } from '../../../base/errors.ts'
import type { MetricFamily } from '../../../services/diagnostics/metrics-api.ts'
import type { Asker, StreamableFile } from '../../../services/downloads/streams-api.ts'
import type { ByteRange } from '../../media/core/byte-source.ts'
import { FilmBytes, type FilmDisk } from '../../media/service/film-bytes.ts'
import { inTime } from '../../media/service/in-time.ts'
import type { MediaAnswer, MediaService, MediaTexts } from '../../media/service/media-api.ts'
import { MAX_SEGMENT_BYTES } from '../core/samples.ts'
import { type Cut, orderOf, planOf, segmentName, type SegmentPlan } from '../core/segment-plan.ts'
import { textSegment } from '../core/text-segments.ts'
import type { SegmentJob, SegmentOutcome } from '../convert/thread-messages.ts'
import type { AskedFilm, HlsService, HlsTexts } from './hls-api.ts'
import type { SegmentLine } from './segment-line.ts'
import { segmentFamilies } from './segment-metrics.ts'
import { SegmentPlaces } from './segment-places.ts'
import { UnreadableSegments } from './unreadable-segments.ts'
import { type TextSource, wholePart } from './whole-part.ts'

/** Films whose cuts are kept; a film of two hours has some 200 KB of them. */
const MAX_PLANS = 16
/** How long facts may take that have to be downloaded first. */
const FACTS_WAIT_MS = 20_000
/** How long the next bytes of a segment may take to come in. */
const STALLED_MS = 120_000
/** Looks at one segment. Each brings what was missing for it; more go round in circles. */
const MAX_LOOKS = 256

const STALLED_TEXT = 'Nothing of this part of the film comes in; it has been asked for. Try again.'

/** What it works with. */
export interface HlsFilmsDeps {
  readonly media: Pick<MediaService, 'facts'> & MediaTexts
  readonly disk: FilmDisk
  readonly line: SegmentLine
  /** See DownloadsService.streamable(). */
  readonly streamable: (infohash: string, fileIndex: string, asker: Asker) => StreamableFile | Promise<StreamableFile>
}

/** HlsService over the downloads of a node. */
export class HlsFilms implements HlsService, HlsTexts {
  readonly #deps: HlsFilmsDeps
  /** Tag of a film and number of its sound -> its plan; the least lately used first. */
  readonly #plans = new Map<string, SegmentPlan>()
  readonly #places = new SegmentPlaces()
  readonly #unreadable: UnreadableSegments

  constructor(deps: HlsFilmsDeps) {
    this.#deps = deps
    this.#unreadable = new UnreadableSegments(deps.disk.clock)
  }

  /** Segments under way. */
  get jobs(): number {
    return this.#places.taken
  }

  /** Figures for GET /metrics. */
  families(): readonly MetricFamily[] {
    return segmentFamilies(this.#places, this.#deps.line)
  }

  async plan(film: AskedFilm, asker: Asker): Promise<SegmentPlan> {
    const file = await this.#fileOf(film, asker)
    const plan = await this.#planOf(film, file, asker)
    // Who asks for a playlist asks for segments next.
    if (plan.isConverted) this.#deps.line.warm(file.tag)
    return plan
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
    const why = this.#unreadable.why(job)
    if (why !== null) throw unreadable(why)
    return this.#places.work(file.tag, asker, signal => this.#make(file, job, signal))
  }

  async texts(film: AskedFilm, track: number, segment: number, asker: Asker): Promise<Uint8Array> {
    const file = await this.#fileOf(film, asker)
    const { texts, cuts } = await this.#planOf(film, file, asker)
    const cut = cuts[segment]
    if (cut === undefined || !texts.some(({ id }) => id === track))
      throw new AppError('NotFound', 'The film has no such segment of subtitles.')
    return this.#places.work(file.tag, asker, signal => this.#textsOf(file, film, track, cut, signal))
  }

  /** Ends what is under way. */
  async stop(): Promise<void> {
    this.#places.stop()
    await this.#deps.line.stop()
  }

  async #fileOf({ infohash, fileIndex }: AskedFilm, asker: Asker): Promise<StreamableFile> {
    // Links know a file by one text alone.
    if (/^0\d/.test(fileIndex)) throw new AppError('FileNotFound', 'Numbers of files have no zeros before them.')
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
    // Whatever else becomes known of the film: cuts follow from its key frames, its duration and its tracks.
    const plan = cannot(() => planOf(facts, size, sound))
    this.#keep(key, plan)
    return plan
  }

  #keep(key: string, plan: SegmentPlan): void {
    this.#plans.delete(key)
    this.#plans.set(key, plan)
    const [oldest] = this.#plans.keys()
    if (this.#plans.size > MAX_PLANS && oldest !== undefined) this.#plans.delete(oldest)
  }

  /** Most lie between the pictures of the segment: those are waited for, then what lies elsewhere. */
  async #textsOf(
    file: StreamableFile,
    { infohash, fileIndex }: AskedFilm,
    track: number,
    cut: Cut,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    if (signal.aborted) throw new AppError('Aborted')
    const film = new FilmBytes(file, this.#deps.disk, { background: false })
    const close = (): void => film.close()
    signal.addEventListener('abort', close, { once: true })
    try {
      await this.#whenThere(film, rangeOf(cut))
      const texts: TextSource = {
        read: order => this.#deps.media.texts(infohash, fileIndex, order, { signal }),
        whenThere: range => this.#whenThere(film, range),
      }
      return textSegment(await wholePart(texts, track, cut), cut)
    } finally {
      signal.removeEventListener('abort', close)
      film.close()
    }
  }

  async #make(file: StreamableFile, job: SegmentJob, signal: AbortSignal): Promise<Uint8Array> {
    if (signal.aborted) throw new AppError('Aborted')
    const film = new FilmBytes(file, this.#deps.disk, { background: false })
    const close = (): void => film.close()
    signal.addEventListener('abort', close, { once: true })
    try {
      let range: ByteRange = job.order.isHead ? { start: 0, end: 0 } : rangeOf(job.order)
      for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
        await this.#whenThere(film, range)
        const outcome = await this.#deps.line.make(job, film, signal)
        if (outcome.kind === 'made') return outcome.bytes
        if (outcome.kind === 'missing') range = outcome.range
        else throw this.#noted(job, outcome)
      }
      throw this.#noted(job, { kind: 'unreadable', why: 'it is looked at again and again', isCostly: true })
    } finally {
      signal.removeEventListener('abort', close)
      film.close()
    }
  }

  /** Settles when a range is there. AppErrors NotReady: nothing comes in; and as FilmBytes.whenThere(). */
  async #whenThere(film: FilmBytes, range: ByteRange): Promise<void> {
    for (;;) {
      const [gap] = film.missingIn(range)
      if (gap === undefined) return
      const next = film.whenThere({ start: gap.start, end: gap.start + 1 })
      await inTime(this.#deps.disk.clock, STALLED_MS, next, () => new AppError('NotReady', STALLED_TEXT))
    }
  }

  /** Remembers why a segment cannot be made. */
  #noted(job: SegmentJob, outcome: SegmentOutcome): AppError {
    const why = 'why' in outcome ? outcome.why : ''
    this.#unreadable.note(job, why, outcome.kind === 'unreadable' && outcome.isCostly === true)
    return unreadable(why)
  }
}

function unreadable(why: string): AppError {
  return new AppError('MediaUnreadable', `The film cannot be read: ${why}.`)
}

/** The bytes of a segment; what the index says may be a lie: all of a film is not fetched for it. */
function rangeOf({ startByte, endByte }: Pick<Cut, 'startByte' | 'endByte'>): ByteRange {
  return { start: startByte, end: Math.min(endByte, startByte + MAX_SEGMENT_BYTES) }
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
