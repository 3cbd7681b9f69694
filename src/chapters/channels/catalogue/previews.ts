// What a channel shows of itself to those who do not subscribe: its own record, its newest torrents with their edits,
// and the newest deletions, so that a preview that was taken before loses what is gone.

import { isOwner, keyOf } from '../wire/rights.ts'
import type { ChannelRow } from './channel-rows.ts'
import type { Parts } from './parts.ts'
import type { StoredRecord } from './record-rows.ts'
import { recordIdBytes } from '../wire/ids.ts'

/** A preview of deletions beside `limit` of torrents. */
const DELETIONS = 8

/** Encodings, the channel's own record first. */
export function previewOf({ rows, context }: Parts, channel: ChannelRow, limit: number): Uint8Array[] {
  const counted = (stored: StoredRecord): boolean => stored.counted === 1
  const newest = (some: StoredRecord[]): StoredRecord[] =>
    some
      .filter(counted)
      .sort((one, other) => other.record.timeS - one.record.timeS || other.record.clock - one.record.clock)
  const text = 'SELECT id FROM torrents WHERE channel = ? AND shown = 1 ORDER BY time DESC, id DESC LIMIT ?'
  const torrents = context.sql
    .values<number>(text, channel.id, Math.max(0, limit))
    .flatMap(row => rows.byRow(row) ?? [])
  const edits = torrents.flatMap(({ record }) =>
    newest(rows.about(channel.id, recordIdBytes(record.id), 'edit')).slice(0, 1),
  )
  const info = newest(rows.ofKind(channel.id, 'channel')).slice(0, 1)
  const authors = new Set([...torrents, ...edits].map(({ record }) => keyOf(record.author)))
  const grants = rows
    .ofKind(channel.id, 'grant')
    .filter(({ record: { content } }) => content.kind === 'grant' && authors.has(keyOf(content.contributor)))
  const deletions = newest(rows.ofKind(channel.id, 'deletion'))
    .filter(({ record }) => isOwner(record.author, channel.cid))
    .slice(0, DELETIONS)
  return [...info, ...grants, ...torrents, ...edits, ...deletions].map(({ record }) => record.bytes)
}
