// How much came in that is of use, second by second, over the last minute: the rate, and how far it swings. Knows no
// clock: times are given in ms and must not go back. Invariant: memory is a ring of SAMPLES numbers.

const SAMPLES = 64
/** The rate is that of the last seconds; how far it swings is seen over all that is kept. */
const RATE_SAMPLES = 20
/** What comes in blocks is uneven within a second anyway, so that swings are looked for in runs of so many. */
const RUN_SAMPLES: readonly number[] = [2, 4, 8]
/** Runs of a length that make a spread. */
const LEAST_RUNS = 4
/** Before that many samples the meter of the last seconds knows better, from so long after the first bytes on. */
const LEAST_SAMPLES = 2
const LEAST_MS = 1000
/** Nobody looked for so long: what was before says nothing of now. */
const GAP_MS = 3000

/** A rate and what is known of its swings. */
export interface RateEstimate {
  readonly bytesPerSecond: number
  /**
   * Bytes by which the sum of a second deviates (standard deviation); of n seconds that times the root of n. Null: it
   * has not been watched for long enough.
   */
  readonly spread: number | null
}

/** Bytes that came in, all ever: with those that came twice, and those that are of use. */
export interface ReceivedBytes {
  readonly all: number
  readonly useful: number
}

/** The rate of one torrent. */
export class RateHistory {
  readonly #rates = new Float64Array(SAMPLES)
  #count = 0
  #seenMs = -1
  /** When bytes were seen first. */
  #beganMs = 0
  #seen: ReceivedBytes = { all: 0, useful: 0 }
  /** Since the first bytes: the share of them that is of use is #useful / #all. */
  #all = 0
  #useful = 0

  /** Called about once a second. */
  note(nowMs: number, received: ReceivedBytes): void {
    const elapsedMs = nowMs - this.#seenMs
    const isFirst = this.#seenMs < 0 || elapsedMs > GAP_MS
    if (!isFirst && elapsedMs <= 0) return
    const all = received.all - this.#seen.all
    // A check of the data moves what is useful without anything coming in; a piece that fails takes it back.
    const useful = Math.max(0, Math.min(all, received.useful - this.#seen.useful))
    this.#seenMs = nowMs
    this.#seen = received
    if (isFirst) this.#count = this.#all = this.#useful = 0
    // Nothing has come yet: that is no rate of 0.
    if (isFirst || (this.#count === 0 && all <= 0)) return
    if (this.#count === 0) this.#beganMs = nowMs
    this.#all += all
    this.#useful += useful
    this.#rates[this.#count % SAMPLES] = (useful * 1000) / elapsedMs
    this.#count += 1
  }

  /**
   * Null: nothing came, or only just now. `meter`: bytes/s of all that came in the last seconds, which counts while
   * little is noted.
   */
  estimate(nowMs: number, meter: number): RateEstimate | null {
    if (this.#count === 0 || nowMs - this.#seenMs > GAP_MS || nowMs - this.#beganMs < LEAST_MS) return null
    // The second in which it began is a part of one.
    const kept = Math.min(SAMPLES, this.#count - 1)
    if (kept < LEAST_SAMPLES) return { bytesPerSecond: (meter * this.#useful) / this.#all, spread: null }
    const rates = Array.from({ length: kept }, (_, i) => this.#rates[(this.#count - kept + i) % SAMPLES] ?? 0)
    return { bytesPerSecond: meanOf(rates.slice(-RATE_SAMPLES)), spread: spreadOf(rates) }
  }
}

/** By the means of runs: where swings last long, the sums of many seconds deviate more than those of one tell. */
function spreadOf(rates: readonly number[]): number | null {
  let most: number | null = null
  for (const length of RUN_SAMPLES) {
    const runs: number[] = []
    for (let end = rates.length; end >= length; end -= length) runs.push(meanOf(rates.slice(end - length, end)))
    if (runs.length < LEAST_RUNS) break
    const mean = meanOf(runs)
    const variance = runs.reduce((sum, run) => sum + (run - mean) ** 2, 0) / (runs.length - 1)
    most = Math.max(most ?? 0, length * variance)
  }
  return most === null ? null : Math.sqrt(most)
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
}
