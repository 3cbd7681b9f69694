// What a start has left behind, given back once the node has nothing to do (decisions 0528 and 0536): while it works,
// its memory is about to be used, and the code that would be dropped is running.

import type { Clock, Timer } from '../ports/clock.ts'

/** The first step comes so long after the start, each further one, or another try, so long after that. */
const FIRST_MS = 6000
const NEXT_MS = 2000
/** Of the time since the last look the main loop was busy less than this: a node at rest has some hundredths. */
const MOST_BUSY = 0.15

/** What it works with. */
export interface StartMemoryDeps {
  readonly clock: Clock
  /** Milliseconds that the main loop has been busy since the process began. */
  readonly busyMs: () => number
  /** One after the other, each at a time of rest. None may throw. */
  readonly steps: readonly (() => void)[]
}

/** Runs the steps. States: made -> (start) waiting -> over, or (stop) over. */
export class StartMemory {
  readonly #deps: StartMemoryDeps
  #timer: Timer | null = null
  #done = 0

  constructor(deps: StartMemoryDeps) {
    this.#deps = deps
  }

  /** The node has started. */
  start(): void {
    // The look before the first step, so that only the last seconds count.
    this.#timer = this.#deps.clock.after(FIRST_MS - NEXT_MS, () => this.#wait())
  }

  /** No step is run any more. */
  stop(): void {
    this.#timer?.cancel()
  }

  #wait(): void {
    const { clock, busyMs, steps } = this.#deps
    const [atMs, busyBefore] = [clock.now(), busyMs()]
    this.#timer = clock.after(NEXT_MS, () => {
      const share = (busyMs() - busyBefore) / (clock.now() - atMs)
      if (share < MOST_BUSY) steps[this.#done++]?.()
      if (this.#done < steps.length) this.#wait()
    })
  }
}
