// How often something may happen: a bucket of tokens that refills with time. Knows no clock: the caller says what time
// it is. Invariant: never more than `capacity` in a burst, and on average one each `refillMs`.

/** A bucket of tokens, full at first. */
export class Allowance {
  readonly #capacity: number
  readonly #refillMs: number
  #tokens: number
  #sinceMs: number | null = null

  /** `capacity`: tokens at most, a whole number from 1; `refillMs`: one more after so many milliseconds. */
  constructor(capacity: number, refillMs: number) {
    this.#capacity = capacity
    this.#refillMs = refillMs
    this.#tokens = capacity
  }

  /** Takes a token if there is one. `nowMs` never goes back. */
  take(nowMs: number): boolean {
    this.#refill(nowMs)
    if (this.#tokens === 0) return false
    this.#tokens -= 1
    return true
  }

  /** Tokens that could be taken now. */
  available(nowMs: number): number {
    this.#refill(nowMs)
    return this.#tokens
  }

  #refill(nowMs: number): void {
    this.#sinceMs ??= nowMs
    const earned = Math.floor((nowMs - this.#sinceMs) / this.#refillMs)
    if (earned <= 0) return
    this.#tokens = Math.min(this.#capacity, this.#tokens + earned)
    // A full bucket earns nothing: its next token counts from when it is used.
    this.#sinceMs = this.#tokens === this.#capacity ? nowMs : this.#sinceMs + earned * this.#refillMs
  }
}
