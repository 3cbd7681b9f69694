// The set of a new head becomes the held one: all or nothing.

import { sameBytes } from '../wire/channel/ids.ts'
import type { ChannelHead, RecordId } from '../wire/channel/types.ts'
import type { ChannelRow } from './channel-rows.ts'
import { JUDGED_AT_ONCE } from './limits.ts'
import type { Parts } from './parts.ts'
import { HELD, PREVIEW, type StoredRecord, WANTED } from './record-rows.ts'

/** Thrown to undo; never leaves this file. */
class NotTheSet extends Error {}

/** What ChannelCatalogue.adopt takes. */
export interface SetChange {
  readonly added: readonly RecordId[]
  readonly removed: readonly RecordId[]
  readonly whole: boolean
}

/** See ChannelCatalogue.adopt; the head is checked. */
export function adopt(parts: Parts, channel: ChannelRow, head: ChannelHead, change: SetChange): boolean {
  try {
    parts.desk.sql.database.transaction(() => {
      const changed = move(parts, channel, change)
      const root = parts.tree.root(channel.id)
      if (root.count !== head.records || !sameBytes(root.hash, head.root)) throw new NotTheSet()
      if (head.sequence > channel.head_sequence) parts.channels.setHead(channel, head)
      parts.channels.setHeld(channel, head.sequence, head.records)
      const left = dropLeftovers(parts, channel)
      judge(parts, channel, [...changed, ...left])
    })()
    return true
  } catch (error) {
    if (error instanceof NotTheSet) return false
    throw error
  }
}

/** Changes the roles; answers what changed. Records that leave the set are gone: only its owner can take them out. */
function move(parts: Parts, channel: ChannelRow, { added, removed, whole }: SetChange): StoredRecord[] {
  const { rows, tree } = parts
  const changed: StoredRecord[] = []
  const joining = new Set(added)
  for (const id of joining) {
    const stored = rows.find(channel.id, id)
    if (stored === undefined) throw new NotTheSet()
    if (stored.role === HELD) continue
    rows.setRole(stored.row, HELD)
    rows.setCounted(stored.row, -1)
    changed.push({ ...stored, role: HELD, counted: stored.counted })
  }
  const leaving = whole ? rows.heldIds(channel.id, '', Number.MAX_SAFE_INTEGER).filter(id => !joining.has(id)) : removed
  for (const id of leaving) {
    const stored = rows.find(channel.id, id)
    if (stored === undefined || stored.role !== HELD || joining.has(id)) continue
    changed.push(leave(parts, stored))
  }
  tree.forget(
    channel.id,
    changed.map(({ record }) => record.id),
  )
  return changed
}

/** The record is here until what showed it has been looked at. */
function leave(parts: Parts, stored: StoredRecord): StoredRecord {
  parts.rows.setRole(stored.row, WANTED)
  return { ...stored, role: WANTED }
}

/** Previews and records that were fetched for older heads. */
function dropLeftovers(parts: Parts, channel: ChannelRow): StoredRecord[] {
  const previews = parts.rows.inRole(channel.id, PREVIEW, Number.MAX_SAFE_INTEGER)
  return previews.map(stored => leave(parts, stored))
}

function judge(parts: Parts, channel: ChannelRow, changed: readonly StoredRecord[]): void {
  const now = changed.length <= JUDGED_AT_ONCE ? changed : changed.filter(({ role }) => role === WANTED)
  const row = parts.channels.byId(channel.id)
  parts.view.refresh(row, now)
  for (const stored of parts.rows.inRole(channel.id, WANTED, Number.MAX_SAFE_INTEGER))
    parts.rows.drop(channel.id, stored)
  if (now.length < changed.length) while (parts.view.refreshLate(row, JUDGED_AT_ONCE));
}
