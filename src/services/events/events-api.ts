// Events as they are followed.

import type { Json } from '../settings/settings-api.ts'

/** One event as it goes over the wire (decisions part 6). */
export interface EventRecord {
  id: number
  type: string
  event?: { [key: string]: Json }
}

/**
 * Events that go over the wire together. Followers share it: it never changes, and what is made of it for one serves
 * all. At most 64 KiB of text and an event.
 */
export interface EventRun {
  /** Their numbers; they grow. */
  readonly ids: readonly number[]
  /** Of each its EventRecord as JSON, with a line feed behind it. */
  readonly lines: readonly string[]
}

/** A follower of events. */
export interface EventSubscription {
  /** Ends it; no further calls. */
  close(): void
}

/** GET /events. */
export interface EventsService {
  /**
   * Sends `events_start`, then the log after `since` (null: none), then live events, in order. `deliver` answers false
   * when the reader is gone or too slow: the subscription is then over. `room` is asked before each run: when it
   * answers a promise, the run waits for it, and the reader falls behind in the log. Without it a burst or a long
   * replay would overrun every reader.
   */
  follow(
    since: number | null,
    deliver: (run: EventRun) => boolean,
    room?: () => undefined | Promise<void>,
  ): EventSubscription
}
