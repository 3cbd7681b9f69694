// The newest events in memory, in runs: enough that a reader of live events never needs the log.

import type { EventRun } from './events-api.ts'
import { GrowingRun, lastOf, runAfter } from './event-run.ts'

/** As many as one batch of the database holds, so that a burst that comes at once is in here at once. */
const MIN_RECENT = 512

/** Runs of events whose ids grow. */
export class RecentEvents {
  readonly #runs: EventRun[] = []
  #count = 0
  /** The last run, while no follower has it. */
  #growing: GrowingRun | null = null

  /** Adds the newest; the oldest run goes when there are enough without it. */
  push(id: number, line: string): void {
    if (this.#growing?.hasRoom !== true) {
      this.#growing = new GrowingRun()
      this.#runs.push(this.#growing)
    }
    this.#growing.add(id, line)
    this.#count++
    const oldest = this.#runs[0]?.ids.length ?? 0
    if (this.#count - oldest < MIN_RECENT) return
    this.#runs.shift()
    this.#count -= oldest
  }

  /** Whether a reader that has everything up to `cursor` finds all it lacks in here. */
  covers(cursor: number): boolean {
    const first = this.#runs[0]?.ids[0]
    return first !== undefined && first <= cursor + 1
  }

  /**
   * The next run for a reader that has everything up to `cursor`; null when it has all, or needs what is not here any
   * more.
   */
  after(cursor: number): EventRun | null {
    if (!this.covers(cursor)) return null
    const run = runAfter(this.#runs, cursor)
    // The next reader gets the same.
    if (this.#growing !== null && run !== null && lastOf(run) === lastOf(this.#growing)) this.#growing = null
    return run
  }
}
