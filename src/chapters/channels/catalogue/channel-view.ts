// Keeps what channels show up to date as records come, go and change their role: the same as fold.ts of their records,
// in steps. Each thing that a change may have touched is computed again from the few records about it.

import { type InfoHash, infoHashBytes } from '../../../base/ids.ts'
import { hiddenByFamilyFilter } from '../wire/category.ts'
import { byTime, isNewer } from '../wire/fold.ts'
import { recordIdBytes } from '../wire/ids.ts'
import { isOwner } from '../wire/rights.ts'
import type { ChannelRecord, RecordId } from '../wire/types.ts'
import { type ChannelRow, OWN } from './channel-rows.ts'
import type { CatalogueContext } from './catalogue-context.ts'
import { Judge, type Judgement } from './judge.ts'
import type { RecordRow, RecordRows, StoredRecord } from './record-rows.ts'
import { addSubjects, noSubjects } from './subjects.ts'
import { decodeRecord } from '../wire/record-codec.ts'

/** Held before the others, then by time: the order of things in a channel. */
export const IN_ORDER = 'ORDER BY r.role <> 0, r.time, r.clock, r.hash DESC'

type TorrentRow = RecordRow & {
  readonly hash: Uint8Array
  readonly shown: number
  readonly name: string
  readonly seeders: number
}

/**
 * Keeps what channels show up to date as records come, go and change their role: the same as fold.ts of their records,
 * in steps.
 */
export class ChannelView {
  readonly judge: Judge
  readonly #context: CatalogueContext
  readonly #rows: RecordRows

  constructor(context: CatalogueContext, rows: RecordRows) {
    this.#context = context
    this.#rows = rows
    this.judge = new Judge(rows, context)
  }

  /** To be called when records of a channel came, went, or changed their role. */
  refresh(channel: ChannelRow, changed: readonly StoredRecord[]): void {
    const judgement = this.judge.judge(channel, changed)
    const subjects = noSubjects()
    for (const record of judgement.touched) addSubjects(this.#rows, channel.id, record, subjects)
    if (subjects.info) this.#showInfo(channel)
    for (const infoHash of subjects.torrents) this.#showTorrent(channel, infoHash as InfoHash)
    for (const id of subjects.playlists) this.#showPlaylist(channel.id, id)
    for (const id of subjects.entries) this.#showPlain('entries', channel.id, id)
    for (const id of subjects.comments) this.#showPlain('comments', channel.id, id)
    this.#noteTimes(channel, judgement)
  }

  /** Looks at records that were put off, at most `limit` of them. */
  refreshLate(channel: ChannelRow, limit: number): void {
    const late = this.#rows.unjudged(channel.id, limit)
    if (late.length > 0) this.refresh(channel, late)
  }

  #noteTimes({ id }: ChannelRow, { begunS, ceasedS }: Judgement): void {
    const { sql } = this.#context
    const before = sql.value<number>('SELECT modified FROM channels WHERE id = ?', id) ?? 0
    const known = Math.max(before, begunS)
    // What was the newest may count no more: then all are looked through.
    const text = 'SELECT max(time) FROM records WHERE channel = ? AND counted = 1'
    const modified = ceasedS >= known && ceasedS > 0 ? (sql.value<number | null>(text, id) ?? 0) : known
    if (modified !== before) sql.run('UPDATE channels SET modified = ? WHERE id = ?', modified, id)
  }

  #showInfo(channel: ChannelRow): void {
    const { sql } = this.#context
    const words = this.#rows
      .ofKind(channel.id, 'channel')
      .filter(({ record, counted }) => counted === 1 && isOwner(record.author, channel.cid))
      .map(({ record }) => record)
    const newest = words.reduce<ChannelRecord | null>(
      (best, one) => (best === null || isNewer(one, best) ? one : best),
      null,
    )
    const info = newest?.content.kind === 'channel' ? newest.content : { name: '', description: '', mode: 'closed' }
    const adult = hiddenByFamilyFilter(info.name, '') ? 1 : 0
    const text =
      'UPDATE channels SET name = ?, description = ?, mode = ?, adult = ?, announced = max(announced, ?) WHERE id = ?'
    const named = info.name === '' ? 0 : 1
    sql.run(text, info.name, info.description, info.mode, adult, named, channel.id)
    sql.run('DELETE FROM found_channels WHERE rowid = ?', channel.id)
    if (named === 0) return
    sql.run('INSERT INTO found_channels (rowid, words) VALUES (?, ?)', channel.id, `${info.name} ${info.description}`)
    if (channel.announced === 1 || channel.standing === OWN) return
    this.#context.tell({ kind: 'channel-found', channel: channel.cid, name: info.name, description: info.description })
  }

  /** Of several torrents with one info hash the first one is shown. */
  #showTorrent(channel: ChannelRow, infoHash: InfoHash): void {
    const text = `SELECT r.id, r.role, r.counted, r.bytes, r.hash, t.shown, t.name, t.seeders FROM torrents t JOIN records r ON r.id = t.id
      WHERE t.infohash = ? AND t.channel = ? ${IN_ORDER}`
    const rows = this.#context.sql.all<TorrentRow>(text, infoHashBytes(infoHash), channel.id)
    const shown = rows.find(row => row.counted === 1 && !this.#isDeleted(channel.id, row.hash))
    for (const row of rows) if (row !== shown && row.shown === 1) this.#hideTorrent(channel.id, row)
    if (shown !== undefined) this.#showRow(channel, shown)
  }

  #showRow(channel: ChannelRow, row: TorrentRow): void {
    const { sql } = this.#context
    const record = decodeRecord(row.bytes)
    const { content } = record
    if (content.kind !== 'torrent') return
    const { name, description } = this.#edited(channel.id, record, content)
    const adult = hiddenByFamilyFilter(name, content.category) ? 1 : 0
    if (row.shown === 1) sql.run('DELETE FROM found_torrents WHERE rowid = ?', row.id)
    else {
      this.#tellTorrent(channel, record)
      const add = 'UPDATE channels SET torrents = torrents + 1, seeders = seeders + ? WHERE id = ?'
      sql.run(add, row.seeders, channel.id)
    }
    sql.run(
      'UPDATE torrents SET shown = 1, name = ?, description = ?, adult = ? WHERE id = ?',
      name,
      description,
      adult,
      row.id,
    )
    sql.run('INSERT INTO found_torrents (rowid, words) VALUES (?, ?)', row.id, `${name} ${description}`)
  }

  #hideTorrent(channel: number, row: TorrentRow): void {
    const { sql } = this.#context
    sql.run('UPDATE torrents SET shown = 0 WHERE id = ?', row.id)
    sql.run('DELETE FROM found_torrents WHERE rowid = ?', row.id)
    sql.run('UPDATE channels SET torrents = torrents - 1, seeders = seeders - ? WHERE id = ?', row.seeders, channel)
  }

  #tellTorrent(channel: ChannelRow, { content, timeS: timestamp }: ChannelRecord): void {
    if (content.kind !== 'torrent') return
    const text = 'SELECT 1 FROM torrents WHERE infohash = ? AND shown = 1'
    if (this.#context.sql.value<number>(text, infoHashBytes(content.infoHash)) !== undefined) return
    const { infoHash: infohash, name, trackers } = content
    const files = content.files.map(({ path, size }) => ({ name: path, size }))
    this.#context.tell({ kind: 'torrent-found', channel: channel.cid, infohash, name, trackers, files, timestamp })
  }

  #showPlaylist(channel: number, id: RecordId): void {
    const found = this.#rows.find(channel, id)
    if (found?.record.content.kind !== 'playlist') return
    const shown = this.#stands(channel, found) ? 1 : 0
    const { name, description } = this.#edited(channel, found.record, found.record.content)
    const text = 'UPDATE playlists SET shown = ?, name = ?, description = ? WHERE id = ?'
    this.#context.sql.run(text, shown, name, description, found.row)
  }

  #showPlain(table: 'entries' | 'comments', channel: number, id: RecordId): void {
    const found = this.#rows.find(channel, id)
    if (found === undefined) return
    this.#context.sql.run(`UPDATE ${table} SET shown = ? WHERE id = ?`, this.#stands(channel, found) ? 1 : 0, found.row)
  }

  #stands(channel: number, stored: StoredRecord): boolean {
    return stored.counted === 1 && !this.#isDeleted(channel, recordIdBytes(stored.record.id))
  }

  #isDeleted(channel: number, hash: Uint8Array): boolean {
    const text = `SELECT 1 FROM refs JOIN records r ON r.id = refs.record
      WHERE refs.channel = ? AND refs.target = ? AND r.kind = 6 AND r.counted = 1`
    return this.#context.sql.value<number>(text, channel, hash) !== undefined
  }

  /** Name and description after the edits of a record: of each the newest. */
  #edited(channel: number, { id }: ChannelRecord, was: { readonly name: string; readonly description: string }) {
    const edits = this.#rows
      .about(channel, recordIdBytes(id), 'edit')
      .filter(stored => this.#stands(channel, stored))
      .map(({ record }) => record)
      .sort(byTime)
    let { name, description } = was
    for (const { content } of edits) {
      if (content.kind !== 'edit') continue
      name = content.name ?? name
      description = content.description ?? description
    }
    return { name, description }
  }
}
