// Which parts of a film's texts are asked for, and when: what lies around the place that is played, each part once;
// what was not there yet again after a while. Pure.

import { cutTo, gapsIn, joined, type Span } from '../../../wire/subtitles/spans.ts'

/** What is wanted around the place, s. */
const BEHIND_SEC = 60
const AHEAD_SEC = 180
/** More is asked for when less than this is known ahead, s. */
const LEAST_AHEAD_SEC = 120
/** A place that is farther from the one before was jumped to, s. */
const JUMP_SEC = 5
/** After an answer that brought nothing, ms: at first, and at most. */
const AGAIN_MS = 5000
const MOST_AGAIN_MS = 20_000

/** One side of the place. */
interface Side {
  waitMs: number
  notBeforeMs: number
}

/** The texts of one track that are known. */
export class TextWindows {
  readonly #endSec: number
  readonly #ahead: Side = { waitMs: 0, notBeforeMs: 0 }
  readonly #behind: Side = { waitMs: 0, notBeforeMs: 0 }
  #covered: Span[] = []
  #placeSec = 0
  #asked: { readonly side: Side; readonly span: Span } | null = null

  /** `durationSec`: of the film; null = not known. */
  constructor(durationSec: number | null) {
    this.#endSec = durationSec ?? Number.POSITIVE_INFINITY
  }

  /** What is to be asked for now that a place is played; null: nothing. */
  next(placeSec: number, nowMs: number): Span | null {
    if (Math.abs(placeSec - this.#placeSec) > JUMP_SEC) for (const side of [this.#ahead, this.#behind]) settle(side)
    this.#placeSec = placeSec
    const ahead = this.#gap({ fromSec: placeSec, toSec: Math.min(this.#endSec, placeSec + AHEAD_SEC) })
    const behind = this.#gap({ fromSec: Math.max(0, placeSec - BEHIND_SEC), toSec: Math.min(this.#endSec, placeSec) })
    const isDue = ahead !== null && ahead.fromSec < placeSec + LEAST_AHEAD_SEC
    if (ahead !== null && isDue && nowMs >= this.#ahead.notBeforeMs) return this.#ask(this.#ahead, ahead)
    if (behind !== null && nowMs >= this.#behind.notBeforeMs) return this.#ask(this.#behind, behind)
    return null
  }

  /** What was asked for last is here, as far as it was there: these parts of it. */
  answered(covered: readonly Span[], nowMs: number): void {
    const asked = this.#asked
    if (asked === null) return
    const before = this.#lacking(asked.span)
    this.#covered = joined([...this.#covered, ...covered])
    if (this.#lacking(asked.span) < before) settle(asked.side)
    else this.failed(nowMs)
  }

  /** No answer came, or none that brought anything. */
  failed(nowMs: number): void {
    if (this.#asked === null) return
    const { side } = this.#asked
    side.waitMs = Math.min(MOST_AGAIN_MS, Math.max(AGAIN_MS, 2 * side.waitMs))
    side.notBeforeMs = nowMs + side.waitMs
  }

  #ask(side: Side, span: Span): Span {
    this.#asked = { side, span }
    return span
  }

  /** From the first to the last of what lacks in a part; null: nothing does. */
  #gap(whole: Span): Span | null {
    const gaps = gapsIn(this.#covered, whole)
    const [first, last] = [gaps[0], gaps.at(-1)]
    return first === undefined || last === undefined ? null : { fromSec: first.fromSec, toSec: last.toSec }
  }

  /** Seconds that lack in a part. */
  #lacking(span: Span): number {
    const known = cutTo(this.#covered, span).reduce((sum, { fromSec, toSec }) => sum + toSec - fromSec, 0)
    return span.toSec - span.fromSec - known
  }
}

/** It need not wait. */
function settle(side: Side): void {
  side.waitMs = 0
  side.notBeforeMs = 0
}
