// Segments that another program has a part in: their cut is made by a thread, converted, and packed by a thread. Before
// a film with a picture to convert is played, two seconds of it are converted for a trial: what is too slow is said
// then. Bounded: films whose trial is known, and parts that are known to fail.

import { AppError, DecodeError } from '../../../base/errors.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { ProgramAbilities } from '../core/ffmpeg/codecs.ts'
import type { Cut } from '../core/cuts.ts'
import { conversionArguments, type ConvertedParts } from '../core/ffmpeg/conversion.ts'
import type { SegmentOrder } from '../core/samples.ts'
import type { SegmentPlan } from '../core/segment-plan.ts'
import { ConversionFailed, type FilmConverter } from '../ports/film-converter.ts'
import type { SegmentJob } from '../convert/thread-messages.ts'
import type { ConversionKind, ConversionLine } from './conversion-line.ts'

/** Makes what a job says out of a film that is open: the cut of a segment, or the segment. */
export type MadeOfFilm = (job: SegmentJob) => Promise<Uint8Array>

/** How much of a film is converted for its trial, s. */
const TRIAL_S = 2
const SHORTEST_TRIAL_S = 1
/** How many times faster than it plays it must be. */
const FAST_ENOUGH = 1.5
/** A segment is sent when it is whole: hls.js waits 10 s for its first byte; with some room, s. */
const MOST_WAIT_S = 8
/** A slow one is tried again after that: other work may have been in its way. */
const SLOW_KEPT_MS = 600_000
const MAX_TRIALS = 256
/** A part that failed fails again; but the machine may have been at fault. */
const FAILED_KEPT_MS = 60_000
const MAX_FAILED = 256
/** So often in a row a part may take too long, or find no room on the machine. */
const MAX_DELAYED = 3
const MAX_DELAYED_PARTS = 256
/** Addresses, KiB: x264 at 1080p takes some 600 MB of them, sound less than 300 MB, of which libraries are most. */
const SOUND_KIB = 768 * 1024
const PICTURE_KIB = 2 * 1024 * 1024
/** What a conversion may take: of sound alone, and of a picture. */
const SOUND_LIMITS = { wallMs: 15_000, cpuSeconds: 15, memoryKib: SOUND_KIB }
const PICTURE_LIMITS = { wallMs: 60_000, cpuSeconds: 240, memoryKib: PICTURE_KIB }
const TRIAL_LIMITS = { wallMs: 10_000, cpuSeconds: 60, memoryKib: PICTURE_KIB }

/** What it works with. */
export interface ConvertedSegmentsDeps {
  readonly clock: Clock
  readonly converter: FilmConverter
  readonly line: ConversionLine
}

/** What of a plan its trial depends on. */
export type TriedPlan = Pick<SegmentPlan, 'byProgram' | 'cuts'>
type Durations = readonly Pick<Cut, 'duration'>[]

interface Trial {
  /** Times faster than it plays. */
  readonly speed: number
  readonly at: number
}

/** Segments with converted parts. */
export class ConvertedSegments {
  readonly #deps: ConvertedSegmentsDeps
  /** By the film's tag. */
  readonly #trials = new Map<string, Trial>()
  /** Parts of films -> when they failed, and why. */
  readonly #failed = new Map<string, { readonly at: number; readonly why: string }>()
  /** Parts of films -> how often in a row the machine was at fault. */
  readonly #delayed = new Map<string, number>()

  constructor(deps: ConvertedSegmentsDeps) {
    this.#deps = deps
  }

  /** See FilmConverter. */
  abilities(): Promise<ProgramAbilities> {
    return this.#deps.converter.abilities()
  }

  /**
   * Whether the film's picture has been tried lately; `cuts`: of its plan. AppError ConversionTooSlow: and was too
   * slow.
   */
  isTried(tag: string, cuts: Durations): boolean {
    const longest = longestOf(cuts)
    // What is so short would measure the start of the program.
    if (longest < SHORTEST_TRIAL_S) return true
    const trial = this.#trials.get(tag)
    if (trial === undefined) return false
    const { speed, at } = trial
    if (speed >= FAST_ENOUGH && longest <= MOST_WAIT_S * speed) return true
    if (this.#deps.clock.now() - at < SLOW_KEPT_MS) throw tooSlow(speed, longest)
    return false
  }

  /** Tries its picture on the segment of `job`. AppErrors as of segment(), and ConversionTooSlow. */
  async try(job: SegmentJob, { byProgram, cuts }: TriedPlan, made: MadeOfFilm, signal: AbortSignal): Promise<void> {
    const picture = { picture: byProgram.picture, sound: null }
    const cut = await made({ ...job, cut: picture })
    const { order, tag } = job
    const seconds = Math.min(TRIAL_S, cuts[order.number]?.duration ?? TRIAL_S)
    await this.#deps.line.run('picture', cut.length, signal, async () => {
      // Somebody else may have tried it meanwhile.
      if (this.isTried(tag, cuts)) return
      const speed = await this.#speedOf(job, picture, cut, seconds, signal)
      keep(this.#trials, tag, { speed, at: this.#deps.clock.now() }, MAX_TRIALS)
    })
    this.isTried(tag, cuts)
  }

  async #speedOf(
    job: SegmentJob,
    parts: ConvertedParts,
    cut: Uint8Array,
    seconds: number,
    signal: AbortSignal,
  ): Promise<number> {
    const { clock, converter } = this.#deps
    const name = nameOf(job.tag, job.order, parts)
    this.#refuseFailed(name)
    const since = clock.now()
    try {
      const args = conversionArguments(job.order, parts, converter.threads, seconds)
      await converter.convert(args, cut, TRIAL_LIMITS, signal)
    } catch (error) {
      if (!(error instanceof ConversionFailed)) throw error
      if (error.kind === 'busy') throw busy()
      if (error.kind === 'refused') throw this.#noted(name, error)
    }
    return seconds / Math.max(0.001, (clock.now() - since) / 1000)
  }

  /** Makes a segment. AppErrors MediaUnreadable, TooManyRequests, Aborted, and what `made` rejects with. */
  async segment(job: SegmentJob, parts: ConvertedParts, made: MadeOfFilm, signal: AbortSignal): Promise<Uint8Array> {
    this.#refuseFailed(nameOf(job.tag, job.order, parts))
    const bytes = await this.#madeOfCut(job, parts, made, signal)
    try {
      return await made({ ...job, converted: { parts, bytes } })
    } catch (error) {
      // What came of it is of no use: it would cost as much again.
      if (error instanceof AppError && error.code === 'MediaUnreadable')
        throw this.#noted(nameOf(job.tag, job.order, parts), error)
      throw error
    }
  }

  /** Ends what is under way. */
  stop(): Promise<void> {
    return this.#deps.converter.stop()
  }

  /** What comes of its cut, which nothing holds then. */
  async #madeOfCut(job: SegmentJob, parts: ConvertedParts, made: MadeOfFilm, signal: AbortSignal): Promise<Uint8Array> {
    const cut = await made({ ...job, cut: parts })
    if (cut.length === 0) return cut
    const kind: ConversionKind = parts.picture === null ? 'sound' : 'picture'
    return this.#deps.line.run(kind, cut.length, signal, () => this.#converted(job, parts, cut, signal))
  }

  async #converted(
    { tag, order }: SegmentJob,
    parts: ConvertedParts,
    cut: Uint8Array,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    const { converter } = this.#deps
    const name = nameOf(tag, order, parts)
    this.#refuseFailed(name)
    try {
      const args = conversionArguments(order, parts, converter.threads, null)
      const limits = parts.picture === null ? SOUND_LIMITS : PICTURE_LIMITS
      const bytes = await converter.convert(args, cut, limits, signal)
      this.#delayed.delete(name)
      return bytes
    } catch (error) {
      if (!(error instanceof ConversionFailed || error instanceof DecodeError)) throw error
      if (error instanceof ConversionFailed && error.kind !== 'refused' && this.#mayAgain(name)) throw busy()
      this.#delayed.delete(name)
      throw this.#noted(name, error)
    }
  }

  /** The machine may have been at fault; but players ask for ever. */
  #mayAgain(name: string): boolean {
    const count = (this.#delayed.get(name) ?? 0) + 1
    keep(this.#delayed, name, count, MAX_DELAYED_PARTS)
    return count < MAX_DELAYED
  }

  #refuseFailed(name: string): void {
    const failed = this.#failed.get(name)
    if (failed !== undefined && this.#deps.clock.now() - failed.at < FAILED_KEPT_MS) throw unreadable(failed.why)
  }

  #noted(name: string, { message }: Error): AppError {
    const why = message.replace(/\.$/, '')
    keep(this.#failed, name, { at: this.#deps.clock.now(), why }, MAX_FAILED)
    return unreadable(why)
  }
}

function nameOf(tag: string, { number, sound }: SegmentOrder, parts: ConvertedParts): string {
  return `${tag}/${number}/${parts.picture ?? ''}/${parts.sound === null ? '' : (sound ?? '')}`
}

/** The oldest goes when there are too many. */
function keep<T>(kept: Map<string, T>, key: string, value: T, most: number): void {
  kept.delete(key)
  kept.set(key, value)
  const [oldest] = kept.keys()
  if (kept.size > most && oldest !== undefined) kept.delete(oldest)
}

function unreadable(why: string): AppError {
  return new AppError('MediaUnreadable', `A part of it cannot be converted: ${why}.`)
}

/** Players ask again: 422 would end the film. */
function busy(): AppError {
  return new AppError('TooManyRequests', 'The machine is too busy to convert it now; try again.')
}

function longestOf(cuts: Durations): number {
  return cuts.reduce((longest, { duration }) => Math.max(longest, duration), 0)
}

/** `longest`: s that its longest segment plays. */
function tooSlow(speed: number, longest: number): AppError {
  const times = `${Math.floor(speed * 10) / 10} times as fast as it plays`
  const why =
    speed < FAST_ENOUGH
      ? `it must be ${FAST_ENOUGH} times`
      : `its key frames lie up to ${Math.round(longest)} s apart, and no player waits so long for such a part`
  return new AppError(
    'ConversionTooSlow',
    `Its picture would have to be converted to H.264, and this machine does that ${times}; ${why}. Play the file itself in VLC, mpv or Kodi.`,
  )
}
