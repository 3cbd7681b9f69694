// Whether a browser reads a film that waits for its moment. Some read nothing before it plays (a phone that wants a tap
// first, one that saves data), and what nobody reads does not come first: the wait would be one for all of it. Pure.

/** Between two looks, ms. */
export const LOOK_MS = 1000
/** So long nothing was read, ms. */
const NOTHING_READ_MS = 10_000
/** Less than this ahead of the place is nothing: the picture that is shown. */
const LEAST_AHEAD_SEC = 1

/** What the element says. */
export interface ReadState {
  /** It has a source, and asks nothing of it. */
  readonly isIdle: boolean
  /** What it holds from its place on, seconds. */
  readonly aheadSec: number
}

/** Looks at one wait. */
export class ReadWatch {
  #sinceMs: number | null = null

  /** True: it reads nothing by itself, and has nothing. */
  look({ isIdle, aheadSec }: ReadState, nowMs: number): boolean {
    if (!isIdle || aheadSec >= LEAST_AHEAD_SEC) {
      this.#sinceMs = null
      return false
    }
    this.#sinceMs ??= nowMs
    return nowMs - this.#sinceMs >= NOTHING_READ_MS
  }
}
