// Gathers the key frames of a film into a table of bounded length: where there are more than it may have, those that
// follow each other too closely are left out. Invariant: times rise, and follow each other by at least `gap`; bytes lie
// in the file.

import type { KeyTable } from './film-facts.ts'
import { MOST_SECONDS } from './film-parts.ts'

/** A film of two hours has 500 to 15,000; files of key frames only have hundreds of thousands. */
export const MAX_KEYS = 16_384
/** The first gap when they become too many, s; doubled as often as needed. */
const FIRST_GAP = 0.125

/** Key frames as they are found; in any order. */
export class KeyGathering {
  readonly #track: number
  readonly #size: number
  #times: number[] = []
  #bytes: number[] = []
  #gap = 0
  #sorted = true

  /** `track`: number of the track whose frames they are; `size`: of the file, bytes. */
  constructor(track: number, size: number) {
    this.#track = track
    this.#size = size
  }

  /**
   * A frame at `seconds`, read from byte `at` on. What no film has, or lies beyond the file, is passed over; the film
   * begins at 0.
   */
  add(seconds: number, at: number): void {
    // Also true of what is no number.
    if (!(seconds <= MOST_SECONDS) || !(at >= 0 && at < this.#size)) return
    const time = round(Math.max(0, seconds))
    const before = this.#times.at(-1)
    if (before !== undefined && time < before + this.#gap) {
      if (time >= before) return
      this.#sorted = false
    }
    this.#times.push(time)
    this.#bytes.push(at)
    if (this.#times.length > 2 * MAX_KEYS) this.#thin(MAX_KEYS)
  }

  /** The table; null when there is no frame at all. */
  table(): KeyTable | null {
    this.#thin(MAX_KEYS)
    if (this.#times.length === 0) return null
    return { track: this.#track, times: this.#times, bytes: this.#bytes, gap: this.#gap }
  }

  #thin(most: number): void {
    this.#sort()
    this.#keep(this.#gap)
    while (this.#times.length > most) {
      this.#gap = this.#gap === 0 ? FIRST_GAP : this.#gap * 2
      this.#keep(this.#gap)
    }
  }

  #sort(): void {
    if (this.#sorted) return
    const order = this.#times.map((_, at) => at).toSorted((a, b) => (this.#times[a] ?? 0) - (this.#times[b] ?? 0))
    this.#times = order.map(at => this.#times[at] ?? 0)
    this.#bytes = order.map(at => this.#bytes[at] ?? 0)
    this.#sorted = true
  }

  /** Takes out those within `gap` of the one before, and doubles. */
  #keep(gap: number): void {
    const times: number[] = []
    const bytes: number[] = []
    let last = Number.NEGATIVE_INFINITY
    for (const [at, time] of this.#times.entries()) {
      if (time === last || time - last < gap) continue
      times.push(time)
      bytes.push(this.#bytes[at] ?? 0)
      last = time
    }
    this.#times = times
    this.#bytes = bytes
  }
}

/** Of a table those whose bytes rise too: the others lead back to what lies before. */
export function risingKeys({ times, bytes }: KeyTable): Pick<KeyTable, 'times' | 'bytes'> {
  const rising = { times: [] as number[], bytes: [] as number[] }
  for (const [at, byte] of bytes.entries()) {
    if (byte <= (rising.bytes.at(-1) ?? -1)) continue
    rising.bytes.push(byte)
    rising.times.push(times[at] ?? 0)
  }
  return rising
}

/** To microseconds: more is noise, and would only make answers longer. */
function round(time: number): number {
  return Math.round(time * 1e6) / 1e6
}
