// Several players on one virtual clock: time passes when all of them have taken their step.

import type { VirtualClock } from './virtual-clock.ts'

/** The steps of so many players. */
export class StepsTogether {
  readonly #clock: VirtualClock
  #players: number
  #waiting: (() => void)[] = []
  #stepMs = 0

  constructor(clock: VirtualClock, players: number) {
    this.#clock = clock
    this.#players = players
  }

  /** One player's step; all steps are equally long. */
  step(ms: number): Promise<void> {
    return new Promise(resolve => {
      this.#waiting.push(resolve)
      this.#stepMs = ms
      this.#goOn()
    })
  }

  /** A player has come to its end: the others do not wait for it. */
  leave(): void {
    this.#players -= 1
    this.#goOn()
  }

  #goOn(): void {
    if (this.#waiting.length < this.#players || this.#waiting.length === 0) return
    const waiting = this.#waiting
    this.#waiting = []
    void this.#clock.advance(this.#stepMs).then(() => {
      for (const resolve of waiting) resolve()
    })
  }
}
