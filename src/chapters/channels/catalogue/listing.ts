// Rows of tables as clients see them.

import type { ListedChannel, ListedTorrent } from '../ports/channel-library.ts'
import { type ChannelRow, isSubscribed, OWN } from './channel-rows.ts'

/** What of a row of `torrents` is listed. */
export interface TorrentListRow {
  readonly id: number
  readonly infohash: Uint8Array
  readonly name: string
  readonly size: number
  readonly category: string
  readonly seeders: number
  readonly leechers: number
  readonly checked: number
}

/** Those columns. */
export const TORRENT_COLUMNS = 't.id, t.infohash, t.name, t.size, t.category, t.seeders, t.leechers, t.checked'

/** A row of `torrents`. */
export function listedTorrent(row: TorrentListRow): ListedTorrent {
  return {
    id: row.id,
    infohash: hex(row.infohash),
    name: row.name,
    size: row.size,
    category: row.category,
    num_seeders: row.seeders,
    num_leechers: row.leechers,
    last_tracker_check: row.checked,
  }
}

/** A row of `channels`. `mayAdd`: its mode or a grant lets this node add torrents. */
export function listedChannel(row: ChannelRow, own: boolean, mayAdd: boolean): ListedChannel {
  return {
    id: row.id,
    dispersy_cid: row.cid,
    name: row.name === '' ? 'Unnamed channel' : row.name,
    description: row.description,
    subscribed: isSubscribed(row),
    votes: row.votes,
    // Of a channel that is not here whole only a few are known; its head tells how many records there are.
    torrents: row.held_sequence > 0 ? row.torrents : Math.max(row.torrents, row.head_records - 1),
    spam: row.spam,
    modified: Math.max(row.modified, row.held_sequence > 0 ? 0 : row.head_time),
    can_edit: row.standing === OWN || mayAdd,
    mode: row.mode,
    own: own && row.standing === OWN,
  }
}

/** Bytes as hexadecimal digits. */
export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')
}
