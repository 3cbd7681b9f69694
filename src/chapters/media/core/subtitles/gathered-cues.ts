// Gathers texts of a part, and which parts of the time are wholly known. Bounded in number and length; what comes twice
// (layers of ASS, clusters read again) is there once, and of what begins in one moment no more than is shown counts, so
// that however many there are, the next part begins later than this one.

import { type Cue, fewAtOnce, keyOf, MAX_AT_ONCE } from '../../../../wire/subtitles/cue.ts'
import { cutTo, joined, type Span } from '../../../../wire/subtitles/spans.ts'
import { type ByteRange, OverBudget } from '../byte-source.ts'
import { MAX_PART_CHARS, MAX_PART_CUES, type SubtitlePart } from './subtitle-part.ts'

/** Texts as they are found. */
export class GatheredCues {
  readonly #cues = new Map<string, Cue>()
  /** How many begin at a time, by its ms. */
  readonly #begin = new Map<number, number>()
  readonly #covered: Span[] = []
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

  /** Texts may lie here, and it is not there yet; the first is kept. */
  lack(range: ByteRange): void {
    this.#missing ??= range
  }

  /** All texts of this part have been taken. */
  cover(fromSec: number, toSec: number): void {
    if (toSec > fromSec) this.#covered.push({ fromSec, toSec })
  }

  /** `asked`: what of it counts; `fetched`: bytes that were read. */
  part(asked: Span, fetched: number): SubtitlePart {
    const covered = cutTo(joined(this.#covered), asked)
    return { cues: fewAtOnce([...this.#cues.values()]), covered, missing: this.#missing, fetched }
  }
}
