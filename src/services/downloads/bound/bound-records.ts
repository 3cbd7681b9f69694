// Records of downloads as a key sees them that is bound to a label: what tells of other downloads, other labels or
// other people is left out. Every field is judged here: a new one does not compile until it is. Pure.

import { boundError } from '../../bound-error.ts'
import type { DownloadCondition, DownloadRecord, Explanation, ExplainReason } from '../download-records-api.ts'
import type { PatchDownload } from '../downloads-api.ts'
import { explainCodes } from '../reasons/explain-codes.ts'

/** Whether a field is shown as it is. */
const SHOWN: Readonly<Record<keyof DownloadRecord, boolean>> = {
  name: true,
  infohash: true,
  infohash_v2: true,
  progress: true,
  status: true,
  queued: true,
  size: true,
  eta: true,
  speed_down: true,
  speed_up: true,
  num_peers: true,
  num_seeds: true,
  num_connected_peers: true,
  num_connected_seeds: true,
  total_up: true,
  total_down: true,
  total_pieces: true,
  ratio: true,
  hops: true,
  anon_download: true,
  safe_seeding: true,
  max_upload_speed: true,
  max_download_speed: true,
  destination: true,
  availability: true,
  error: true,
  time_added: true,
  vod_mode: true,
  vod_prebuffering_progress: true,
  vod_prebuffering_progress_consec: true,
  // Others that it has name other people.
  labels: false,
  // Its number among all of the node, and its place there, count the others.
  queue_order: false,
  queue_position: false,
  sequential: true,
  super_seeding: true,
  watch_and_forget: true,
  seeding_ratio: true,
  seeding_time: true,
  moving_to: true,
  time_finished: true,
  time_scrubbed: true,
  trackers: true,
  // Another version of the torrent may be a download of somebody else.
  update_of: false,
  updated_by: false,
  // Counts of the whole node: circuits serve the downloads of everybody.
  circuits: false,
  stalled_volume: true,
  own_max_download_speed: true,
  own_max_upload_speed: true,
  // As boundCondition() has it.
  condition: false,
  files: true,
  peers: true,
  pieces: true,
}

/** What a bound key may change of a download of its label. */
const MAY_CHANGE: Readonly<Record<keyof PatchDownload, boolean>> = {
  state: true,
  selected_files: true,
  file_priorities: true,
  max_download_speed: true,
  max_upload_speed: true,
  seeding_ratio: true,
  seeding_time: true,
  sequential: true,
  super_seeding: true,
  // Who sees it is for others to say.
  labels: false,
  // Folders may hold files of others: finding, reading or overwriting those is what the label keeps from it.
  destination: false,
  linkless: false,
  overwrite: false,
  // Deletes files, and shows the address of the node to peers of a download that was hidden.
  watch_and_forget: false,
  anon_hops: false,
}

/** Reasons that tell of other downloads. */
const OF_OTHERS: ReadonlySet<string> = new Set(['makes_way'])

/** A record, or those of its fields that were asked for, for a key bound to `label`. */
export function boundRecord<Shown extends object>(record: Shown, label: string): Shown {
  const shown: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(record))
    if (Object.hasOwn(SHOWN, field) && SHOWN[field as keyof DownloadRecord]) shown[field] = value
  const { condition } = record as { readonly condition?: DownloadCondition }
  const told = condition === undefined ? null : boundCondition(condition)
  if (told !== null) shown['condition'] = told
  if (typeof shown['error'] === 'string') shown['error'] = boundError(shown['error'])
  if (Object.hasOwn(record, 'labels')) shown['labels'] = [label]
  if (Object.hasOwn(record, 'queue_order')) shown['queue_order'] = 0
  // Whoever asks for fields alone reads no other.
  return shown as Shown
}

/** What is said of why a download stands still; null: nothing. */
export function boundCondition(condition: DownloadCondition): DownloadCondition | null {
  return OF_OTHERS.has(condition.code) ? null : withoutOthers(condition)
}

/** The same of all reasons. */
export function boundExplanation(explanation: Explanation): Explanation {
  const reasons = explanation.reasons.filter(({ code }) => !OF_OTHERS.has(code)).map(boundReason)
  return { ...explanation, reasons }
}

function boundReason(reason: ExplainReason): ExplainReason {
  const told = withoutOthers(reason)
  // The sentence has what its parameters say.
  return told === reason ? reason : { ...told, message: explainCodes[reason.code as keyof typeof explainCodes] }
}

/** Without what counts or names the downloads of others: its place in the queue, an error that has an info hash. */
function withoutOthers<Told extends { readonly parameters?: DownloadCondition['parameters'] }>(told: Told): Told {
  const { parameters, ...rest } = told
  if (parameters === undefined) return told
  const { place, error, ...others } = parameters
  const isClean = error === undefined || boundError(error) === error
  if (place === undefined && isClean) return told
  const kept = isClean && error !== undefined ? { ...others, error } : others
  return (Object.keys(kept).length === 0 ? rest : { ...rest, parameters: kept }) as Told
}

/** What of a change a bound key may not ask for; null: nothing. */
export function refusedChange(change: PatchDownload): string | null {
  const asked = Object.entries(change).filter(([, value]) => value !== undefined)
  const refused = asked.find(([name]) => !Object.hasOwn(MAY_CHANGE, name) || !MAY_CHANGE[name as keyof PatchDownload])
  return refused?.[0] ?? null
}
