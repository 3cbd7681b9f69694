// Event types of the core (spec part 6, decisions part 6): name -> keys of `event`. http/ documents them, services/
// emits by them. Chapters have tables of their own, which their faces name; a type that is in none does not compile.

/** Where events of one table go. */
export interface EventSink<Table> {
  /** Sends an event to everybody and to the log. Never throws, never waits. */
  emit<T extends keyof Table & string>(type: T, ...payload: Table[T] extends undefined ? [] : [Table[T]]): void
}

/** What is documented of the events of one table. */
export interface EventDocs<Table = Readonly<Record<string, unknown>>> {
  /** One line for each type. */
  readonly lines: Readonly<Record<keyof Table & string, string>>
  /** Sentences on the keys of `event`, and on how often they come. */
  readonly notes: readonly string[]
}

/** Of a chapter that emits none. */
export const noEvents: EventDocs = { lines: {}, notes: [] }

/** Payload types by event type; undefined = the record has no `event` member. */
export interface EventPayloads {
  events_start: { tribler_started: boolean; version: string; lost?: number }
  tribler_started: undefined
  upgrader_started: undefined
  upgrader_tick: { text: string }
  upgrader_finished: undefined
  watch_folder_corrupt_torrent: { name: string }
  new_version_available: { version: string }
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
  downloads_added: { count: number; downloads: { infohash: string; name: string }[] }
  downloads_removed: { count: number; downloads: { infohash: string; name: string }[] }
  download_forgotten: { infohash: string; name: string }
  file_set_aside: { infohash: string; path: string; kept_as: string }
  slow_mode_changed: { enabled: boolean; cause: 'request' | 'schedule' }
  storage_moved: { infohash: string; destination: string }
  storage_move_failed: { infohash: string; error: string }
  volume_stalled: { mount: string }
  volume_recovered: { mount: string; seconds: number }
}

/** A type of the table. */
export type EventType = keyof EventPayloads

/** What is documented of them. */
export const eventDocs: EventDocs<EventPayloads> = {
  lines: {
    events_start: 'The event socket is open; tells whether the core has started, and the version of the service.',
    tribler_started: 'Start-up is complete and the service is ready.',
    upgrader_started: 'The upgrader has started: the store is being brought up to date.',
    upgrader_tick: 'How far the upgrader has come, as a text.',
    upgrader_finished: 'The upgrader has finished.',
    watch_folder_corrupt_torrent: 'A file in the watch folder is no torrent; carries its name.',
    new_version_available: 'A new version of the service is available.',
    torrent_creation_progress: '(extra) How far a torrent has come that is being made; at most twice a second.',
    torrent_created: '(extra) A torrent was made.',
    torrent_creation_failed: '(extra) A torrent could not be made, or was given up.',
    torrent_finished: 'A torrent finished downloading.',
    torrent_update_refused: '(extra) A key that is followed has signed something that names no torrent.',
    torrent_updated:
      '(extra) A followed torrent has a new version, which was added; `previous` is empty for the first.',
    torrent_file_changed:
      '(extra) Somebody else changed a file of a torrent: nothing of it is served until it is checked.',
    torrent_file_checked:
      '(extra) A changed file was checked; so many of its pieces no longer fit and are fetched again.',
    torrent_error: 'An error stopped a torrent.',
    tribler_exception: 'An unexpected exception occurred inside the node.',
    seeding_goal_reached: '(extra) A download was stopped because it has reached its ratio or its time of seeding.',
    downloads_added: '(extra) Downloads were added: those of a second in one event.',
    downloads_removed: '(extra) Downloads were removed, by whatever cause: those of a second in one event.',
    download_forgotten:
      '(extra) A download that was to be watched and forgotten was removed with its files: its last reader left long ago.',
    file_set_aside:
      '(extra) A file turned out not to be of a download, which needs its place: it has the name `kept_as` now, in the same folder.',
    slow_mode_changed: '(extra) Slow mode was switched on or off, by a request or by its schedule.',
    storage_moved: '(extra) The files of a download are in their new folder.',
    storage_move_failed: '(extra) The files of a download could not be moved; they are where they were.',
    volume_stalled: '(extra) A volume (mounted file system) does not answer: its downloads wait, all others go on.',
    volume_recovered: '(extra) A volume that did not answer answers again; `seconds`: how long it did not.',
  },
  notes: [
    'Objects are `{"id": n, "type": "...", "event": {...}}`; `event` is absent for tribler_started, upgrader_started ' +
      'and upgrader_finished. Keys of `event`: events_start: tribler_started, version; upgrader_tick and ' +
      'tribler_exception: text; watch_folder_corrupt_torrent: name; new_version_available: version; ' +
      'torrent_finished: infohash, name; torrent_error: infohash, error. Extra: torrent_file_changed: infohash, file ' +
      '(its path in the torrent), change (replaced, changed, cut or grown); torrent_file_checked: infohash, file, ' +
      'lost_pieces; seeding_goal_reached: infohash, name, goal (ratio or time); storage_moved: infohash, ' +
      'destination; storage_move_failed: infohash, error; volume_stalled: mount; volume_recovered: mount, seconds; ' +
      'downloads_added and downloads_removed: count, downloads (infohash and name of the first 20, names of 200 ' +
      'characters at most); file_set_aside: infohash, path, kept_as; slow_mode_changed: enabled, cause (request or schedule).',
  ],
}
