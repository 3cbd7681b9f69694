// Work on many things in turns of the event loop, each some milliseconds long at most.

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../../../ports/clock.ts'

/** A turn ends after so long, or so many things where the clock is coarse. */
const TURN_MS = 1
const TURN_THINGS = 16 * 1024

/** The turns of one piece of work. */
export class Turns {
  readonly #clock: Clock
  #begunMs: number
  #things = 0

  constructor(clock: Clock) {
    this.#clock = clock
    this.#begunMs = clock.now()
  }

  /** So many things were done: undefined, or a wait for the next turn when this one was long enough. */
  after(things: number): undefined | Promise<void> {
    this.#things += things
    if (this.#things < TURN_THINGS && this.#clock.now() - this.#begunMs < TURN_MS) return undefined
    return this.#next()
  }

  async #next(): Promise<void> {
    await nextTurn()
    this.#begunMs = this.#clock.now()
    this.#things = 0
  }
}
