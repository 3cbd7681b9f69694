// Rows of `records` and of what refers to them.

import { RECORD_KINDS } from '../wire/record-content.ts'
import { decodeRecord } from '../wire/record-codec.ts'
import { recordIdBytes, recordIdFromBytes } from '../wire/ids.ts'
import { isOwner } from '../wire/rights.ts'
import type { ChannelRecord, RecordId, RecordKind, UnsignedRecord } from '../wire/types.ts'
import type { CatalogueContext } from './catalogue-context.ts'
import { dropShown, insertShown } from './shown-tables.ts'

/** In the set of the head that is held. */
export const HELD = 0
/** In no head yet. */
export const EXTRA = 1
/** Fetched for a set that is not whole yet, or on its way out. */
export const WANTED = 2
/** One of a few of a channel that is not held. */
export const PREVIEW = 3

/** What a record costs beside its bytes, in rows and indexes. */
const ROW_BYTES = 200

/** A row as it is listed. */
export interface RecordRow {
  readonly id: number
  readonly role: number
  readonly counted: number
  readonly bytes: Uint8Array
}

/** A row with its record. */
export interface StoredRecord {
  readonly row: number
  readonly role: number
  /** 1: it counts now, 0: it does not, -1: not judged yet. */
  readonly counted: number
  readonly record: ChannelRecord
}

/** One of those that share author and clock. */
export interface Twin {
  readonly row: number
  readonly role: number
  readonly hash: Uint8Array
}

/** The number of a kind in `records`. */
export function kindNumber(kind: RecordKind): number {
  return RECORD_KINDS.indexOf(kind) + 1
}

function stored(row: RecordRow): StoredRecord {
  return { row: row.id, role: row.role, counted: row.counted, record: decodeRecord(row.bytes) }
}

const COLUMNS = 'r.id, r.role, r.counted, r.bytes'

/** Statements over `records`, `authors` and `refs`. */
export class RecordRows {
  readonly #context: CatalogueContext

  constructor(context: CatalogueContext) {
    this.#context = context
  }

  /** The row of a record; undefined: it is not here in any role. */
  find(channel: number, id: RecordId): StoredRecord | undefined {
    const text = `SELECT ${COLUMNS} FROM records r WHERE r.channel = ? AND r.hash = ?`
    const row = this.#context.sql.get<RecordRow>(text, channel, recordIdBytes(id))
    return row && stored(row)
  }

  /** Role of a record without reading it. */
  roleOf(channel: number, id: RecordId): { readonly id: number; readonly role: number } | undefined {
    return this.#context.sql.get(
      'SELECT id, role FROM records WHERE channel = ? AND hash = ?',
      channel,
      recordIdBytes(id),
    )
  }

  byRow(row: number): StoredRecord | undefined {
    const found = this.#context.sql.get<RecordRow>(`SELECT ${COLUMNS} FROM records r WHERE r.id = ?`, row)
    return found && stored(found)
  }

  /** Those that refer to `target`, of a kind. */
  about(channel: number, target: Uint8Array, kind: RecordKind): StoredRecord[] {
    const text = `SELECT ${COLUMNS} FROM refs JOIN records r ON r.id = refs.record
      WHERE refs.channel = ? AND refs.target = ? AND r.kind = ?`
    return this.#context.sql.all<RecordRow>(text, channel, target, kindNumber(kind)).map(stored)
  }

  /** All of a kind other than torrents. */
  ofKind(channel: number, kind: Exclude<RecordKind, 'torrent'>): StoredRecord[] {
    const text = `SELECT ${COLUMNS} FROM records r WHERE r.channel = ? AND r.kind = ? AND r.kind <> 2`
    return this.#context.sql.all<RecordRow>(text, channel, kindNumber(kind)).map(stored)
  }

  /** All in a role other than HELD, the newest first. */
  inRole(channel: number, role: number, limit: number): StoredRecord[] {
    const text = `SELECT ${COLUMNS} FROM records r WHERE r.channel = ? AND r.role = ? AND r.role <> 0 ORDER BY r.id DESC LIMIT ?`
    return this.#context.sql.all<RecordRow>(text, channel, role, limit).map(stored)
  }

  /** Ids of those that are in no head and count, the newest first. */
  countedExtras(channel: number, limit: number): RecordId[] {
    const text = 'SELECT hash FROM records WHERE channel = ? AND role = 1 AND counted = 1 ORDER BY id DESC LIMIT ?'
    return this.#context.sql.values<Uint8Array>(text, channel, limit).map(recordIdFromBytes)
  }

  countInRole(channel: number, role: number): number {
    const text = 'SELECT count(*) FROM records WHERE channel = ? AND role = ? AND role <> 0'
    return this.#context.sql.value<number>(text, channel, role) ?? 0
  }

  /** Stores a record and the row of its view; it is not judged yet. */
  insert(channel: number, record: ChannelRecord, role: number): number {
    const { sql } = this.#context
    if (isOwner(record.author, record.channel)) this.#context.ownersWords.changes++
    const kind = kindNumber(record.content.kind)
    const text = `INSERT INTO records (channel, hash, role, kind, author, clock, time, counted, bytes)
      VALUES (?, ?, ?, ?, ?, ?, ?, -1, ?)`
    const author = this.#author(record.author)
    const hash = recordIdBytes(record.id)
    const row = sql.insert(text, channel, hash, role, kind, author, record.clock, record.timeS, record.bytes)
    for (const target of targetsOf(record)) {
      sql.run('INSERT OR IGNORE INTO refs (channel, target, record) VALUES (?, ?, ?)', channel, target, row)
    }
    const cost = record.bytes.length + ROW_BYTES
    sql.run('UPDATE channels SET bytes = bytes + ? WHERE id = ?', cost, channel)
    insertShown(sql, row, channel, record)
    return row
  }

  setRole(row: number, role: number): void {
    this.#context.ownersWords.changes++
    this.#context.sql.run('UPDATE records SET role = ? WHERE id = ?', role, row)
  }

  /** The record joins the held set and is judged again. */
  hold(row: number): void {
    this.#context.ownersWords.changes++
    this.#context.sql.run('UPDATE records SET role = 0, counted = -1 WHERE id = ?', row)
  }

  setCounted(row: number, counted: number): void {
    this.#context.sql.run('UPDATE records SET counted = ? WHERE id = ?', counted, row)
  }

  /** Those with the author and clock of `record`, itself included: one of them counts. */
  inSlot(channel: number, record: UnsignedRecord): Twin[] {
    const text = `SELECT r.id AS row, r.role, r.hash FROM authors a JOIN records r ON r.author = a.id
      WHERE a.key = ? AND r.channel = ? AND r.clock = ?`
    return this.#context.sql.all<Twin>(text, record.author, channel, record.clock)
  }

  /** Edits and deletions of `target` that are in no head: whether they count may depend on it. */
  looseAbout(channel: number, target: Uint8Array): StoredRecord[] {
    const text = `SELECT ${COLUMNS} FROM refs JOIN records r ON r.id = refs.record
      WHERE refs.channel = ? AND refs.target = ? AND r.kind IN (5, 6) AND r.role IN (1, 3)`
    return this.#context.sql.all<RecordRow>(text, channel, target).map(stored)
  }

  /** Whether a row counts, as `counted` of StoredRecord. */
  countedOf(row: number): number {
    return this.#context.sql.value<number>('SELECT counted FROM records WHERE id = ?', row) ?? -1
  }

  /** The highest clock of an author; 0: nothing of it is here. */
  lastClock(channel: number, author: Uint8Array): number {
    const text = 'SELECT max(clock) FROM records WHERE channel = ? AND author = (SELECT id FROM authors WHERE key = ?)'
    return this.#context.sql.value<number | null>(text, channel, author) ?? 0
  }

  /** Some that are not judged yet, and belong to what a channel shows. */
  unjudged(channel: number, limit: number): StoredRecord[] {
    const text = `SELECT ${COLUMNS} FROM records r WHERE r.channel = ? AND r.counted < 0 AND r.role <> 2 ORDER BY r.id LIMIT ?`
    return this.#context.sql.all<RecordRow>(text, channel, limit).map(stored)
  }

  /** Takes a record away; nothing may show it any more. */
  drop(channel: number, { row, record }: StoredRecord): void {
    const { sql } = this.#context
    if (isOwner(record.author, record.channel)) this.#context.ownersWords.changes++
    for (const target of targetsOf(record)) {
      sql.run('DELETE FROM refs WHERE channel = ? AND target = ? AND record = ?', channel, target, row)
    }
    dropShown(sql, row, record)
    sql.run('DELETE FROM records WHERE id = ?', row)
    sql.run('UPDATE channels SET bytes = bytes - ? WHERE id = ?', record.bytes.length + ROW_BYTES, channel)
  }

  /** The number of an author's key. */
  #author(key: Uint8Array): number {
    const found = this.#context.sql.value<number>('SELECT id FROM authors WHERE key = ?', key)
    return found ?? this.#context.sql.insert('INSERT INTO authors (key) VALUES (?)', key)
  }

  /** Ids that begin with `prefix` (hexadecimal) of the held set, in order. */
  heldIds(channel: number, prefix: string, limit: number): RecordId[] {
    const from = Buffer.from(prefix.padEnd(64, '0'), 'hex')
    const to = Buffer.from(prefix.padEnd(64, 'f'), 'hex')
    const text =
      'SELECT hash FROM records WHERE channel = ? AND hash BETWEEN ? AND ? AND role = 0 ORDER BY hash LIMIT ?'
    return this.#context.sql.values<Uint8Array>(text, channel, from, to, limit).map(recordIdFromBytes)
  }
}

/** What a record refers to by record id. */
function targetsOf({ content }: ChannelRecord): Uint8Array[] {
  switch (content.kind) {
    case 'edit':
      return [recordIdBytes(content.target)]
    case 'deletion':
      return content.targets.map(recordIdBytes)
    case 'entry':
      return [recordIdBytes(content.playlist)]
    case 'comment':
      return content.target === null ? [] : [recordIdBytes(content.target)]
    default:
      return []
  }
}
