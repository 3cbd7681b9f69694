// Which parts of a film's texts are asked for, and when: what lies around the place that is played, each part once;
// what was not there yet again after a while, ever more rarely where nothing comes. Pure.

import { cutTo, gapsIn, joined, type Span } from '../../../wire/subtitles/spans.ts'

/** What is wanted around the place, s. */
const BEHIND_SEC = 60
const AHEAD_SEC = 180
/** Where the place itself is not known: texts that began so long before it are still shown. */
const BEFORE_SEC = 10
/** More is asked for when less than this is known ahead, s. */
const LEAST_AHEAD_SEC = 120
/** A place that is farther from the one before was jumped to, s. */
const JUMP_SEC = 5
/** After an answer that brought nothing, ms: at first, at most, and at most when that has gone on for some minutes. */
const AGAIN_MS = 5000
const MOST_AGAIN_MS = 20_000
const RARELY_MS = 5 * 60_000
/** Answers that brought nothing, one after the other: parts of some films are never known. */
const MANY_FAILURES = 10

/** One side of the place. */
interface Side {
  failures: number
  waitMs: number
  notBeforeMs: number
}

const newSide = (): Side => ({ failures: 0, waitMs: 0, notBeforeMs: 0 })

/** The texts of one track that are known. */
export class TextWindows {
  readonly #endSec: number
  readonly #ahead = newSide()
  readonly #behind = newSide()
  #covered: Span[] = []
  #placeSec = 0
  #asked: { readonly side: Side; readonly span: Span } | null = null

  /** `durationSec`: of the film; null = not known. */
  constructor(durationSec: number | null) {
    this.#endSec = durationSec ?? Number.POSITIVE_INFINITY
  }

  /**
   * What is to be asked for now that a place is played; null: nothing. `isPaused`: nobody sees what comes in meanwhile,
   * so that only what was not asked for yet is.
   */
  next(placeSec: number, nowMs: number, isPaused = false): Span | null {
    if (Math.abs(placeSec - this.#placeSec) > JUMP_SEC) for (const side of [this.#ahead, this.#behind]) settle(side)
    this.#placeSec = placeSec
    const ahead = this.#gap({ fromSec: placeSec, toSec: Math.min(this.#endSec, placeSec + AHEAD_SEC) })
    const behind = this.#gap({ fromSec: Math.max(0, placeSec - BEHIND_SEC), toSec: Math.min(this.#endSec, placeSec) })
    const isDue = ahead !== null && ahead.fromSec < placeSec + LEAST_AHEAD_SEC
    const mayAsk = (side: Side): boolean => nowMs >= side.notBeforeMs && !(isPaused && side.failures > 0)
    if (ahead !== null && isDue && mayAsk(this.#ahead)) return this.#ask(this.#ahead, withBefore(ahead, placeSec))
    if (behind !== null && mayAsk(this.#behind)) return this.#ask(this.#behind, behind)
    return null
  }

  /** The film goes on after it stood still: more of it may be there. */
  goesOn(nowMs: number): void {
    for (const side of [this.#ahead, this.#behind]) {
      if (side.failures < MANY_FAILURES) continue
      side.failures = 1
      side.waitMs = AGAIN_MS
      side.notBeforeMs = Math.min(side.notBeforeMs, nowMs + AGAIN_MS)
    }
  }

  /** Of some part all texts are known. */
  get hasSome(): boolean {
    return this.#covered.length > 0
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
    side.failures += 1
    const most = side.failures > MANY_FAILURES ? RARELY_MS : MOST_AGAIN_MS
    side.waitMs = Math.min(most, Math.max(AGAIN_MS, 2 * side.waitMs))
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

/** Where it begins at the place, from before it on. */
function withBefore(span: Span, placeSec: number): Span {
  return span.fromSec > placeSec ? span : { ...span, fromSec: Math.max(0, placeSec - BEFORE_SEC) }
}

/** It need not wait. */
function settle(side: Side): void {
  side.failures = 0
  side.waitMs = 0
  side.notBeforeMs = 0
}
