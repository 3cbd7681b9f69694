// Rows that say which files of a download are its own, and which of those it made itself. Synchronous, in the database
// thread.

import type Database from 'better-sqlite3'
import type { InfoHash } from '../base/ids.ts'
import type { FileMark } from '../ports/piece-store.ts'
import type { FileRun, MadeFile } from '../ports/progress-journal.ts'

/** Statements over `own_files` and `made_files`. */
export class OwnFileRows {
  readonly #list: Database.Statement<[string], { first: number; last: number }>
  readonly #note: Database.Statement<[number, number, string]>
  readonly #made: Database.Statement<[string], { file: number; mark: string }>
  readonly #noteMade: Database.Statement<[number, string, string]>
  readonly #unmake: Database.Statement<[number, string]>
  readonly #keepMade: Database.Statement<[string]>

  constructor(database: Database.Database) {
    this.#list = database.prepare(
      'SELECT first, last FROM own_files JOIN downloads ON downloads.id = download_id WHERE info_hash = ?',
    )
    this.#note = database.prepare(
      'INSERT OR IGNORE INTO own_files (download_id, first, last) SELECT id, ?, ? FROM downloads WHERE info_hash = ?',
    )
    this.#made = database.prepare(
      'SELECT file, mark FROM made_files JOIN downloads ON downloads.id = download_id WHERE info_hash = ?',
    )
    this.#noteMade = database.prepare(
      'INSERT OR REPLACE INTO made_files (download_id, file, mark) SELECT id, ?, ? FROM downloads WHERE info_hash = ?',
    )
    this.#keepMade = database.prepare(
      'DELETE FROM made_files WHERE download_id = (SELECT id FROM downloads WHERE info_hash = ?)',
    )
    this.#unmake = database.prepare(
      'DELETE FROM made_files WHERE file = ? AND download_id = (SELECT id FROM downloads WHERE info_hash = ?)',
    )
  }

  /** All runs of one download. */
  list(infoHash: InfoHash): FileRun[] {
    return this.#list.all(infoHash).map(({ first, last }) => [first, last])
  }

  /** Adds runs; nothing for a download that is gone. */
  note(infoHash: InfoHash, runs: readonly FileRun[]): void {
    for (const [first, last] of runs) this.#note.run(first, last, infoHash)
  }

  /** The files that one download made. */
  made(infoHash: InfoHash): MadeFile[] {
    return this.#made.all(infoHash).map(({ file, mark }) => [file, mark])
  }

  /** It made this file, which is its own; nothing for a download that is gone. */
  noteMade(infoHash: InfoHash, file: number, mark: FileMark): void {
    this.#note.run(file, file, infoHash)
    this.#noteMade.run(file, mark, infoHash)
  }

  /** No file is the download's making any more. */
  keepMade(infoHash: InfoHash): void {
    this.#keepMade.run(infoHash)
  }

  /** Another program wrote into these files: they are not the download's making any more. */
  unmake(infoHash: InfoHash, files: readonly number[]): void {
    for (const file of files) this.#unmake.run(file, infoHash)
  }
}
