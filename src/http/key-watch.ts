// Answers that may last for hours (streams, events, dumps) and were opened by a key that can be taken back: they are
// cut when it is. One timer, which runs only while there are such answers.

import { AppError } from '../base/errors.ts'
import type { Clock, Timer } from '../ports/clock.ts'
import type { KeyHolder } from './auth.ts'
import type { Scope } from './route.ts'

/** Between two looks; each is one look at the list of keys and a comparison an answer. */
const LOOK_MS = 2_000

/** Of one key that is bound to a label: players and pages of some devices, and no more than a share of the node's. */
const MOST_OF_A_BOUND_KEY = 32

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
  /** With whose key it is, and what tells whether that still opens it. Those that are over go with the next look. */
  readonly #answers = new Map<LastingAnswer, { readonly holder: string; readonly opens: () => boolean }>()
  #timer: Timer | null = null

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Answers that are watched. */
  get size(): number {
    return this.#answers.size
  }

  /**
   * Cuts `answer`, which needs `scope`, once the key of `holder` does not open it any more. AppError TooManyRequests
   * when that is bound to a label and has its share of such answers open: nobody keeps the others from theirs.
   */
  watch(answer: LastingAnswer, { id, label, stillMay }: KeyHolder, scope: Scope): void {
    if (stillMay === null) return
    if (label !== null && this.#openOf(id) >= MOST_OF_A_BOUND_KEY)
      throw new AppError('TooManyRequests', `This key has ${MOST_OF_A_BOUND_KEY} streams open already; try again.`)
    this.#answers.set(answer, { holder: id, opens: () => stillMay(scope) })
    this.#timer ??= this.#clock.every(LOOK_MS, () => this.#look())
  }

  /** Watches nothing any more. */
  stop(): void {
    this.#answers.clear()
    this.#timer?.cancel()
    this.#timer = null
  }

  #openOf(id: string): number {
    let count = 0
    for (const [answer, { holder }] of this.#answers) if (holder === id && answer.alive) count++
    return count
  }

  #look(): void {
    for (const [answer, { opens }] of this.#answers) {
      if (answer.alive && opens()) continue
      this.#answers.delete(answer)
      answer.cut()
    }
    if (this.#answers.size === 0) this.stop()
  }
}
