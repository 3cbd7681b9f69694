// The event log read in batches that several readers share: those that fell behind in the same burst are at the same
// place, and fifty of them reading the log each for itself would cost fifty times as much.

import type { EventLog, LoggedEvent } from '../ports/records.ts'
import type { EventRecord, Json } from './api.ts'

/** Events of a batch; it begins at a multiple of this. */
const BATCH = 500
/** Whole batches that are kept; the log gives no more than a bounded number of bytes in each. */
const MAX_KEPT = 8

type Batch = readonly EventRecord[]

/** Batches of one log. */
export class LogBatches {
  readonly #log: Pick<EventLog, 'readSince'>
  /** By the id they begin after, in the order they were used. */
  readonly #kept = new Map<number, Promise<Batch>>()

  constructor(log: Pick<EventLog, 'readSince'>) {
    this.#log = log
  }

  /** Events after `cursor`, oldest first; empty when there are none. Rejects as EventLog.readSince does. */
  async after(cursor: number): Promise<Batch> {
    const start = cursor - (cursor % BATCH)
    const batch = await this.#shared(start)
    const rest = start === cursor ? batch : batch.filter(record => record.id > cursor)
    // The batch may have ended early, before `cursor`.
    return rest.length > 0 || start === cursor ? rest : this.#read(cursor)
  }

  #shared(start: number): Promise<Batch> {
    const known = this.#kept.get(start)
    const batch = known ?? this.#read(start)
    this.#kept.delete(start)
    this.#kept.set(start, batch)
    if (known !== undefined) return known
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MAX_KEPT) break
      this.#kept.delete(oldest)
    }
    // More may follow in a batch that is not full: it is shared only while it is being read.
    const forget = (): void => {
      if (this.#kept.get(start) === batch) this.#kept.delete(start)
    }
    batch.then(records => (records.length < BATCH ? forget() : undefined), forget)
    return batch
  }

  async #read(since: number): Promise<Batch> {
    return (await this.#log.readSince(since, BATCH)).map(recordOfLogged)
  }
}

/** A record as it goes over the wire. */
export function recordOf(id: number, type: string, payload: Json): EventRecord {
  if (payload === null) return { id, type }
  return { id, type, event: payload as { [key: string]: Json } }
}

function recordOfLogged({ id, type, payload }: LoggedEvent): EventRecord {
  return recordOf(id, type, payload as Json)
}
