// What keeps a download still, in a word or two for lists (src/client/condition-names.ts): shown by codes in other
// languages.

/** Texts by the codes that the node answers with. */
export const english = {
  load_failed: 'Not loaded',
  volume_stalled: 'Disk stalled',
  disk_full: 'Disk full',
  disk_errors: 'Disk errors',
  foreign_file: 'File in the way',
  failed: 'Error',
  file_changed: 'File changed',
  seeding_goal_reached: 'Goal reached',
  queued: 'Queued',
  moving_storage: 'Moving files',
  no_relays_known: 'Waiting for circuits',
  no_exits_known: 'Waiting for circuits',
  building_circuits: 'Waiting for circuits',
  waiting_for_metadata: 'Waiting for metadata',
  nobody_reads: 'Waiting for a player',
  nothing_selected: 'No file selected',
  web_seeds_failing: 'Web seeds fail',
  no_trackers: 'No peers',
  tracker_refused: 'Refused by tracker',
  private_without_tracker: 'Tracker not working',
  no_tracker_answers: 'Tracker not working',
  trackers_pending: 'Looking for peers',
  no_peers_known: 'No peers',
  interface_gone: 'Interface down',
  proxy_failing: 'Proxy not working',
  all_filtered: 'Peers filtered',
  all_blocked: 'Peers blocked',
  encryption_required: 'No peers',
  encryption_off: 'No peers',
  connection_limit: 'Connection limit',
  connecting: 'Connecting',
  nobody_reachable: 'No peers',
  pieces_nobody_has: 'Stalled',
  nothing_offered: 'Stalled',
  all_choke: 'Stalled',
  peers_silent: 'Stalled',
  makes_way: 'Making way',
  queuedAt: 'Queued, place {{place, number}}',
} as const

/** They by their keys, as translations have them. */
export type ConditionTexts = typeof english
