// The time that a thread has for one film: it stands still while bytes are read for it, and counts what the thread has
// had of a processor, so that a busy machine makes no good film unreadable.

import type { Clock, Timer } from '../../../ports/clock.ts'
import { taskCpuMs } from './task-time.ts'

/** How long a thread may take to begin, and how much longer it may take when it does not get a processor, ms. */
const START_MS = 10_000
const STARVED_MS = 20_000

/** The time of one reading. */
export class ReadingTime {
  readonly #clock: Clock
  readonly #limitMs: number
  readonly #late: (isStarved: boolean) => void
  #leftMs = START_MS
  #spareMs: number
  #sinceMs = 0
  #timer: Timer | null = null
  #task: string | null = null
  #cpuMs: number | null = null

  /**
   * `limitMs`: what it may work; `starvedMs`: how much longer it may take when it does not get a processor, or waits
   * for threads of its own; `late`: called once, when that is over, with whether the thread has not had that much of a
   * processor, which is no fault of the film. It runs from now on.
   */
  constructor(clock: Clock, limitMs: number, late: (isStarved: boolean) => void, starvedMs = STARVED_MS) {
    this.#spareMs = starvedMs
    this.#clock = clock
    this.#limitMs = limitMs
    this.#late = late
    this.run()
  }

  /** The thread has begun; `task`: see taskCpuMs(). */
  begin(task: string | null): void {
    this.pause()
    this.#leftMs = this.#limitMs
    this.#task = task
    this.#cpuMs = taskCpuMs(task)
    this.run()
  }

  /** It stands still. */
  pause(): void {
    if (this.#timer === null) return
    this.#timer.cancel()
    this.#timer = null
    this.#leftMs = Math.max(0, this.#leftMs - (this.#clock.now() - this.#sinceMs))
  }

  /** It goes on. */
  run(): void {
    this.#sinceMs = this.#clock.now()
    this.#timer = this.#clock.after(this.#leftMs, () => this.#over())
  }

  #over(): void {
    const unusedMs = this.#unusedMs()
    const moreMs = Math.min(this.#spareMs, unusedMs)
    if (moreMs <= 0) return this.#late(unusedMs > 0)
    this.#spareMs -= moreMs
    this.#leftMs = moreMs
    this.run()
  }

  /** What is left by the processor's clock, ms; 0 = nothing, or not known. */
  #unusedMs(): number {
    const nowMs = taskCpuMs(this.#task)
    return this.#cpuMs === null || nowMs === null ? 0 : Math.max(0, this.#limitMs - (nowMs - this.#cpuMs))
  }
}
