// A source that is read from one place on forward: small reads come out of a window that moves along, and all that is
// fetched counts against a budget. What was given out before stays as it is.

import { type ByteSource, OverBudget } from '../../media/core/byte-source.ts'

/** A window, bytes; behind what is wanted for certain a short one: every byte may have to be downloaded first. */
const WINDOW_BYTES = 256 * 1024
const SHORT_WINDOW_BYTES = 16 * 1024

/** A source that is read forward. */
export class ForwardBytes implements ByteSource {
  readonly #inner: ByteSource
  readonly #certainEnd: number
  readonly #budget: number
  #fetched = 0
  #start = 0
  #window: Uint8Array = new Uint8Array(0)

  /** `certainEnd`: bytes up to there are wanted in any case; `budget`: bytes that may be fetched in all. */
  constructor(inner: ByteSource, certainEnd: number, budget: number) {
    this.#inner = inner
    this.#certainEnd = certainEnd
    this.#budget = budget
  }

  get size(): number {
    return this.#inner.size
  }

  read(start: number, end: number): Uint8Array {
    if (start < this.#start || end > this.#start + this.#window.length) this.#move(start, end)
    return this.#window.subarray(start - this.#start, end - this.#start)
  }

  #move(start: number, end: number): void {
    const ahead =
      start < this.#certainEnd ? Math.min(start + WINDOW_BYTES, this.#certainEnd) : start + SHORT_WINDOW_BYTES
    const to = Math.min(this.size, Math.max(end, ahead))
    if (this.#fetched + to - start > this.#budget) throw new OverBudget(this.#budget)
    this.#window = this.#inner.read(start, to)
    this.#fetched += to - start
    this.#start = start
  }
}
