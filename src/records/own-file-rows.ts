// Rows that say which files of a download are its own. Synchronous, in the database thread.

import type Database from 'better-sqlite3'
import type { InfoHash } from '../base/ids.ts'
import type { FileRun } from '../ports/progress-journal.ts'

/** Statements over `own_files`. */
export class OwnFileRows {
  readonly #list: Database.Statement<[string], { first: number; last: number }>
  readonly #note: Database.Statement<[number, number, string]>

  constructor(database: Database.Database) {
    this.#list = database.prepare(
      'SELECT first, last FROM own_files JOIN downloads ON downloads.id = download_id WHERE info_hash = ?',
    )
    this.#note = database.prepare(
      'INSERT OR IGNORE INTO own_files (download_id, first, last) SELECT id, ?, ? FROM downloads WHERE info_hash = ?',
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
}
