// The one table of event types (spec part 6, decisions part 6): name -> keys of `event`. http/ documents it, services/
// emits by it; a type that is not here does not compile.

/** Payload types by event type; undefined = the record has no `event` member. */
export interface EventPayloads {
  events_start: { tribler_started: boolean; version: string; lost?: number }
  tribler_started: undefined
  torrent_finished: { infohash: string; name: string }
  torrent_error: { infohash: string; error: string }
  tribler_exception: { text: string }
}

/** A type of the table. */
export type EventType = keyof EventPayloads

/** One line for the documentation of each type. */
export const eventDocs: Record<EventType, string> = {
  events_start: 'The event socket is open; tells whether the core has started, and the version of the service.',
  tribler_started: 'Start-up is complete and the service is ready.',
  torrent_finished: 'A torrent finished downloading.',
  torrent_error: 'An error stopped a torrent.',
  tribler_exception: 'An unexpected exception occurred inside the node.',
}
