// What one download moved in the last hour, day and month: three rings of sums in one block of memory, and their text
// for the store. A ring has a place for each step of time since 1970 modulo its length, so nothing has to be moved
// when time goes on. Pure; times are milliseconds since 1970, sums are bytes.

import type { RateRange, RateSeries } from './rates-api.ts'

/** A ring: its places begin at `at` with what came in, as many again behind those with what went out. */
interface Ring {
  readonly range: RateRange
  readonly stepSec: number
  readonly places: number
  readonly at: number
}

const RINGS: readonly Ring[] = [
  { range: 'hour', stepSec: 20, places: 180, at: 0 },
  { range: 'day', stepSec: 600, places: 144, at: 360 },
  { range: 'month', stepSec: 14_400, places: 186, at: 648 },
]

/** Numbers of all rings. */
const NUMBERS = 1020
/** Of what is stored: the format, the newest step of each ring, which halves of rings follow. */
const HEAD_NUMBERS = RINGS.length + 2
const FORMAT = 1
const BYTES = 4

/** Longest that is stored, bytes. */
export const MAX_STORED_BYTES = (HEAD_NUMBERS + NUMBERS) * BYTES

/** Where the halves of all rings begin and end. */
const HALVES: readonly (readonly [from: number, to: number])[] = RINGS.flatMap(
  ({ at, places }): (readonly [number, number])[] => [
    [at, at + places],
    [at + places, at + 2 * places],
  ],
)

/** More than any line carries in a month: what a damaged row says must not be drawn. */
const MOST_BYTES = 1e18

function validSum(sum: number): number {
  return sum > 0 && sum < MOST_BYTES ? sum : 0
}

/** Sums of one download. */
export class RateHistory {
  readonly #sums = new Float32Array(NUMBERS)
  /** The newest step of each ring. */
  readonly #newest = RINGS.map(() => 0)

  /** Bytes that moved between two times, as if evenly. */
  add(fromMs: number, toMs: number, down: number, up: number): void {
    for (const index of RINGS.keys()) this.#addTo(index, fromMs, toMs, down, up)
  }

  /** As averages; `atMs`: until when all that moved was added. */
  series(range: RateRange, atMs: number): RateSeries {
    const index = RINGS.findIndex(ring => ring.range === range)
    const ring = RINGS[index]
    if (ring === undefined) throw new RangeError(`no ring of a ${range}`)
    const { stepSec, places, at } = ring
    const stepMs = stepSec * 1000
    // A step that has just begun says nothing yet.
    const last = Math.ceil(atMs / stepMs) - 1
    const first = last - places + 1
    const rates = (from: number): number[] =>
      Array.from({ length: places }, (_, nth) => {
        const step = first + nth
        const seconds = step === last ? (atMs - step * stepMs) / 1000 : stepSec
        return Math.round(this.#sumAt(index, step, from) / seconds)
      })
    return { range, start: first * stepSec, step: stepSec, speed_down: rates(at), speed_up: rates(at + places) }
  }

  /** Adds what another has of the time that this one reaches over; an empty one reaches as far as the other. */
  merge(other: RateHistory): void {
    for (const [index, { places, at }] of RINGS.entries()) {
      const newest = other.#newest[index] ?? 0
      this.#newest[index] ||= newest
      for (let step = newest - places + 1; step <= newest; step++) {
        if (!this.#has(index, step)) continue
        for (const half of [at, at + places]) {
          const place = half + (step % places)
          this.#sums[place] = (this.#sums[place] ?? 0) + (other.#sums[place] ?? 0)
        }
      }
    }
  }

  /** For the store; halves of rings in which nothing moved are left out. */
  toBytes(): Uint8Array {
    const filled = HALVES.map(([from, to]) => this.#sums.subarray(from, to).some(sum => sum > 0))
    const kept = HALVES.filter((_, half) => filled[half])
    const mask = filled.reduce((bits, is, half) => bits | (is ? 1 << half : 0), 0)
    const head = Uint32Array.of(FORMAT, ...this.#newest, mask)
    const parts = [head, ...kept.map(([from, to]) => this.#sums.subarray(from, to))]
    return Buffer.concat(parts.map(part => new Uint8Array(part.buffer, part.byteOffset, part.byteLength)))
  }

  /** Of what was stored; null where it is nothing that toBytes() gave. */
  static fromBytes(stored: Uint8Array): RateHistory | null {
    const headBytes = HEAD_NUMBERS * BYTES
    if (stored.length < headBytes || stored.length > MAX_STORED_BYTES || stored.length % BYTES > 0) return null
    // A copy, which begins where numbers may begin.
    const { buffer } = Uint8Array.from(stored)
    const [format, ...rest] = new Uint32Array(buffer, 0, HEAD_NUMBERS)
    const mask = rest.pop() ?? 0
    const kept = HALVES.filter((_, half) => (mask & (1 << half)) > 0)
    const numbers = kept.reduce((sum, [from, to]) => sum + to - from, 0)
    if (format !== FORMAT || mask >= 1 << HALVES.length || stored.length !== headBytes + numbers * BYTES) return null
    const history = new RateHistory()
    let offset = headBytes
    for (const [from, to] of kept) {
      history.#sums.set(new Float32Array(buffer, offset, to - from).map(validSum), from)
      offset += (to - from) * BYTES
    }
    for (const [index, newest] of rest.entries()) history.#newest[index] = newest
    return history
  }

  #addTo(index: number, fromMs: number, toMs: number, down: number, up: number): void {
    const { stepSec, places } = RINGS[index] as Ring
    const stepMs = stepSec * 1000
    const last = Math.floor(toMs / stepMs)
    const first = Math.max(Math.floor(fromMs / stepMs), last - places + 1)
    if (fromMs >= toMs || first === last) return this.#addAt(index, last, down, up)
    const beganMs = Math.max(fromMs, first * stepMs)
    for (let step = first; step <= last; step++) {
      const overlapMs = Math.min(toMs, (step + 1) * stepMs) - Math.max(beganMs, step * stepMs)
      const part = overlapMs / (toMs - beganMs)
      if (part > 0) this.#addAt(index, step, down * part, up * part)
    }
  }

  #addAt(index: number, step: number, down: number, up: number): void {
    const { places, at } = RINGS[index] as Ring
    this.#reach(index, step)
    const place = at + (step % places)
    this.#sums[place] = (this.#sums[place] ?? 0) + down
    this.#sums[place + places] = (this.#sums[place + places] ?? 0) + up
  }

  /** Makes `step` one of those that the ring has. */
  #reach(index: number, step: number): void {
    const { places, at } = RINGS[index] as Ring
    const newest = this.#newest[index] ?? 0
    // The clock went back further than the ring reaches: what it has is of a time that never was.
    const isBehind = step <= newest - places
    if (!isBehind && step <= newest) return
    const first = Math.max(0, isBehind ? 0 : newest + 1, step - places + 1)
    for (let each = first; each <= step; each++) {
      const place = at + (each % places)
      this.#sums[place] = 0
      this.#sums[place + places] = 0
    }
    this.#newest[index] = step
  }

  /** The sum of a step, 0 of one that the ring does not have. `from`: where the half begins. */
  #sumAt(index: number, step: number, from: number): number {
    const { places } = RINGS[index] as Ring
    return this.#has(index, step) ? (this.#sums[from + (step % places)] ?? 0) : 0
  }

  #has(index: number, step: number): boolean {
    const newest = this.#newest[index] ?? 0
    return step >= 0 && step <= newest && step > newest - (RINGS[index] as Ring).places
  }
}
