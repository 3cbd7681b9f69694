// The pause between questions that are in vain: each is twice as long as the one before. Pure.

/** Pauses of one row of questions, ms. */
export class GrowingPause {
  readonly #firstMs: number
  readonly #mostMs: number
  #nextMs: number

  constructor(firstMs: number, mostMs: number) {
    this.#firstMs = firstMs
    this.#mostMs = mostMs
    this.#nextMs = firstMs
  }

  /** The pause now. */
  next(): number {
    const pauseMs = this.#nextMs
    this.#nextMs = Math.min(this.#mostMs, pauseMs * 2)
    return pauseMs
  }

  /** A question was not in vain. */
  restart(): void {
    this.#nextMs = this.#firstMs
  }
}
