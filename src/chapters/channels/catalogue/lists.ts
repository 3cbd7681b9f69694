// What clients list: channels, torrents, playlists, comments, grants, figures.

import type {
  LibraryCounts,
  ListedChannel,
  ListedComment,
  ListedGrant,
  ListedPlaylist,
  ListedTorrent,
  NewestTorrent,
  SwarmHealth,
  UncheckedTorrent,
} from '../ports/channel-library.ts'
import { type InfoHash, infoHashBytes, infoHashFromBytes, parseInfoHash } from '../../../base/ids.ts'
import { decodeRecord } from '../wire/record-codec.ts'
import { keyOf, mayAdd } from '../wire/rights.ts'
import { IN_ORDER } from './channel-view.ts'
import { type ChannelRow, DISCOVERED, OWN, SUBSCRIBED } from './channel-rows.ts'
import { hex, listedChannel, listedTorrent, TORRENT_COLUMNS, type TorrentListRow } from './listing.ts'
import type { Parts } from './parts.ts'
import { bestFirst, RANK_COLUMNS, type RankRow } from './ranking.ts'
import { refusals } from './refusals.ts'

/** Torrents, comments in an answer. */
const MAX_LISTED = 50_000

/** Channels whose torrents are checked, besides own and subscribed ones. */
const CHECKED_CHANNELS = 50
/** One channel has this part of what is checked next, and what others leave. */
const CHECKED_SHARES = 8

type CommentRow = { readonly id: number; readonly bytes: Uint8Array }

/** What clients list: channels, torrents, playlists, comments, grants, figures. */
export class Lists {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  listed(row: ChannelRow): ListedChannel {
    const own = this.#parts.keys.ofChannel(row.cid) !== null
    return listedChannel(row, own, this.mayAdd(row))
  }

  /** Whether this node may add torrents to a channel. */
  mayAdd(row: ChannelRow): boolean {
    if (row.standing === OWN || row.mode === 'open') return true
    if (this.#parts.rows.ofKind(row.id, 'grant').length === 0) return false
    return mayAdd(this.#parts.keys.author().publicKey, 'torrent', this.#parts.view.judge.rules(row))
  }

  discovered(hideXxx: boolean): ListedChannel[] {
    const text =
      "SELECT * FROM channels WHERE name <> '' AND adult <= ? AND NOT (head_records = 0 AND head_sequence > 0)"
    const rows = this.#parts.context.sql.all<ChannelRow>(text, hideXxx ? 0 : 1)
    return bestFirst(rows, this.#parts.context.nowS(), true).map(row => this.listed(row))
  }

  subscribed(): ListedChannel[] {
    const text = `SELECT * FROM channels WHERE standing = ${SUBSCRIBED} OR (standing = ${OWN} AND own_left = 0) ORDER BY id`
    return this.#parts.context.sql.all<ChannelRow>(text).map(row => this.listed(row))
  }

  standing(standing: number): ListedChannel[] {
    const text = 'SELECT * FROM channels WHERE standing = ? ORDER BY id'
    return this.#parts.context.sql.all<ChannelRow>(text, standing).map(row => this.listed(row))
  }

  torrents({ id }: ChannelRow, hideXxx: boolean): ListedTorrent[] {
    const text = `SELECT ${TORRENT_COLUMNS} FROM torrents t WHERE t.channel = ? AND t.shown = 1 AND t.adult <= ?
      ORDER BY t.time DESC, t.id DESC LIMIT ${MAX_LISTED}`
    return this.#parts.context.sql.all<TorrentListRow>(text, id, hideXxx ? 0 : 1).map(listedTorrent)
  }

  newest({ id }: ChannelRow, limit: number, hideXxx: boolean): NewestTorrent[] {
    const text = `SELECT ${TORRENT_COLUMNS}, t.description, t.time, r.bytes FROM torrents t JOIN records r ON r.id = t.id
      WHERE t.channel = ? AND t.shown = 1 AND t.adult <= ? ORDER BY t.time DESC, t.id DESC LIMIT ?`
    type Row = TorrentListRow & { readonly description: string; readonly time: number; readonly bytes: Uint8Array }
    const rows = this.#parts.context.sql.all<Row>(text, id, hideXxx ? 0 : 1, Math.min(limit, MAX_LISTED))
    return rows.map(({ infohash, name, description, size, category, time, bytes }) => {
      const { content } = decodeRecord(bytes)
      const trackers = content.kind === 'torrent' ? content.trackers : []
      return { infohash: hex(infohash), name, description, size, category, time, trackers }
    })
  }

  playlists({ id }: ChannelRow, hideXxx: boolean): ListedPlaylist[] {
    const text = `SELECT p.id, p.name, p.description, r.hash FROM playlists p JOIN records r ON r.id = p.id
      WHERE p.channel = ? AND p.shown = 1 ${IN_ORDER}`
    const rows = this.#parts.context.sql.all<{ id: number; name: string; description: string; hash: Uint8Array }>(
      text,
      id,
    )
    return rows.map(({ hash, ...row }) => ({ ...row, torrents: this.#entries(id, hash, hideXxx) }))
  }

  #entries(channel: number, playlist: Uint8Array, hideXxx: boolean): ListedTorrent[] {
    const text = `SELECT ${TORRENT_COLUMNS} FROM entries e JOIN records r ON r.id = e.id
      JOIN torrents t ON t.infohash = e.infohash AND t.channel = e.channel AND t.shown = 1
      WHERE e.channel = ? AND e.playlist = ? AND e.shown = 1 AND t.adult <= ? ${IN_ORDER} LIMIT ${MAX_LISTED}`
    const rows = this.#parts.context.sql.all<TorrentListRow>(text, channel, playlist, hideXxx ? 0 : 1)
    return [...new Map(rows.map(row => [row.id, row])).values()].map(listedTorrent)
  }

  comments({ id }: ChannelRow): ListedComment[] {
    const text = `SELECT r.id, r.bytes FROM comments c JOIN records r ON r.id = c.id
      WHERE c.channel = ? AND c.shown = 1 ${IN_ORDER} LIMIT ${MAX_LISTED}`
    return this.#parts.context.sql.all<CommentRow>(text, id).flatMap(row => this.#comment(id, row))
  }

  #comment(channel: number, row: CommentRow): ListedComment[] {
    const { content, author, timeS } = decodeRecord(row.bytes)
    if (content.kind !== 'comment') return []
    const about = content.target === null ? null : this.#parts.rows.roleOf(channel, content.target)
    const infohash = about === null || about === undefined ? null : this.#shownHash(about.id)
    // Of a playlist that is shown: told without an info hash. Of what is not shown: not told.
    if (content.target !== null && infohash === null && !this.#isPlaylist(about?.id)) return []
    return [{ id: row.id, author: keyOf(author), text: content.text, timestamp: timeS, infohash }]
  }

  #shownHash(row: number): string | null {
    const found = this.#parts.context.sql.value<Uint8Array>(
      'SELECT infohash FROM torrents WHERE id = ? AND shown = 1',
      row,
    )
    return found === undefined ? null : hex(found)
  }

  #isPlaylist(row: number | undefined): boolean {
    if (row === undefined) return false
    return (
      this.#parts.context.sql.value<number>('SELECT 1 FROM playlists WHERE id = ? AND shown = 1', row) !== undefined
    )
  }

  grants(row: ChannelRow): ListedGrant[] {
    const { grants } = this.#parts.view.judge.rules(row)
    return [...grants]
      .filter(([, rights]) => rights.add || rights.moderate)
      .map(([contributor, { add, moderate }]) => ({ contributor, add, moderate }))
  }

  /**
   * Own and subscribed channels before the best others; of each those never checked first, then the stalest. No channel
   * takes more than its share while others have some.
   */
  unchecked(limit: number, olderThanS: number): UncheckedTorrent[] {
    const { sql, nowS } = { sql: this.#parts.context.sql, nowS: this.#parts.context.nowS() }
    const rows = bestFirst(sql.all<RankRow>(`SELECT ${RANK_COLUMNS} FROM channels WHERE torrents > 0`), nowS)
    const wanted = rows.filter((row, index) => row.standing !== DISCOVERED || index < CHECKED_CHANNELS)
    const found = new Map<string, UncheckedTorrent>()
    for (const share of [Math.ceil(limit / CHECKED_SHARES), limit]) {
      for (const { id } of wanted) {
        if (found.size >= limit) break
        for (const torrent of this.#uncheckedOf(id, share, olderThanS)) found.set(torrent.infoHash, torrent)
      }
    }
    return [...found.values()].slice(0, limit)
  }

  #uncheckedOf(channel: number, limit: number, olderThanS: number): UncheckedTorrent[] {
    const text = `SELECT t.infohash, t.checked, r.bytes FROM torrents t JOIN records r ON r.id = t.id
      WHERE t.channel = ? AND t.shown = 1 AND t.checked < ? ORDER BY t.checked, t.time DESC LIMIT ?`
    type Row = { infohash: Uint8Array; checked: number; bytes: Uint8Array }
    return this.#parts.context.sql.all<Row>(text, channel, olderThanS, limit).map(row => {
      const { content } = decodeRecord(row.bytes)
      const trackers = content.kind === 'torrent' ? content.trackers : []
      return { infoHash: infoHashFromBytes(row.infohash), trackers, checkedS: row.checked }
    })
  }

  checked(healths: readonly SwarmHealth[]): void {
    const { sql } = this.#parts.context
    for (const { infoHash, seeders, leechers, checkedS } of healths) {
      const text = 'SELECT id, channel, shown, seeders FROM torrents WHERE infohash = ?'
      type Row = { id: number; channel: number; shown: number; seeders: number }
      for (const row of sql.all<Row>(text, infoHashBytes(infoHash))) {
        const set = 'UPDATE torrents SET seeders = ?, leechers = ?, checked = ? WHERE id = ?'
        sql.run(set, seeders, leechers, checkedS, row.id)
        if (row.shown === 1 && row.seeders !== seeders) {
          sql.run('UPDATE channels SET seeders = seeders + ? WHERE id = ?', seeders - row.seeders, row.channel)
        }
      }
    }
  }

  torrent(infoHash: InfoHash): (ListedTorrent & { trackers: readonly string[]; channels: readonly string[] }) | null {
    const text = `SELECT ${TORRENT_COLUMNS}, r.bytes, c.cid FROM torrents t JOIN records r ON r.id = t.id
      JOIN channels c ON c.id = t.channel WHERE t.infohash = ? AND t.shown = 1 ORDER BY c.standing DESC, t.id`
    type Row = TorrentListRow & { readonly bytes: Uint8Array; readonly cid: string }
    const rows = this.#parts.context.sql.all<Row>(text, infoHashBytes(infoHash))
    const [first] = rows
    if (first === undefined) return null
    const contents = rows.map(({ bytes }) => decodeRecord(bytes).content)
    const trackers = new Set(contents.flatMap(content => (content.kind === 'torrent' ? content.trackers : [])))
    return { ...listedTorrent(first), trackers: [...trackers], channels: rows.map(({ cid }) => cid) }
  }

  health(text: string): SwarmHealth | null {
    const infoHash = parseInfoHash(text)
    const found = infoHash === null ? null : this.torrent(infoHash)
    if (infoHash === null || found === null || found.last_tracker_check === 0) return null
    const { num_seeders: seeders, num_leechers: leechers, last_tracker_check: checkedS } = found
    return { infoHash, seeders, leechers, checkedS }
  }

  counts(): LibraryCounts {
    const { sql } = this.#parts.context
    const text = "SELECT count(*) AS channels, coalesce(sum(torrents), 0) AS torrents FROM channels WHERE name <> ''"
    const sums = sql.get<{ channels: number; torrents: number }>(text) ?? { channels: 0, torrents: 0 }
    const pages = Number(sql.database.pragma('page_count', { simple: true }))
    const pageBytes = Number(sql.database.pragma('page_size', { simple: true }))
    return { ...sums, bytes: pages * pageBytes, refused: refusals(sql) }
  }
}
