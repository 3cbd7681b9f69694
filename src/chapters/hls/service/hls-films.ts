// Films of downloads in segments: how a film is cut is known of its facts, and each segment is a job of its own, from
// the reader that asks the swarm for its bytes to the thread that makes it. Nothing of a job goes on when its client
// has gone. Bounded: jobs under way.

import { AppError } from '../../../base/errors.ts'
import type { MetricFamily } from '../../../services/diagnostics/metrics-api.ts'
import type { Asker, StreamableFile } from '../../../services/downloads/streams-api.ts'
import type { ByteRange } from '../../media/core/byte-source.ts'
import { FilmBytes, type FilmDisk } from '../../media/service/film-bytes.ts'
import { inTime } from '../../media/service/in-time.ts'
import type { MediaService, MediaTexts } from '../../media/service/media-api.ts'
import { MAX_SEGMENT_BYTES } from '../core/samples.ts'
import type { Cut } from '../core/cuts.ts'
import { orderOf, segmentName, type SegmentPlan } from '../core/segment-plan.ts'
import { textSegment } from '../core/text-segments.ts'
import type { SegmentJob, SegmentOutcome } from '../convert/thread-messages.ts'
import type { AskedFilm, HlsService, HlsTexts } from './hls-api.ts'
import type { ConvertedSegments } from './converted-segments.ts'
import { FACTS_WAIT_MS, FilmPlans } from './film-plans.ts'
import type { SegmentLine } from './segment-line.ts'
import { segmentFamilies } from './segment-metrics.ts'
import { SegmentPlaces } from './segment-places.ts'
import { UnreadableSegments } from './unreadable-segments.ts'
import { type TextSource, wholePart } from './whole-part.ts'

/** How long the next bytes of a segment may take to come in. */
const STALLED_MS = 120_000
/** Looks at one segment. Each brings what was missing for it; more go round in circles. */
const MAX_LOOKS = 256

/** How long a segment is left alone for which the machine was too slow: players that ask again try for longer. */
const LATE_KEPT_MS = 20_000

/** What the end of all is given where nobody says it. */
const STOP_MS = 5000

const LATE_TEXT = 'The node is too busy to make this part of the film now. Try again.'
const STALLED_TEXT = 'Nothing of this part of the film comes in; it has been asked for. Try again.'

/** What it works with. */
export interface HlsFilmsDeps {
  readonly media: Pick<MediaService, 'facts'> & MediaTexts
  readonly disk: FilmDisk
  readonly line: SegmentLine
  /** Those that ffmpeg has a part in; null: the settings name none. */
  readonly converted?: ConvertedSegments | null
  /** See DownloadsService.streamable(). */
  readonly streamable: (infohash: string, fileIndex: string, asker: Asker) => StreamableFile | Promise<StreamableFile>
}

/** HlsService over the downloads of a node. */
export class HlsFilms implements HlsService, HlsTexts {
  readonly #deps: HlsFilmsDeps
  readonly #plans: FilmPlans
  readonly #places = new SegmentPlaces()
  readonly #unreadable: UnreadableSegments
  /** Those for which the machine was too slow. */
  readonly #late: UnreadableSegments

  constructor(deps: HlsFilmsDeps) {
    this.#deps = deps
    this.#plans = new FilmPlans(deps.media, deps.converted ?? null)
    this.#unreadable = new UnreadableSegments(deps.disk.clock)
    this.#late = new UnreadableSegments(deps.disk.clock, LATE_KEPT_MS)
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
    if (plan.isConverted && plan.byProgram.sound === null) this.#deps.line.warm(file.tag)
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
    if (this.#late.why(job) !== null) throw new AppError('NotReady', LATE_TEXT)
    const converted = this.#convertedOf(plan, job)
    return this.#places.work(file.tag, asker, signal =>
      this.#withFilm(file, signal, async film => {
        const made = (one: SegmentJob): Promise<Uint8Array> => this.#make(film, one, signal)
        return converted === null ? made(job) : converted.segment(job, plan.byProgram, made, signal)
      }),
    )
  }

  async texts(film: AskedFilm, track: number, segment: number, asker: Asker): Promise<Uint8Array> {
    const file = await this.#fileOf(film, asker)
    const { texts, cuts } = await this.#planOf(film, file, asker)
    const cut = cuts[segment]
    if (cut === undefined || !texts.some(({ id }) => id === track))
      throw new AppError('NotFound', 'The film has no such segment of subtitles.')
    return this.#places.work(file.tag, asker, signal => this.#textsOf(file, film, track, cut, signal))
  }

  /** Ends what is under way; after `limitMs` what has not ended, as a program that a disk holds, is left. */
  async stop(limitMs = STOP_MS): Promise<void> {
    this.#places.stop()
    const ended = Promise.all([this.#deps.line.stop(), this.#deps.converted?.stop()])
    await inTime(this.#deps.disk.clock, limitMs, ended).catch((error: unknown) => {
      if (!(error instanceof AppError && error.code === 'VolumeStalled')) throw error
    })
  }

  async #fileOf({ infohash, fileIndex }: AskedFilm, asker: Asker): Promise<StreamableFile> {
    // Links know a file by one text alone.
    if (/^0\d/.test(fileIndex)) throw new AppError('FileNotFound', 'Numbers of files have no zeros before them.')
    return this.#deps.streamable(infohash, fileIndex, asker)
  }

  async #planOf(film: AskedFilm, file: StreamableFile, asker: Asker): Promise<SegmentPlan> {
    const plan = await this.#plans.planOf(film, file, asker)
    await this.#tried(file, plan, asker)
    return plan
  }

  /** Who converts a part of a job; null: nobody has to. */
  #convertedOf({ byProgram }: SegmentPlan, { order }: SegmentJob): ConvertedSegments | null {
    const { picture, sound } = byProgram
    return (picture === null && sound === null) || order.isHead ? null : (this.#deps.converted ?? null)
  }

  /** Most lie between the pictures of the segment: those are waited for, then what lies elsewhere. */
  async #textsOf(
    file: StreamableFile,
    { infohash, fileIndex }: AskedFilm,
    track: number,
    cut: Cut,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    return this.#withFilm(file, signal, async film => {
      await this.#whenThere(film, rangeOf(cut))
      const texts: TextSource = {
        read: order => this.#deps.media.texts(infohash, fileIndex, order, { signal }),
        whenThere: range => this.#whenThere(film, range),
      }
      return textSegment(await wholePart(texts, track, cut), cut)
    })
  }

  /** A picture that has to be converted is tried before it is played: that it is too slow is said then. */
  async #tried(file: StreamableFile, plan: SegmentPlan, asker: Asker): Promise<void> {
    const { converted } = this.#deps
    const { byProgram, cuts } = plan
    if (
      converted === undefined ||
      converted === null ||
      byProgram.picture === null ||
      converted.isTried(file.tag, cuts)
    )
      return
    await this.#places.work(file.tag, asker, signal =>
      this.#withFilm(file, signal, async film => {
        const isThere = ({ startByte, endByte }: Cut): boolean =>
          film.missingIn({ start: startByte, end: endByte }).length === 0
        // Films begin darkly, which is easy, and their last part may be a moment; what is not there is not waited for.
        const number =
          [Math.floor((cuts.length - 1) / 2), 0].find(at => cuts[at] !== undefined && isThere(cuts[at])) ?? 0
        const order = orderOf(plan, segmentName(plan, number))
        if (order === null) return
        const job = { tag: file.tag, size: file.size, order }
        await this.#inTime(film, () => converted.try(job, plan, one => this.#make(film, one, signal), signal))
      }),
    )
  }

  /** Opens the film for as long as it is worked with. */
  async #withFilm<T>(file: StreamableFile, signal: AbortSignal, work: (film: FilmBytes) => Promise<T>): Promise<T> {
    if (signal.aborted) throw new AppError('Aborted')
    const film = new FilmBytes(file, this.#deps.disk, { background: false })
    const close = (): void => film.close()
    signal.addEventListener('abort', close, { once: true })
    try {
      return await work(film)
    } finally {
      signal.removeEventListener('abort', close)
      film.close()
    }
  }

  /** What is not there for the trial is waited for as long as facts are: playlists are not waited for longer. */
  async #inTime(film: FilmBytes, work: () => Promise<void>): Promise<void> {
    let isLate = false
    const timer = this.#deps.disk.clock.after(FACTS_WAIT_MS, () => {
      isLate = true
      film.close()
    })
    try {
      await work()
    } catch (error) {
      if (!isLate) throw error
      throw new AppError(
        'NotReady',
        'What its conversion is tried on is not there yet; it has been asked for. Try again.',
      )
    } finally {
      timer.cancel()
    }
  }

  async #make(film: FilmBytes, job: SegmentJob, signal: AbortSignal): Promise<Uint8Array> {
    let range: ByteRange = job.order.isHead ? { start: 0, end: 0 } : rangeOf(job.order)
    for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
      await this.#whenThere(film, range)
      const outcome = await this.#deps.line.make(job, film, signal)
      if (outcome.kind === 'made') return outcome.bytes
      if (outcome.kind === 'missing') range = outcome.range
      else throw this.#noted(job, outcome)
    }
    throw this.#noted(job, { kind: 'unreadable', why: 'it is looked at again and again', isCostly: true })
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
    if (outcome.kind === 'late') {
      this.#late.note(job, why, true)
      return new AppError('NotReady', LATE_TEXT)
    }
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
