// The event log read in batches that several readers share: those that fell behind in the same burst are at the same
// place, and fifty of them reading the log each for itself would cost fifty times as much.

import type { EventLog, LoggedEvent } from '../../ports/records.ts'
import type { EventRun } from '../events/events-api.ts'
import { eventLine, GrowingRun, lastOf } from '../events/event-run.ts'

/** Events of a batch; it begins at a multiple of this. Whole runs. */
const BATCH = 512
/** Whole batches that are kept; the log gives no more than a bounded number of bytes in each. */
const MAX_KEPT = 8

/** Runs that follow each other. */
type Batch = readonly EventRun[]

/** Batches of one log. */
export class LogBatches {
  readonly #log: Pick<EventLog, 'readSince'>
  /** By the id they begin after, in the order they were used. */
  readonly #kept = new Map<number, Promise<Batch>>()

  constructor(log: Pick<EventLog, 'readSince'>) {
    this.#log = log
  }

  /**
   * Runs, the first of them with the event after `cursor`; none when there are no more. Rejects as EventLog.readSince
   * does.
   */
  async after(cursor: number): Promise<Batch> {
    const start = cursor - (cursor % BATCH)
    const batch = await this.#shared(start)
    const rest = batch.filter(run => lastOf(run) > cursor)
    // The batch may have ended early, before `cursor`.
    return rest.length > 0 || start === cursor ? rest : runsOf(await this.#log.readSince(cursor, BATCH))
  }

  #shared(start: number): Promise<Batch> {
    const known = this.#kept.get(start)
    if (known !== undefined) {
      this.#kept.delete(start)
      this.#kept.set(start, known)
      return known
    }
    const batch = this.#read(start)
    this.#kept.set(start, batch)
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MAX_KEPT) break
      this.#kept.delete(oldest)
    }
    return batch
  }

  /** More may follow in a batch that is not full: it is shared only while it is being read. */
  #read(start: number): Promise<Batch> {
    const forget = (): void => {
      if (this.#kept.get(start) === batch) this.#kept.delete(start)
    }
    const batch = this.#log.readSince(start, BATCH).then(events => {
      if (events.length < BATCH) forget()
      return runsOf(events)
    })
    batch.catch(forget)
    return batch
  }
}

function runsOf(events: readonly LoggedEvent[]): Batch {
  const runs: GrowingRun[] = []
  for (const { id, type, payload } of events) {
    let run = runs.at(-1)
    if (run?.hasRoom !== true) {
      run = new GrowingRun()
      runs.push(run)
    }
    run.add(id, eventLine(id, type, payload))
  }
  return runs
}
