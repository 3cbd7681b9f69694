// Rows that say where films were left. Synchronous, in the database thread.

import type Database from 'better-sqlite3'
import type { InfoHash } from '../base/ids.ts'
import {
  MAX_WATCHED,
  MAX_WATCHED_OF_ONE,
  type RecentFile,
  type WatchedFile,
  type WatchedNote,
} from '../ports/viewing/watching-records.ts'

/** A row as SQLite has it: truth is a number. */
type Row<T extends WatchedFile> = Omit<T, 'watched'> & { readonly watched: number }

const COLUMNS =
  'info_hash AS infoHash, file, watching.name, watching.position AS positionMs, duration AS durationMs, watched, at AS atMs'
const FROM = 'FROM watching JOIN downloads ON downloads.id = download_id'

const NOTE = `
  INSERT INTO watching (download_id, file, name, position, duration, watched, at)
    SELECT id, @file, @name, coalesce(@positionMs, 0), @durationMs, coalesce(@watched, 0), @atMs
    FROM downloads WHERE info_hash = @infoHash
  ON CONFLICT (download_id, file) DO UPDATE SET
    name = excluded.name, at = excluded.at,
    position = coalesce(@positionMs, position),
    duration = coalesce(@durationMs, duration),
    watched = coalesce(@watched, watched)`

const TRIM_ONE = `
  DELETE FROM watching WHERE download_id = (SELECT id FROM downloads WHERE info_hash = ?) AND file IN
    (SELECT file ${FROM} WHERE info_hash = ? ORDER BY at DESC LIMIT -1 OFFSET ${MAX_WATCHED_OF_ONE})`

const TRIM = `
  DELETE FROM watching WHERE (download_id, file) IN
    (SELECT download_id, file FROM watching ORDER BY at DESC LIMIT -1 OFFSET ${MAX_WATCHED})`

/** Statements over `watching`. */
export class WatchingRows {
  readonly #note: Database.Statement<[Omit<WatchedNote, 'watched'> & { watched: number | null }]>
  readonly #one: Database.Statement<[string, number], Row<WatchedFile>>
  readonly #of: Database.Statement<[string], Row<WatchedFile>>
  readonly #recent: Database.Statement<[number], Row<RecentFile>>
  readonly #forget: Database.Statement<[number, string]>
  readonly #trimOne: Database.Statement<[string, string]>
  readonly #trim: Database.Statement<[]>

  constructor(database: Database.Database) {
    this.#note = database.prepare(NOTE)
    this.#one = database.prepare(`SELECT ${COLUMNS} ${FROM} WHERE info_hash = ? AND file = ?`)
    this.#of = database.prepare(`SELECT ${COLUMNS} ${FROM} WHERE info_hash = ? ORDER BY file`)
    this.#recent = database.prepare(
      `SELECT ${COLUMNS}, downloads.name AS download ${FROM} ORDER BY at DESC, file LIMIT ?`,
    )
    this.#forget = database.prepare(
      'DELETE FROM watching WHERE file = ? AND download_id = (SELECT id FROM downloads WHERE info_hash = ?)',
    )
    this.#trimOne = database.prepare(TRIM_ONE)
    this.#trim = database.prepare(TRIM)
  }

  note(note: WatchedNote): WatchedFile | null {
    const known = this.#one.get(note.infoHash, note.file) !== undefined
    const { changes } = this.#note.run({ ...note, watched: note.watched === null ? null : Number(note.watched) })
    if (changes === 0) return null
    if (!known) {
      this.#trimOne.run(note.infoHash, note.infoHash)
      this.#trim.run()
    }
    const row = this.#one.get(note.infoHash, note.file)
    return row === undefined ? null : fileOf(row)
  }

  of(infoHash: InfoHash): WatchedFile[] {
    return this.#of.all(infoHash).map(fileOf)
  }

  recent(limit: number): RecentFile[] {
    return this.#recent.all(limit).map(fileOf)
  }

  forget(infoHash: InfoHash, file: number): boolean {
    return this.#forget.run(file, infoHash).changes > 0
  }
}

function fileOf<T extends WatchedFile>(row: Row<T>): Omit<T, 'watched'> & { readonly watched: boolean } {
  return { ...row, watched: row.watched === 1 }
}
