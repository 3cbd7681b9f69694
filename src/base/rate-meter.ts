// Measures bytes per second over the last few seconds. Knows no clock: times are given in ms and must not go back.
// Invariant: memory is one ring of SLICES numbers, and a few, whatever is counted.

const SLICES = 10

/** Places behind the slices of a ring: bytes in the window, bytes ever, ms of the first bytes in the window. */
const SUM = SLICES
const TOTAL = SLICES + 1
const FIRST_MS = SLICES + 2

/** A moving average of bytes per second, plus the total. */
export class RateMeter {
  readonly #sliceMs: number
  readonly #leastMs: number
  // Sums beyond 2^31 and times lie with the slices: fields would change their kind, and machine code with them.
  readonly #ring = new Float64Array(SLICES + 3)
  #slice = -1

  /** `windowMs`: how far back the average looks (default 5 s); `leastMs`: what is divided by at least (default 1 s). */
  constructor(windowMs = 5000, leastMs = 1000) {
    this.#sliceMs = windowMs / SLICES
    this.#leastMs = leastMs
  }

  /** All bytes ever added. */
  get total(): number {
    return this.#figure(TOTAL)
  }

  /** Clock ms about which something was counted last: at most a window later. Below all others: never. */
  get lastMs(): number {
    return this.#slice < 0 ? Number.NEGATIVE_INFINITY : this.#slice * this.#sliceMs
  }

  /** Counts `bytes` at `nowMs`. */
  add(nowMs: number, bytes: number): void {
    this.#turn(nowMs)
    const at = this.#slice % SLICES
    this.#ring[at] = (this.#ring[at] ?? 0) + bytes
    this.#ring[SUM] = this.#figure(SUM) + bytes
    this.#ring[TOTAL] = this.#figure(TOTAL) + bytes
  }

  /**
   * Bytes per second over the window, whole; a meter younger than the window divides by its age, at least `leastMs`.
   */
  rate(nowMs: number): number {
    if (this.#figure(SUM) === 0) return 0
    this.#turn(nowMs)
    if (this.#figure(SUM) === 0) return 0
    const spanMs = Math.min(nowMs - this.#figure(FIRST_MS), (SLICES - 1) * this.#sliceMs + (nowMs % this.#sliceMs))
    return Math.round((this.#figure(SUM) * 1000) / Math.max(this.#leastMs, spanMs))
  }

  /** True when nothing was counted in the window: a caller may drop its timer. */
  idle(nowMs: number): boolean {
    return this.rate(nowMs) === 0
  }

  #figure(at: number): number {
    return this.#ring[at] as number
  }

  #turn(nowMs: number): void {
    const slice = Math.floor(nowMs / this.#sliceMs)
    if (slice <= this.#slice) return
    if (this.#slice < 0 || slice - this.#slice >= SLICES) {
      this.#ring.fill(0, 0, SLICES)
      this.#ring[SUM] = 0
      this.#ring[FIRST_MS] = nowMs
    } else {
      for (let i = this.#slice + 1; i <= slice; i++) {
        this.#ring[SUM] = this.#figure(SUM) - (this.#ring[i % SLICES] ?? 0)
        this.#ring[i % SLICES] = 0
      }
    }
    this.#slice = slice
  }
}
