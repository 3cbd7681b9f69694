// Measures bytes per second over the last few seconds. Knows no clock: times are given in ms and must not go back.
// Invariant: memory is one ring of SLICES numbers, whatever is counted.

const SLICES = 10

/** A moving average of bytes per second, plus the total. */
export class RateMeter {
  readonly #sliceMs: number
  readonly #leastMs: number
  readonly #ring = new Float64Array(SLICES)
  #slice = -1
  #firstMs = -1
  #sum = 0
  #total = 0

  /** `windowMs`: how far back the average looks (default 5 s); `leastMs`: what is divided by at least (default 1 s). */
  constructor(windowMs = 5000, leastMs = 1000) {
    this.#sliceMs = windowMs / SLICES
    this.#leastMs = leastMs
  }

  /** All bytes ever added. */
  get total(): number {
    return this.#total
  }

  /** Counts `bytes` at `nowMs`. */
  add(nowMs: number, bytes: number): void {
    this.#turn(nowMs)
    const at = this.#slice % SLICES
    this.#ring[at] = (this.#ring[at] ?? 0) + bytes
    this.#sum += bytes
    this.#total += bytes
  }

  /**
   * Bytes per second over the window, whole; a meter younger than the window divides by its age, at least `leastMs`.
   */
  rate(nowMs: number): number {
    if (this.#sum === 0) return 0
    this.#turn(nowMs)
    if (this.#sum === 0) return 0
    const spanMs = Math.min(nowMs - this.#firstMs, (SLICES - 1) * this.#sliceMs + (nowMs % this.#sliceMs))
    return Math.round((this.#sum * 1000) / Math.max(this.#leastMs, spanMs))
  }

  /** True when nothing was counted in the window: a caller may drop its timer. */
  idle(nowMs: number): boolean {
    return this.rate(nowMs) === 0
  }

  #turn(nowMs: number): void {
    const slice = Math.floor(nowMs / this.#sliceMs)
    if (slice <= this.#slice) return
    if (this.#slice < 0 || slice - this.#slice >= SLICES) {
      this.#ring.fill(0)
      this.#sum = 0
      this.#firstMs = nowMs
    } else {
      for (let i = this.#slice + 1; i <= slice; i++) {
        this.#sum -= this.#ring[i % SLICES] ?? 0
        this.#ring[i % SLICES] = 0
      }
    }
    this.#slice = slice
  }
}
