// Events as text, made once for all followers of a server: with fifty of them, making the text is most of the work.

import type { EventRecord } from '../../services/api.ts'

/** About as many as a hub holds in memory; longer lines are rare, and would cost too much to keep. */
const MAX_KEPT = 4096
const MAX_KEPT_CHARS = 2048

/** Texts of the newest records that were asked for. */
export class EventLines {
  readonly #lines = new Map<EventRecord, string>()

  /** One JSON object, with a line feed behind it. */
  line(record: EventRecord): string {
    // The same for everybody only where the log gave the number: events_start is each follower's own.
    if (record.type === 'events_start') return lineOf(record)
    const known = this.#lines.get(record)
    if (known !== undefined) return known
    const line = lineOf(record)
    if (line.length > MAX_KEPT_CHARS) return line
    if (this.#lines.size >= MAX_KEPT) this.#lines.clear()
    this.#lines.set(record, line)
    return line
  }

  /** As a server-sent event. */
  serverSent(record: EventRecord): string {
    const data = `data: ${this.line(record)}\n`
    // 0 says that no event is known yet: as the id to go on from, it would bring back the whole log.
    return record.id === 0 ? data : `id: ${record.id}\n${data}`
  }
}

function lineOf({ id, type, event }: EventRecord): string {
  return `${JSON.stringify({ id, type, event })}\n`
}
