// What a record of a channel affects: torrents, playlists, entries, comments, or the channel's own description. When a
// record is added or removed, or becomes valid or invalid, the rows of these are computed again.

import type { ChannelRecord, RecordId } from '../wire/types.ts'
import type { RecordRows } from './record-rows.ts'

/** What is affected, by what names it. */
export interface Subjects {
  /** The channel's own name, description and mode. */
  info: boolean
  /** Info hashes. */
  readonly torrents: Set<string>
  readonly playlists: Set<RecordId>
  readonly entries: Set<RecordId>
  readonly comments: Set<RecordId>
}

/** None. */
export function noSubjects(): Subjects {
  return { info: false, torrents: new Set(), playlists: new Set(), entries: new Set(), comments: new Set() }
}

/** Adds those of a record to `subjects`. */
export function addSubjects(rows: RecordRows, channel: number, record: ChannelRecord, subjects: Subjects): void {
  const { content } = record
  if (content.kind === 'channel') subjects.info = true
  else if (content.kind === 'edit') addTarget(rows, channel, content.target, subjects)
  else if (content.kind === 'deletion') {
    for (const target of content.targets) addTarget(rows, channel, target, subjects)
  } else addItself(record, subjects)
}

function addItself({ content, id }: ChannelRecord, subjects: Subjects): void {
  if (content.kind === 'torrent') subjects.torrents.add(content.infoHash)
  else if (content.kind === 'playlist') subjects.playlists.add(id)
  else if (content.kind === 'entry') subjects.entries.add(id)
  else if (content.kind === 'comment') subjects.comments.add(id)
}

/** What a target is, or, where it is an edit, what that edits. */
function addTarget(rows: RecordRows, channel: number, target: RecordId, subjects: Subjects): void {
  const found = rows.find(channel, target)?.record
  if (found === undefined) return
  const edited = found.content.kind === 'edit' ? rows.find(channel, found.content.target)?.record : undefined
  addItself(edited ?? found, subjects)
}
