// Rows of the history of settings. Synchronous, in the database thread.

import type Database from 'better-sqlite3'
import type { NotedSettingChange, SettingChange } from '../ports/settings-history.ts'

/** Older changes go. */
const MAX_CHANGES = 10_000

const COLUMNS = 'id, at AS atMs, option, value, origin'

/** Statements over `settings_history`. */
export class SettingsHistoryRows {
  readonly #note: Database.Statement<[number, string, string, string]>
  readonly #trim: Database.Statement<[number]>
  readonly #list: Database.Statement<[number, number], NotedSettingChange>
  readonly #latest: Database.Statement<[], NotedSettingChange>

  constructor(database: Database.Database) {
    this.#note = database.prepare('INSERT INTO settings_history (at, option, value, origin) VALUES (?, ?, ?, ?)')
    this.#trim = database.prepare('DELETE FROM settings_history WHERE id <= ?')
    this.#list = database.prepare(`SELECT ${COLUMNS} FROM settings_history WHERE id < ? ORDER BY id DESC LIMIT ?`)
    this.#latest = database.prepare(
      `SELECT ${COLUMNS} FROM settings_history WHERE id IN (SELECT max(id) FROM settings_history GROUP BY option)`,
    )
  }

  note(changes: readonly SettingChange[], atMs: number): void {
    for (const { option, value, origin } of changes) {
      const { lastInsertRowid } = this.#note.run(Math.round(atMs), option, value, origin)
      this.#trim.run(Number(lastInsertRowid) - MAX_CHANGES)
    }
  }

  /** Newest first. */
  list(before: number, limit: number): NotedSettingChange[] {
    return this.#list.all(before, limit)
  }

  /** The newest of every option. */
  latest(): NotedSettingChange[] {
    return this.#latest.all()
  }
}
