// The newest events in memory: enough that a reader of live events never needs the log.

import type { EventRecord } from './api.ts'

/** As many as one batch of the database holds, so that a burst that comes at once is in here at once. */
const MAX_RECENT = 512

/** A ring of records whose ids grow. */
export class RecentEvents {
  #records: EventRecord[] = []

  /** Adds the newest; the oldest goes. */
  push(record: EventRecord): void {
    this.#records.push(record)
    // In pieces: moving the whole array for each event would cost more than the event.
    if (this.#records.length >= 2 * MAX_RECENT) this.#records = this.#records.slice(-MAX_RECENT)
  }

  /** Whether a reader that has everything up to `cursor` finds all it lacks in here. */
  covers(cursor: number): boolean {
    const first = this.#records[0]?.id
    return first !== undefined && first <= cursor + 1
  }

  /** What comes after `cursor`; null when some of it is not here any more. */
  after(cursor: number): readonly EventRecord[] | null {
    if (!this.covers(cursor)) return null
    // From the end: a reader that keeps up lacks the last few.
    let from = this.#records.length
    while (from > 0 && (this.#records[from - 1] as EventRecord).id > cursor) from--
    return this.#records.slice(from)
  }
}
