// The rows of a record in `torrents`, `playlists`, `entries` and `comments`: they exist as long as the record does, and
// are hidden until channel-view.ts shows them.

import { infoHashBytes } from '../../../base/ids.ts'
import { hiddenByFamilyFilter } from '../wire/category.ts'
import { recordIdBytes } from '../wire/ids.ts'
import type { ChannelRecord } from '../wire/types.ts'
import type { Sql } from './sql.ts'

/** Makes the row of a new record; kinds that are never shown have none. */
export function insertShown(sql: Sql, row: number, channel: number, { content, timeS }: ChannelRecord): void {
  switch (content.kind) {
    case 'torrent': {
      const { name, description, size, category } = content
      const adult = hiddenByFamilyFilter(name, category) ? 1 : 0
      const hash = infoHashBytes(content.infoHash)
      const text = `INSERT INTO torrents (id, channel, infohash, shown, name, description, size, category, adult, time)
        VALUES (?, ?, ?, 0, ?, ?, ?, ?, ?, ?)`
      sql.run(text, row, channel, hash, name, description, size, category, adult, timeS)
      return
    }
    case 'playlist': {
      const text = 'INSERT INTO playlists (id, channel, shown, name, description) VALUES (?, ?, 0, ?, ?)'
      sql.run(text, row, channel, content.name, content.description)
      return
    }
    case 'entry': {
      const text = 'INSERT INTO entries (id, channel, playlist, infohash, shown) VALUES (?, ?, ?, ?, 0)'
      sql.run(text, row, channel, recordIdBytes(content.playlist), infoHashBytes(content.infoHash))
      return
    }
    case 'comment':
      sql.run('INSERT INTO comments (id, channel, shown) VALUES (?, ?, 0)', row, channel)
      return
    default:
  }
}

const TABLES = { torrent: 'torrents', playlist: 'playlists', entry: 'entries', comment: 'comments' } as const

/** Takes the row of a record away that is not shown any more. */
export function dropShown(sql: Sql, row: number, { content: { kind } }: ChannelRecord): void {
  if (kind in TABLES) sql.run(`DELETE FROM ${TABLES[kind as keyof typeof TABLES]} WHERE id = ?`, row)
}
