// Rows of files of the watch folder that were dealt with. Synchronous, in the database thread.

import type Database from 'better-sqlite3'
import type { SeenFile } from '../ports/seen-files.ts'

/** Statements over the table. */
export class SeenFileRows {
  readonly #list: Database.Statement<[string, number]>
  readonly #keep: Database.Statement<[SeenFile]>
  readonly #drop: Database.Statement<[string]>

  constructor(database: Database.Database) {
    this.#list = database.prepare(
      'SELECT path, size, mtime AS mtimeMs, gone_at AS goneAtMs FROM seen_files WHERE path > ? ORDER BY path LIMIT ?',
    )
    this.#keep = database.prepare(
      'INSERT OR REPLACE INTO seen_files (path, size, mtime, gone_at) VALUES (@path, @size, @mtimeMs, @goneAtMs)',
    )
    this.#drop = database.prepare('DELETE FROM seen_files WHERE path = ?')
  }

  /** Those behind the path `after`, in order. */
  list(after: string, limit: number): SeenFile[] {
    return this.#list.all(after, limit) as SeenFile[]
  }

  keep(files: readonly SeenFile[]): void {
    for (const file of files) this.#keep.run(file)
  }

  drop(paths: readonly string[]): void {
    for (const path of paths) this.#drop.run(path)
  }
}
