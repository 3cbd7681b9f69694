// Answers that may last for hours (streams, events, dumps) and were opened by a key that can be taken back: they are
// cut when it is. One timer, which runs only while there are such answers.

import type { Clock, Timer } from '../ports/clock.ts'
import type { KeyHolder } from './auth.ts'
import type { Scope } from './route.ts'

/** Between two looks; each is one look at the list of keys and a comparison an answer. */
const LOOK_MS = 2_000

/** An answer that can be ended; cut() does nothing once it is over. */
interface LastingAnswer {
  readonly alive: boolean
  cut(): void
}

/**
 * Answers that may last for hours (streams, events, dumps) and were opened by a key that can be taken back: they are
 * cut when it is.
 */
export class KeyWatch {
  readonly #clock: Clock
  /** With what tells whether the key still opens it. Those that are over go with the next look. */
  readonly #answers = new Map<LastingAnswer, () => boolean>()
  #timer: Timer | null = null

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Answers that are watched. */
  get size(): number {
    return this.#answers.size
  }

  /** Cuts `answer`, which needs `scope`, once the key of `holder` does not open it any more. */
  watch(answer: LastingAnswer, { stillMay }: KeyHolder, scope: Scope): void {
    if (stillMay === null) return
    this.#answers.set(answer, () => stillMay(scope))
    this.#timer ??= this.#clock.every(LOOK_MS, () => this.#look())
  }

  /** Watches nothing any more. */
  stop(): void {
    this.#answers.clear()
    this.#timer?.cancel()
    this.#timer = null
  }

  #look(): void {
    for (const [answer, opens] of this.#answers) {
      if (answer.alive && opens()) continue
      this.#answers.delete(answer)
      answer.cut()
    }
    if (this.#answers.size === 0) this.stop()
  }
}
