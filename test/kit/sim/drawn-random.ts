// Chance that is written down by what it was drawn for, and drawn again from that: keys, cookies, circuit ids,
// identifiers and choices each have a list of their own, so that one draw more of one kind does not move the others.

import type { Random } from '../../../src/ports/random.ts'

/** Draws by kind: `b` and the number of bytes with their hexadecimal digits, `n` and the bound with numbers. */
export type Draws = Record<string, (string | number)[]>

/**
 * Chance that is written down by what it was drawn for, and drawn again from that: keys, cookies, circuit ids,
 * identifiers and choices each have a list of their own, so that one draw more of one kind does not move the others.
 * Draws that are not in the lists come from `beyond` and are added.
 */
export class DrawnRandom implements Random {
  readonly draws: Draws
  readonly #at = new Map<string, number>()
  readonly #beyond: Random

  constructor(draws: Draws, beyond: Random) {
    this.draws = draws
    this.#beyond = beyond
  }

  bytes(count: number): Uint8Array {
    const drawn = this.#next(`b${count}`, () => Buffer.from(this.#beyond.bytes(count)).toString('hex'))
    return Uint8Array.from(Buffer.from(String(drawn), 'hex'))
  }

  below(below: number): number {
    return below <= 1 ? 0 : Number(this.#next(`n${below}`, () => this.#beyond.below(below)))
  }

  #next(kind: string, fresh: () => string | number): string | number {
    const list = (this.draws[kind] ??= [])
    const position = this.#at.get(kind) ?? 0
    this.#at.set(kind, position + 1)
    const drawn = list[position] ?? fresh()
    list[position] = drawn
    return drawn
  }
}
