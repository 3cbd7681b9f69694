// Random from a seed: the same seed gives the same run. Not for keys.

import type { Random } from '../../../src/ports/random.ts'

/** A mulberry32 generator behind the Random port. */
export class SeededRandom implements Random {
  readonly seed: number
  #state: number

  constructor(seed = 1) {
    this.seed = seed
    this.#state = seed >>> 0
  }

  bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.#next() & 0xff)
  }

  below(below: number): number {
    return below <= 1 ? 0 : this.#next() % below
  }

  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let t = this.#state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return (t ^ (t >>> 14)) >>> 0
  }
}
