// A clock whose timers wait in one queue: ten thousand torrents that look for peers now and then cost one timer of the
// system. Timers that repeat are the real clock's.

import type { Clock, Timer } from '../../ports/clock.ts'
import { DueQueue } from '../../tracker/due-queue.ts'

/**
 * A clock whose timers wait in one queue: ten thousand torrents that look for peers now and then cost one timer of the
 * system.
 */
export class DueClock implements Clock {
  readonly #clock: Clock
  readonly #queue: DueQueue

  constructor(clock: Clock) {
    this.#clock = clock
    this.#queue = new DueQueue(clock)
  }

  now(): number {
    return this.#clock.now()
  }

  wallMs(): number {
    return this.#clock.wallMs()
  }

  after(delayMs: number, run: () => void): Timer {
    const due = this.#queue.create(run)
    due.set(delayMs)
    return due
  }

  every(intervalMs: number, run: () => void): Timer {
    return this.#clock.every(intervalMs, run)
  }

  /** Nothing that waits runs any more. */
  close(): void {
    this.#queue.close()
  }
}
