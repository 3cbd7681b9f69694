// How long an answer may take: round-trip time and its variation over all nodes of a family, as TCP estimates them
// (RFC 6298). Keeps three numbers.

/** Before anything was measured: milliseconds. */
const FIRST_RTT_MS = 400
/** Bounds of "slow": below it is chance, longer is not waited before another node is asked. */
const MIN_SLOW_MS = 300
const MAX_SLOW_MS = 2000
/** Silence is this many times what is slow, within bounds: far nodes on mobile lines answer within seconds. */
const TIMEOUT_FACTOR = 4
const MIN_TIMEOUT_MS = 2000
const MAX_TIMEOUT_MS = 8000

/** Times of one network. */
export class RttEstimate {
  #meanMs = FIRST_RTT_MS
  #variationMs = FIRST_RTT_MS / 2
  #measured = false

  /** An answer took `rttMs`. */
  add(rttMs: number): void {
    if (!this.#measured) {
      this.#measured = true
      this.#meanMs = rttMs
      this.#variationMs = rttMs / 2
      return
    }
    this.#variationMs += (Math.abs(rttMs - this.#meanMs) - this.#variationMs) / 4
    this.#meanMs += (rttMs - this.#meanMs) / 8
  }

  /** After this another node is asked too. */
  get slowMs(): number {
    return Math.min(MAX_SLOW_MS, Math.max(MIN_SLOW_MS, this.#meanMs + 4 * this.#variationMs))
  }

  /** After this nothing is expected any more. */
  get timeoutMs(): number {
    return Math.min(MAX_TIMEOUT_MS, Math.max(MIN_TIMEOUT_MS, this.slowMs * TIMEOUT_FACTOR))
  }
}
