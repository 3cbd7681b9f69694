// When something of a download begins to come in, for those who ask at once then. A rate that falls to nothing and
// comes back every few seconds, as that of a download that makes way for another does, is not a beginning each time.
// Pure.

import { GrowingPause } from '../growing-pause.ts'

/** Between two beginnings that count: each pause is twice as long, until there was none for the longest of them. */
const LEAST_MS = 5000
const MOST_MS = 60_000

/** Counts beginnings. */
export class Beginnings {
  readonly #pause = new GrowingPause(LEAST_MS, MOST_MS)
  #count = 0
  #came = false
  /** The first moment at which the next one counts. */
  #nextMs = Number.NEGATIVE_INFINITY

  /** How many there were. `coming`: something comes in now. */
  note(coming: boolean, nowMs: number): number {
    const begins = coming && !this.#came
    this.#came = coming
    if (!begins || nowMs < this.#nextMs) return this.#count
    if (nowMs - this.#nextMs > MOST_MS) this.#pause.restart()
    this.#count += 1
    this.#nextMs = nowMs + this.#pause.next()
    return this.#count
  }
}
