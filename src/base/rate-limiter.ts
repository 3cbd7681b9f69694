// Token buckets that share: a torrent's bucket is below the session's, and a byte must be granted by both. Knows no
// clock; times are given in ms and must not go back. Invariant: what is granted in any span is at most rate x span plus
// one burst.

/** Longest stretch of unused rate that is saved up: short, so that a limit looks smooth from outside. */
const BURST_MS = 500
/** A bucket always holds at least one block and its head, or a tiny rate could never send one. */
const MIN_BURST_BYTES = 16 * 1024 + 64

/** A token bucket with an optional parent. Rate 0 = unlimited. */
export class RateLimiter {
  readonly #parent: RateLimiter | null
  #rate: number
  #tokens: number
  #lastMs = Number.NEGATIVE_INFINITY

  /** `rate` in bytes/s, 0 = unlimited; `parent` must grant too (global above per torrent). */
  constructor(rate: number, parent: RateLimiter | null = null) {
    this.#rate = rate
    this.#parent = parent
    this.#tokens = this.#burst()
  }

  /** The bucket's own rate, bytes/s; 0 = unlimited. */
  get rate(): number {
    return this.#rate
  }

  /** True when neither this bucket nor one above it limits. */
  get unlimited(): boolean {
    return this.#rate === 0 && (this.#parent === null || this.#parent.unlimited)
  }

  /** Changes the rate (bytes/s, 0 = unlimited); tokens saved above the new burst are lost. */
  setRate(rate: number): void {
    if (this.#rate === 0) this.#tokens = MIN_BURST_BYTES
    this.#rate = rate
    this.#tokens = Math.min(this.#tokens, this.#burst())
  }

  /** Takes up to `want` bytes; answers how many were granted (0 to want). */
  take(nowMs: number, want: number): number {
    const granted = Math.max(0, Math.min(want, Math.floor(this.available(nowMs))))
    if (granted > 0) this.#spend(granted)
    return granted
  }

  /**
   * Takes all of `want` or nothing. A `want` above the burst is granted when the bucket is full (and leaves a debt).
   */
  takeAll(nowMs: number, want: number): boolean {
    if (this.msUntil(nowMs, want) > 0) return false
    this.#spend(want)
    return true
  }

  /** Bytes that take() would grant now; Infinity when nothing limits. */
  available(nowMs: number): number {
    const above = this.#parent === null ? Number.POSITIVE_INFINITY : this.#parent.available(nowMs)
    if (this.#rate === 0) return above
    this.#fill(nowMs)
    return Math.min(above, this.#tokens)
  }

  /** Milliseconds until `want` bytes (or a full bucket) are there; 0 = now. */
  msUntil(nowMs: number, want: number): number {
    const above = this.#parent === null ? 0 : this.#parent.msUntil(nowMs, want)
    if (this.#rate === 0) return above
    this.#fill(nowMs)
    const lacking = Math.min(want, this.#burst()) - this.#tokens
    return Math.max(above, lacking <= 0 ? 0 : Math.ceil((lacking * 1000) / this.#rate))
  }

  /** Gives back bytes that were taken and not used. */
  giveBack(bytes: number): void {
    if (this.#rate !== 0) this.#tokens = Math.min(this.#burst(), this.#tokens + bytes)
    this.#parent?.giveBack(bytes)
  }

  #spend(bytes: number): void {
    if (this.#rate !== 0) this.#tokens -= bytes
    if (this.#parent !== null) this.#parent.#spend(bytes)
  }

  #fill(nowMs: number): void {
    if (nowMs > this.#lastMs) {
      const earned = this.#lastMs === Number.NEGATIVE_INFINITY ? 0 : ((nowMs - this.#lastMs) * this.#rate) / 1000
      this.#tokens = Math.min(this.#burst(), this.#tokens + earned)
      this.#lastMs = nowMs
    }
  }

  #burst(): number {
    return Math.max(MIN_BURST_BYTES, (this.#rate * BURST_MS) / 1000)
  }
}
