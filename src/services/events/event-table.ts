// The one table of event types (spec part 6, decisions part 6): name -> keys of `event`. http/ documents it, services/
// emits by it; a type that is not here does not compile.

import type { Json } from '../settings/settings-api.ts'

/** A search result's record is that of the list it belongs to (spec 2.2, 2.3), with what the search adds. */
type ResultRecord = { readonly [key: string]: Json }

/**
 * Payload types by event type, `object` for a record of a chapter's own lists; undefined = the record has no `event`
 * member.
 */
export interface EventPayloads {
  events_start: { tribler_started: boolean; version: string; lost?: number }
  tribler_started: undefined
  search_result_channel: { query: string; result: ResultRecord }
  search_result_torrent: { query: string; result: ResultRecord }
  upgrader_started: undefined
  upgrader_tick: { text: string }
  upgrader_finished: undefined
  watch_folder_corrupt_torrent: { name: string }
  new_version_available: { version: string }
  channel_discovered: { name: string; description: string; dispersy_cid: string }
  torrent_discovered: {
    infohash: string
    name: string
    trackers: string[]
    files: { name: string; size: number }[]
    dispersy_cid: string
    timestamp: number
  }
  torrent_creation_progress: { id: number; path: string; progress: number; bytes_done: number; bytes_total: number }
  torrent_created: { id: number; path: string; infohash: string; infohash_v2: string | null; name: string }
  torrent_creation_failed: { id: number; path: string; code: string; error: string }
  torrent_finished: { infohash: string; name: string }
  torrent_update_refused: { target: string; seq: string; error: string }
  torrent_updated: { target: string; infohash: string; previous: string; seq: string }
  torrent_file_changed: { infohash: string; file: string; change: 'replaced' | 'changed' | 'cut' | 'grown' }
  torrent_file_checked: { infohash: string; file: string; lost_pieces: number }
  torrent_error: { infohash: string; error: string }
  tribler_exception: { text: string }
  seeding_goal_reached: { infohash: string; name: string; goal: 'ratio' | 'time' }
  file_set_aside: { infohash: string; path: string; kept_as: string }
  storage_moved: { infohash: string; destination: string }
  storage_move_failed: { infohash: string; error: string }
  volume_stalled: { mount: string }
  volume_recovered: { mount: string; seconds: number }
  circuit_ready: { circuit_id: number; purpose: string; goal_hops: number; skipped: number }
  circuit_removed: {
    circuit_id: number
    purpose: string
    goal_hops: number
    reason: string
    bytes_up: number
    bytes_down: number
    uptime: number
    skipped: number
  }
  market_order_created: { order: object; reason: string }
  market_order_changed: { order: object; reason: string }
  market_transaction_created: { transaction: object }
  market_transaction_changed: { transaction: object }
}

/** A type of the table. */
export type EventType = keyof EventPayloads

/** One line for the documentation of each type. */
export const eventDocs: Record<EventType, string> = {
  events_start: 'The event socket is open; tells whether the core has started, and the version of the service.',
  tribler_started: 'Start-up is complete and the service is ready.',
  search_result_channel: 'A search has found a channel.',
  search_result_torrent: 'A search has found a torrent.',
  upgrader_started: 'The upgrader has started: the store is being brought up to date.',
  upgrader_tick: 'How far the upgrader has come, as a text.',
  upgrader_finished: 'The upgrader has finished.',
  watch_folder_corrupt_torrent: 'A file in the watch folder is no torrent; carries its name.',
  new_version_available: 'A new version of the service is available.',
  channel_discovered: 'A new channel was discovered.',
  torrent_discovered: 'A new torrent was discovered.',
  torrent_creation_progress: '(extra) How far a torrent has come that is being made; at most twice a second.',
  torrent_created: '(extra) A torrent was made.',
  torrent_creation_failed: '(extra) A torrent could not be made, or was given up.',
  torrent_finished: 'A torrent finished downloading.',
  torrent_update_refused: '(extra) A key that is followed has signed something that names no torrent.',
  torrent_updated: '(extra) A followed torrent has a new version, which was added; `previous` is empty for the first.',
  torrent_file_changed:
    '(extra) Somebody else changed a file of a torrent: nothing of it is served until it is checked.',
  torrent_file_checked:
    '(extra) A changed file was checked; so many of its pieces no longer fit and are fetched again.',
  torrent_error: 'An error stopped a torrent.',
  tribler_exception: 'An unexpected exception occurred inside the node.',
  seeding_goal_reached: '(extra) A download was stopped because it has reached its ratio or its time of seeding.',
  file_set_aside:
    '(extra) A file turned out not to be of a download, which needs its place: it has the name `kept_as` now, in the same folder.',
  storage_moved: '(extra) The files of a download are in their new folder.',
  storage_move_failed: '(extra) The files of a download could not be moved; they are where they were.',
  volume_stalled: '(extra) A volume (mounted file system) does not answer: its downloads wait, all others go on.',
  volume_recovered: '(extra) A volume that did not answer answers again; `seconds`: how long it did not.',
  circuit_ready: '(extra) A circuit of this node carries data now.',
  circuit_removed: '(extra) A circuit of this node is gone, or could not be built; `reason` is for people.',
  market_order_created: '(extra) An own order was placed.',
  market_order_changed: '(extra) An own order has another status, or more of it is traded; `reason` is for people.',
  market_transaction_created: '(extra) A trade of an own order was agreed.',
  market_transaction_changed: '(extra) The swap of an own trade has come further, or to its end.',
}
