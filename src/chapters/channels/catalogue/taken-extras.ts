// What others wrote into an own channel, taken into its next head: from then on it counts whatever becomes of their
// rights.

import type { ChannelRow } from './channel-rows.ts'
import { JUDGED_AT_ONCE, MAX_EXTRAS } from './limits.ts'
import type { Parts } from './parts.ts'
import { EXTRA, HELD } from './record-rows.ts'
import { MAX_CHANNEL_RECORDS } from '../wire/types.ts'

/** Takes a bounded number of those that count. True: there may be more. */
export function takeExtras(parts: Parts, channel: ChannelRow): boolean {
  const { rows, tree, view, own, channels } = parts
  const room = MAX_CHANNEL_RECORDS - channel.held_records
  const extras = rows.inRole(channel.id, EXTRA, JUDGED_AT_ONCE).filter(({ counted }) => counted === 1)
  const taken = extras.slice(0, Math.max(0, room))
  if (taken.length === 0) return false
  for (const { row } of taken) rows.setRole(row, HELD)
  tree.forget(
    channel.id,
    taken.map(({ record }) => record.id),
  )
  view.refresh(
    channels.byId(channel.id),
    taken.map(stored => ({ ...stored, role: HELD })),
  )
  own.noteChanged(channel.cid)
  return extras.length === JUDGED_AT_ONCE
}

/** Takes all that count now: before the rules change, so that they change from then on only. */
export function takeAllExtras(parts: Parts, channel: ChannelRow): void {
  const rounds = Math.ceil(MAX_EXTRAS / JUDGED_AT_ONCE)
  for (let round = 0; round < rounds && takeExtras(parts, parts.channels.byId(channel.id)); round++);
}
