// Events as they are followed.

import type { Json } from './settings-api.ts'

/** One event as it goes over the wire (decisions part 6). */
export interface EventRecord {
  id: number
  type: string
  event?: { [key: string]: Json }
}

/** A follower of events. */
export interface EventSubscription {
  /** Ends it; no further calls. */
  close(): void
}

/** GET /events. */
export interface EventsService {
  /**
   * Sends `events_start`, then the log after `since` (null: none), then live events, each as one record in order.
   * `deliver` answers false when the reader is gone or too slow: the subscription is then over.
   * `room` is asked before and after each record: when it answers a promise, the next record waits for it, and the reader
   * falls behind in the log. Without it a burst or a long replay would overrun every reader.
   */
  follow(
    since: number | null,
    deliver: (record: EventRecord) => boolean,
    room?: () => undefined | Promise<void>,
  ): EventSubscription
}
