// The real clock: monotonic time for differences, wall time for records. Its timers never keep the process alive, but
// for the turn that `after(0)` waits for.

import type { Clock, Timer } from '../ports/clock.ts'

class NodeTimer implements Timer {
  #handle: NodeJS.Timeout | null
  constructor(handle: NodeJS.Timeout) {
    this.#handle = handle.unref()
  }
  cancel(): void {
    if (this.#handle === null) return
    clearTimeout(this.#handle)
    this.#handle = null
  }
}

/** The next turn of the loop: a timer of Node would make it the next millisecond. */
class NextTurn implements Timer {
  #handle: NodeJS.Immediate | null
  constructor(run: () => void) {
    // Not let go of as timers are: the loop would sleep with it until something else happens.
    this.#handle = setImmediate(run)
  }
  cancel(): void {
    if (this.#handle === null) return
    clearImmediate(this.#handle)
    this.#handle = null
  }
}

/** Clock over the timers of Node. */
export class SystemClock implements Clock {
  now(): number {
    return performance.now()
  }
  wallMs(): number {
    return Date.now()
  }
  after(delayMs: number, run: () => void): Timer {
    return delayMs <= 0 ? new NextTurn(run) : new NodeTimer(setTimeout(run, delayMs))
  }
  every(intervalMs: number, run: () => void): Timer {
    return new NodeTimer(setInterval(run, intervalMs))
  }
}
