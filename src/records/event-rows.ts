// Rows of the event log. Synchronous, in the database thread. Ids come from AUTOINCREMENT: never used twice, also when
// the log was trimmed empty.

import type Database from 'better-sqlite3'
import type { LoggedEvent } from '../ports/records.ts'

/** What the log keeps: this many, and not older than this. */
const MAX_EVENTS = 100_000
/** Events older than this are dropped. */
export const MAX_EVENT_AGE_MS = 7 * 24 * 60 * 60 * 1000
/** Payloads of one answer: it is packed, and unpacked on the main thread, in one piece. */
const MAX_READ_CHARS = 1024 * 1024
/** Trimming at every append would cost more than the append. */
const TRIM_EVERY = 256

interface EventRow {
  id: number
  at: number
  type: string
  payload: string
}

/** Statements over `events`. */
export class EventRows {
  readonly #append: Database.Statement<[number, string, string]>
  readonly #read: Database.Statement<[number, number], EventRow>
  readonly #oldest: Database.Statement<[]>
  readonly #newest: Database.Statement<[]>
  readonly #trimCount: Database.Statement<[number]>
  readonly #trimAge: Database.Statement<[number]>
  readonly #maxEvents: number
  #untilTrim = TRIM_EVERY

  constructor(database: Database.Database, maxEvents: number = MAX_EVENTS) {
    this.#maxEvents = maxEvents
    this.#append = database.prepare('INSERT INTO events (at, type, payload) VALUES (?, ?, ?)')
    this.#read = database.prepare('SELECT id, at, type, payload FROM events WHERE id > ? ORDER BY id LIMIT ?')
    this.#oldest = database.prepare('SELECT min(id) FROM events').pluck()
    this.#newest = database.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'events'").pluck()
    this.#trimCount = database.prepare('DELETE FROM events WHERE id <= ?')
    this.#trimAge = database.prepare('DELETE FROM events WHERE at < ?')
  }

  /** Appends; `payload` is JSON text. The id it got. */
  append(atMs: number, type: string, payload: string): number {
    const id = Number(this.#append.run(Math.round(atMs), type, payload).lastInsertRowid)
    this.#untilTrim--
    if (this.#untilTrim <= 0) this.trim(atMs)
    return id
  }

  /** Appends events of these types with these payloads; the id of the first. The others follow it. */
  appendAll(atMs: number, types: readonly string[], payloads: readonly string[]): number {
    const ids = types.map((type, at) => this.append(atMs, type, payloads[at] ?? 'null'))
    return ids[0] ?? this.bounds().newest
  }

  /** Drops what is too old or too many. */
  trim(nowMs: number): void {
    this.#untilTrim = TRIM_EVERY
    this.#trimCount.run(this.bounds().newest - this.#maxEvents)
    this.#trimAge.run(Math.round(nowMs - MAX_EVENT_AGE_MS))
  }

  /**
   * Events with an id above `since`, oldest first; fewer than `limit` when they are long, none only when there is none.
   */
  read(since: number, limit: number): LoggedEvent[] {
    const events: LoggedEvent[] = []
    let chars = 0
    for (const { id, at, type, payload } of this.#read.iterate(Math.trunc(since), limit)) {
      events.push({ id, atMs: at, type, payload })
      chars += payload.length
      if (chars >= MAX_READ_CHARS) break
    }
    return events
  }

  /** Oldest id kept (null: none) and newest id ever given (0: none). */
  bounds(): { oldest: number | null; newest: number } {
    const oldest = this.#oldest.get() as number | null
    return { oldest, newest: (this.#newest.get() as number | undefined) ?? 0 }
  }
}
