// The event log as the services see it, in memory.

import type { EventLog, LoggedEvent, NewEvent } from '../../../src/ports/records.ts'

/** An event log in memory that keeps the newest `keep` events. */
export class MemoryEventLog implements EventLog {
  events: LoggedEvent[] = []
  newest: number
  failWith: Error | null = null
  readonly #keep: number

  constructor(newest = 0, keep = Number.POSITIVE_INFINITY) {
    this.newest = newest
    this.#keep = keep
  }

  async append(events: readonly NewEvent[]): Promise<number> {
    if (this.failWith !== null) throw this.failWith
    const first = this.newest + 1
    for (const { type, payload } of events) this.add(type, payload)
    return first
  }

  /** One more, as if it had been there before. */
  add(type: string, payload: string): void {
    this.events.push({ id: ++this.newest, atMs: 0, type, payload })
    if (this.events.length > this.#keep) this.events.shift()
  }

  async readSince(since: number, limit: number): Promise<LoggedEvent[]> {
    return this.events.filter(event => event.id > since).slice(0, limit)
  }

  async bounds(): Promise<{ oldest: number | null; newest: number }> {
    return { oldest: this.events[0]?.id ?? null, newest: this.newest }
  }
}
