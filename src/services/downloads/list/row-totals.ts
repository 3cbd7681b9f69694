// Sums over the rows of the list, kept while rows come, go and change: whoever asks for them looks at no row.

import { LIST_STATES, type ListState, type ListTotals } from './list-query-api.ts'

/** What of a row is summed. */
export interface SummedRow {
  /** As stateBits() has them. */
  readonly bits: number
  /** Whole bytes a second: sums of fractions would drift. */
  readonly down: number
  readonly up: number
}

/** Sums over the rows of the list. */
export class RowTotals {
  readonly #counts = new Uint32Array(LIST_STATES.length)
  #count = 0
  #down = 0
  #up = 0

  /** A row came, 1, or went, -1. */
  note({ bits, down, up }: SummedRow, sign: 1 | -1): void {
    this.#count += sign
    this.#down += sign * down
    this.#up += sign * up
    for (let at = 0; at < LIST_STATES.length; at++)
      if ((bits & (1 << at)) !== 0) this.#counts[at] = (this.#counts[at] ?? 0) + sign
  }

  /** No row is there. */
  clear(): void {
    this.#counts.fill(0)
    this.#count = this.#down = this.#up = 0
  }

  /** The sums of now. */
  read(): ListTotals {
    const counted = LIST_STATES.map((state, at) => [state, this.#counts[at] ?? 0] as const)
    const states = Object.fromEntries(counted) as Record<ListState, number>
    return { count: this.#count, speed_down: this.#down, speed_up: this.#up, states }
  }
}
