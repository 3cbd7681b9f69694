// The set of a new head becomes the held one: all or nothing.

import { sameBytes } from '../../../base/same-bytes.ts'
import type { ChannelHead, RecordId } from '../wire/types.ts'
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
    parts.context.sql.database.transaction(() => {
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

/**
 * Changes the roles; answers what is judged at once. Records that leave the set are gone: only its owner can take them
 * out.
 */
function move(parts: Parts, channel: ChannelRow, change: SetChange): StoredRecord[] {
  const { rows, tree } = parts
  const joining = new Set(change.added)
  const leaving = change.whole
    ? rows.heldIds(channel.id, '', Number.MAX_SAFE_INTEGER).filter(id => !joining.has(id))
    : change.removed.filter(id => !joining.has(id))
  const joined = joining.size > JUDGED_AT_ONCE ? joinMany(parts, channel, joining) : join(parts, channel, joining)
  const left: StoredRecord[] = []
  for (const id of leaving) {
    const stored = rows.find(channel.id, id)
    if (stored?.role === HELD) left.push(leave(parts, stored))
  }
  if (joining.size + leaving.length > JUDGED_AT_ONCE) tree.forgetAll(channel.id)
  else tree.forget(channel.id, [...joining, ...leaving])
  return [...joined, ...left]
}

function join({ rows }: Parts, channel: ChannelRow, ids: ReadonlySet<RecordId>): StoredRecord[] {
  const joined: StoredRecord[] = []
  for (const id of ids) {
    const stored = rows.find(channel.id, id)
    if (stored === undefined) throw new NotTheSet()
    if (stored.role === HELD) continue
    rows.hold(stored.row)
    joined.push({ ...stored, role: HELD })
  }
  return joined
}

/** They are judged later, a few at a time (own.tend). */
function joinMany({ rows }: Parts, channel: ChannelRow, ids: ReadonlySet<RecordId>): StoredRecord[] {
  for (const id of ids) {
    const found = rows.roleOf(channel.id, id)
    if (found === undefined) throw new NotTheSet()
    if (found.role !== HELD) rows.hold(found.id)
  }
  return []
}

/** The record is here until what showed it has been looked at. */
function leave(parts: Parts, stored: StoredRecord): StoredRecord {
  parts.rows.setRole(stored.row, WANTED)
  return { ...stored, role: WANTED }
}

/** Previews that are not in the set, and records that were fetched for older heads. */
function dropLeftovers(parts: Parts, channel: ChannelRow): StoredRecord[] {
  const previews = parts.rows.inRole(channel.id, PREVIEW, Number.MAX_SAFE_INTEGER)
  return previews.map(stored => leave(parts, stored))
}

function judge(parts: Parts, channel: ChannelRow, changed: readonly StoredRecord[]): void {
  const { view, rows, channels } = parts
  for (let at = 0; at < changed.length; at += JUDGED_AT_ONCE) {
    view.refresh(channels.byId(channel.id), changed.slice(at, at + JUDGED_AT_ONCE))
  }
  for (const stored of rows.inRole(channel.id, WANTED, Number.MAX_SAFE_INTEGER)) rows.drop(channel.id, stored)
}
