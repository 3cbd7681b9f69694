// What a row of the list says of a download beside its status: the reason that counts most why it does not move, the
// first that explain tells too, and whether it counts as trouble. Pure. It is made for each row of a list: facts that
// cost something are read only where they decide.

import type { DownloadCondition } from '../download-records-api.ts'
import type { ExplainCode } from './explain-codes.ts'
import { type ExplainFacts, codesOf, codeWhileMoving, isMoving, reasonOf } from './reasons.ts'

/** Trouble at once. */
const FAILURES: ReadonlySet<ExplainCode> = new Set([
  ...(['load_failed', 'volume_stalled', 'disk_full', 'disk_errors', 'foreign_file', 'failed', 'file_changed'] as const),
  ...(['interface_gone', 'proxy_failing', 'tracker_refused', 'private_without_tracker', 'no_tracker_answers'] as const),
])

/** Trouble when it stays so for a while: every download has some of them in its first seconds. */
const STANDSTILLS: ReadonlySet<ExplainCode> = new Set([
  ...(['no_trackers', 'no_peers_known', 'all_filtered', 'all_blocked', 'encryption_required'] as const),
  ...(['encryption_off', 'nobody_reachable', 'web_seeds_failing', 'no_relays_known', 'no_exits_known'] as const),
])

/** As STANDSTILLS, and not said before: connected peers begin that way. */
const STALLS: ReadonlySet<ExplainCode> = new Set([
  ...(['pieces_nobody_has', 'nothing_offered', 'all_choke', 'peers_silent'] as const),
])

/** What its status says already, and what is as it should be. */
const UNSAID: ReadonlySet<ExplainCode> = new Set([
  ...(['stopped', 'loading', 'waiting_for_check', 'checking', 'allocating', 'nobody_interested'] as const),
  'rate_limited',
])

/** Null: its status says it all. */
export function conditionOf(facts: ExplainFacts): DownloadCondition | null {
  const codes = isMoving(facts) ? [codeWhileMoving(facts)] : codesOf(facts)
  const [code = null, second = null] = codes
  if (code === null || UNSAID.has(code)) return null
  // It has all it needs: that nobody comes is no trouble of its own.
  const seeds = facts.torrent?.snapshot.status === 'seeding'
  if (seeds && !FAILURES.has(code) && !SAID_OF_SEEDS.has(code)) return null
  const quiet = facts.torrent?.obstacles.quiet ?? true
  if (STALLS.has(code) && !quiet) return null
  const trouble = isTrouble(code, quiet) || (code === 'waiting_for_metadata' && isTrouble(second, quiet))
  const { parameters } = reasonOf(code, facts)
  // The record says `queued` itself.
  if (code === 'queued' && parameters === undefined) return null
  return parameters === undefined ? { code, trouble } : { code, trouble, parameters }
}

const SAID_OF_SEEDS: ReadonlySet<ExplainCode> = new Set([
  ...(['moving_storage', 'no_relays_known', 'no_exits_known', 'building_circuits', 'nothing_selected'] as const),
])

function isTrouble(code: ExplainCode | null, quiet: boolean): boolean {
  if (code === null) return false
  return FAILURES.has(code) || (quiet && (STANDSTILLS.has(code) || STALLS.has(code)))
}

/** Both say the same. */
export function isSameCondition(a: DownloadCondition | null, b: DownloadCondition | null): boolean {
  if (a === null || b === null) return a === b
  if (a.code !== b.code || a.trouble !== b.trouble) return false
  return JSON.stringify(a.parameters) === JSON.stringify(b.parameters)
}
