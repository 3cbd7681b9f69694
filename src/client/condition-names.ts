// Short names of what keeps a download still, for lists: by the code of its condition. The long sentence is that of
// GET /downloads/{infohash}/explain. Pure.

import type { Download } from './core-routes.ts'

type Condition = NonNullable<Download['condition']>

const STALLED = 'Stalled'
const NO_PEERS = 'No peers'
const CIRCUITS = 'Waiting for circuits'

const names: Readonly<Record<string, string>> = {
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
  no_relays_known: CIRCUITS,
  no_exits_known: CIRCUITS,
  building_circuits: CIRCUITS,
  waiting_for_metadata: 'Waiting for metadata',
  nobody_reads: 'Waiting for a player',
  nothing_selected: 'No file selected',
  web_seeds_failing: 'Web seeds fail',
  no_trackers: NO_PEERS,
  tracker_refused: 'Refused by tracker',
  private_without_tracker: 'Tracker not working',
  no_tracker_answers: 'Tracker not working',
  trackers_pending: 'Looking for peers',
  no_peers_known: NO_PEERS,
  interface_gone: 'Interface down',
  proxy_failing: 'Proxy not working',
  all_filtered: 'Peers filtered',
  all_blocked: 'Peers blocked',
  encryption_required: NO_PEERS,
  encryption_off: NO_PEERS,
  connection_limit: 'Connection limit',
  connecting: 'Connecting',
  nobody_reachable: NO_PEERS,
  pieces_nobody_has: STALLED,
  nothing_offered: STALLED,
  all_choke: STALLED,
  peers_silent: STALLED,
  makes_way: 'Making way',
}

/** The name of a condition, as `Queued 3rd`; null: there is none, or this program does not know it. */
export function conditionName(condition: Condition | undefined): string | null {
  if (condition === undefined) return null
  const place = condition.parameters?.place
  if (condition.code === 'queued' && place !== undefined) return `Queued ${ordinal(place)}`
  return Object.hasOwn(names, condition.code) ? (names[condition.code] ?? null) : null
}

function ordinal(place: number): string {
  const suffixes = { one: 'st', two: 'nd', few: 'rd', other: 'th', zero: 'th', many: 'th' }
  return `${place}${suffixes[new Intl.PluralRules('en', { type: 'ordinal' }).select(place)]}`
}
