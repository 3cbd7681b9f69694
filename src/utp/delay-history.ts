// One-way delays as two clocks that know nothing of each other show them: only what a delay is above the lowest of the
// last minutes means something, namely the time spent in queues (BEP 29, RFC 6817). Microseconds of 32 bits that wrap.

import { microsBefore, microsBetween } from './sequence.ts'

/** Minutes whose minima are kept (libtorrent keeps as many; RFC 6817 asks for at least 2). */
const HISTORY_MINUTES = 20
const MINUTE_MS = 60_000

/** The base delay of one direction. */
export class DelayHistory {
  readonly #minima = new Uint32Array(HISTORY_MINUTES)
  #index = 0
  #base = 0
  #known = false
  #minuteEndsMs = 0

  get known(): boolean {
    return this.#known
  }

  /** The lowest delay of the last minutes, by both clocks. Means something only against another one. */
  get base(): number {
    return this.#base
  }

  /** Takes a delay in and answers what it is above the base, microseconds. */
  add(sample: number, nowMs: number): number {
    if (!this.#known) this.#begin(sample, nowMs)
    else if (nowMs >= this.#minuteEndsMs) this.#nextMinute(sample, nowMs)
    else if (microsBefore(sample, this.#minima[this.#index] ?? 0)) this.#minima[this.#index] = sample
    if (microsBefore(sample, this.#base)) this.#base = sample
    return microsBetween(sample, this.#base)
  }

  /** Moves everything up by `micros`: the clocks drift apart by that much. */
  raise(micros: number): void {
    if (!this.#known) return
    this.#base = (this.#base + micros) >>> 0
    for (let at = 0; at < HISTORY_MINUTES; at++) this.#minima[at] = ((this.#minima[at] ?? 0) + micros) >>> 0
  }

  #begin(sample: number, nowMs: number): void {
    this.#known = true
    this.#minima.fill(sample)
    this.#base = sample
    this.#minuteEndsMs = nowMs + MINUTE_MS
  }

  #nextMinute(sample: number, nowMs: number): void {
    this.#minuteEndsMs = nowMs + MINUTE_MS
    this.#index = (this.#index + 1) % HISTORY_MINUTES
    this.#minima[this.#index] = sample
    let base = sample
    for (const minimum of this.#minima) if (microsBefore(minimum, base)) base = minimum
    this.#base = base
  }
}
