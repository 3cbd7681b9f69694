// When the page tells the node where a film is: every ten seconds while it plays, at once where that may be the last
// time. Pure: the time is given.

const EVERY_MS = 10_000
/** A place this near to the one that was told is the same. */
const SAME_SEC = 0.5

/** Decides which places the node hears of. */
export class PlaceReports {
  #toldMs = Number.NEGATIVE_INFINITY
  #toldSec: number

  /** `fromSec`: the place the node knows. */
  constructor(fromSec: number) {
    this.#toldSec = fromSec
  }

  /** Whether to tell the place now; then it counts as told. `last`: it pauses, ends or goes away. */
  due(nowMs: number, placeSec: number, last: boolean): boolean {
    if (!(placeSec > 0) || Math.abs(placeSec - this.#toldSec) < SAME_SEC) return false
    if (!last && nowMs - this.#toldMs < EVERY_MS) return false
    this.#toldMs = nowMs
    this.#toldSec = placeSec
    return true
  }
}
