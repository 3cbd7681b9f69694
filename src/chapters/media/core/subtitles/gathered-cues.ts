// Gathers texts of a part, and which parts of the time are wholly known. Bounded in number and length; what comes twice
// (layers of ASS, clusters read again) is there once, and of what begins in one moment no more than is shown counts, so
// that however many there are, the next part begins later than this one.

import { DecodeError } from '../../../../base/errors.ts'
import { type Cue, fewAtOnce, keyOf, MAX_AT_ONCE } from '../../../../wire/subtitles/cue.ts'
import { cutTo, gapsIn, joined, type Span } from '../../../../wire/subtitles/spans.ts'
import { type ByteRange, NotHere, OverBudget } from '../byte-source.ts'
import { MAX_PART_CHARS, MAX_PART_CUES, NoTexts, type SubtitlePart } from './subtitle-part.ts'

/** What became of reading some of them: not there, no sense, or no more may be read. */
export type Attempt = 'done' | 'missing' | 'unreadable' | 'over'

/** Texts as they are found. */
export class GatheredCues {
  readonly #cues = new Map<string, Cue>()
  /** How many begin at a time, by its ms. */
  readonly #begin = new Map<number, number>()
  readonly #covered: Span[] = []
  readonly #without: Span[] = []
  #chars = 0
  #missing: ByteRange | null = null

  /** Null: a text that shows nothing. Throws OverBudget when there are too many. */
  take(cue: Cue | null): void {
    if (cue === null) return
    const key = keyOf(cue)
    const atOnce = this.#begin.get(cue.startMs) ?? 0
    if (this.#cues.has(key) || atOnce >= MAX_AT_ONCE) return
    this.#chars += cue.text.length
    if (this.#cues.size >= MAX_PART_CUES || this.#chars > MAX_PART_CHARS) throw new OverBudget(MAX_PART_CHARS)
    this.#cues.set(key, cue)
    this.#begin.set(cue.startMs, atOnce + 1)
  }

  /** Does a part of the work; what was not there is remembered, the first of it. Throws what is none of these. */
  attempt(work: () => void): Attempt {
    try {
      work()
      return 'done'
    } catch (error) {
      if (error instanceof NotHere) {
        this.#missing ??= error.range
        return 'missing'
      }
      if (error instanceof DecodeError) return 'unreadable'
      if (error instanceof OverBudget) return 'over'
      throw error
    }
  }

  /**
   * A span has been walked through, as far as `reachedSec` where no more may be read. False: that is so. Throws NoTexts
   * when the part is `lost` then: it is not reached from where the walk began, and never will be.
   */
  walked(span: Span, outcome: Attempt, reachedSec: number, lost: boolean): boolean {
    if (outcome === 'over' && lost)
      throw new NoTexts('it has no index by which texts so far behind its start are found')
    const whole = outcome === 'done' || outcome === 'unreadable'
    this.cover(span.fromSec, whole ? span.toSec : reachedSec)
    return outcome !== 'over'
  }

  /** All texts of this part have been taken. */
  cover(fromSec: number, toSec: number): void {
    if (toSec > fromSec) this.#covered.push({ fromSec, toSec })
  }

  /** But some of those of this part have not. */
  leaveOut(fromSec: number, toSec: number): void {
    this.#without.push({ fromSec, toSec })
  }

  /** `asked`: what of it counts; `fetched`: bytes that were read. */
  part(asked: Span, fetched: number): SubtitlePart {
    const without = joined(this.#without)
    const covered = cutTo(
      joined(this.#covered).flatMap(span => gapsIn(without, span)),
      asked,
    )
    return { cues: fewAtOnce([...this.#cues.values()]), covered, missing: this.#missing, fetched }
  }
}
