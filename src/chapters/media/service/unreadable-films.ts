// Films that could not be read, remembered for a while: whoever asks for one again and again gets the same answer, and
// not three seconds of a processor each time.

import type { Clock } from '../../../ports/clock.ts'

/** It may have been the machine's fault. */
const KEPT_MS = 10 * 60_000
const MAX_FILMS = 512

/** Films that could not be read. */
export class UnreadableFilms {
  readonly #clock: Clock
  readonly #keptMs: number
  readonly #films = new Map<string, { readonly why: string; readonly untilMs: number }>()

  constructor(clock: Clock, keptMs = KEPT_MS) {
    this.#clock = clock
    this.#keptMs = keptMs
  }

  /** Remembers one, by its tag. */
  note(tag: string, why: string): void {
    this.#films.delete(tag)
    this.#films.set(tag, { why, untilMs: this.#clock.now() + this.#keptMs })
    const [oldest] = this.#films.keys()
    if (this.#films.size > MAX_FILMS && oldest !== undefined) this.#films.delete(oldest)
  }

  /** Why it could not be read lately; null = nothing is known against it. */
  why(tag: string): string | null {
    const found = this.#films.get(tag)
    if (found === undefined) return null
    if (found.untilMs > this.#clock.now()) return found.why
    this.#films.delete(tag)
    return null
  }
}
