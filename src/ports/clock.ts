// Time, as the engine sees it. Tests replace it by a virtual clock.

/** A pending timer. */
export interface Timer {
  /** Cancels it; harmless when it has run or was cancelled. */
  cancel(): void
}

/** Time, and timers on it. */
export interface Clock {
  /** Milliseconds of a clock that never goes back; only differences mean something. */
  now(): number
  /** Milliseconds since 1970. */
  wallMs(): number
  /** Runs `run` once after `delayMs`, 0 = in the next turn of the loop; only that turn keeps the process alive. */
  after(delayMs: number, run: () => void): Timer
  /** Runs `run` every `intervalMs` until cancelled. Does not keep the process alive. */
  every(intervalMs: number, run: () => void): Timer
}
