// Events that go over the wire together: as many as one write of a follower takes. Fifty followers of a burst share its
// runs, so that its text is made once.

import type { EventRun } from './events-api.ts'

/** Events of a run. */
const MAX_EVENTS = 128
/** Characters of a run, and the last event at most. */
const MAX_CHARS = 64 * 1024

/** The line of an event; `payload` is JSON, null or `null` when its type has none. */
export function eventLine(id: number, type: string, payload: string | null): string {
  const event = payload === null || payload === 'null' ? '' : `,"event":${payload}`
  return `{"id":${id},"type":${JSON.stringify(type)}${event}}\n`
}

/** A run to which events are added until a follower gets it. */
export class GrowingRun implements EventRun {
  readonly ids: number[] = []
  readonly lines: string[] = []
  #chars = 0

  /** Whether one more event may go with it. */
  get hasRoom(): boolean {
    return this.ids.length < MAX_EVENTS && this.#chars < MAX_CHARS
  }

  /** Adds the next event. */
  add(id: number, line: string): void {
    this.ids.push(id)
    this.lines.push(line)
    this.#chars += line.length
  }
}

/** Number of the newest event of a run. */
export function lastOf(run: EventRun): number {
  return run.ids.at(-1) ?? 0
}

/** The run that a follower with everything up to `cursor` needs next; null when it has all of these. */
export function runAfter(runs: readonly EventRun[], cursor: number): EventRun | null {
  // From the end: a follower that keeps up lacks the last one.
  let at = runs.length
  while (at > 0 && lastOf(runs[at - 1] as EventRun) > cursor) at--
  const run = runs[at]
  return run === undefined ? null : restAfter(run, cursor)
}

/** Shared as long as no follower begins in the middle of it. */
function restAfter(run: EventRun, cursor: number): EventRun {
  const from = run.ids.findIndex(id => id > cursor)
  return from === 0 ? run : { ids: run.ids.slice(from), lines: run.lines.slice(from) }
}
