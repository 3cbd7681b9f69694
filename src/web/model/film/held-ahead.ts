// How far ahead of the place that is played a track is held: half of it when the browser's buffer is full, and step by
// step what is usual when it takes what it gets. Pure.

/** It holds no less, seconds. */
const LEAST_SEC = 4
/** A buffer that is full is tried at each step of the film: it is one refusal until so long afterwards, ms. */
const ONE_REFUSAL_MS = 5000
/** A step, and how long nothing was refused before it. */
const STEP = 1.25
const QUIET_MS = 30_000
/** What was refused as soon as it grew is tried half as often each time, up to this, ms. */
const MOST_QUIET_MS = 8 * QUIET_MS

/** How far ahead one track is held. */
export class HeldAhead {
  readonly #mostSec: number
  #sec: number
  /** When it was changed last. */
  #changedMs = Number.NEGATIVE_INFINITY
  #quietMs = QUIET_MS
  #hasGrown = false

  /** `mostSec`: what it begins with, and never exceeds. */
  constructor(mostSec: number) {
    this.#mostSec = mostSec
    this.#sec = mostSec
  }

  /** Seconds, now. */
  get sec(): number {
    return this.#sec
  }

  /** The browser did not take a part. */
  refused(nowMs: number): void {
    const isSame = !this.#hasGrown && nowMs - this.#changedMs < ONE_REFUSAL_MS
    if (isSame) return
    if (this.#hasGrown) this.#quietMs = Math.min(MOST_QUIET_MS, this.#quietMs * 2)
    // What was held before the last step was taken.
    const less = this.#sec / (this.#hasGrown ? STEP : 2)
    this.#hasGrown = false
    this.#changedMs = nowMs
    this.#sec = Math.max(LEAST_SEC, less)
  }

  /** The browser took a part. */
  took(nowMs: number): void {
    if (this.#sec >= this.#mostSec || nowMs - this.#changedMs < this.#quietMs) return
    this.#hasGrown = true
    this.#changedMs = nowMs
    this.#sec = Math.min(this.#mostSec, this.#sec * STEP)
  }
}
