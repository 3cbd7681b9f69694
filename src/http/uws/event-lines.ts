// Events as bytes, made once for all followers of a server: with fifty of them, making the text would be most of the
// work.

import type { EventRun } from '../../services/events/events-api.ts'

/** Bytes of the runs that followers share. They live as long as the run, and the hub bounds those. */
export class EventLines {
  readonly #plain = new WeakMap<EventRun, Uint8Array>()
  readonly #serverSent = new WeakMap<EventRun, Uint8Array>()

  /** A run as it is written: lines of JSON, or server-sent events. Shared: read only. */
  bytes(run: EventRun, serverSent: boolean): Uint8Array {
    const made = serverSent ? this.#serverSent : this.#plain
    const known = made.get(run)
    if (known !== undefined) return known
    const lines = serverSent ? run.lines.map((line, at) => serverSentEvent(run.ids[at] ?? 0, line)) : run.lines
    const bytes = Buffer.from(lines.join(''))
    made.set(run, bytes)
    return bytes
  }
}

function serverSentEvent(id: number, line: string): string {
  // 0 says that no event is known yet: as the id to go on from, it would bring back the whole log.
  return id === 0 ? `data: ${line}\n` : `id: ${id}\ndata: ${line}\n`
}
