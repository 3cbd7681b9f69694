// Small values of the node by name. Keys of callers get a prefix, so that they never meet the rows that note how the
// last run ended. Synchronous, in the database thread.

import type Database from 'better-sqlite3'

const PREFIX = 'value.'

/** Statements over `node`. */
export class NodeRows {
  readonly #get: Database.Statement<[string]>
  readonly #set: Database.Statement<[string, Uint8Array]>
  readonly #add: Database.Statement<[string, Uint8Array]>

  constructor(database: Database.Database) {
    this.#get = database.prepare('SELECT value FROM node WHERE key = ?').pluck()
    this.#set = database.prepare('INSERT OR REPLACE INTO node (key, value) VALUES (?, ?)')
    this.#add = database.prepare('INSERT OR IGNORE INTO node (key, value) VALUES (?, ?)')
  }

  get(key: string): Uint8Array | null {
    return (this.#get.get(PREFIX + key) as Uint8Array | undefined) ?? null
  }

  set(key: string, value: Uint8Array): void {
    this.#set.run(PREFIX + key, value)
  }

  /** The value that is there, else `value` after storing it. */
  getOrSet(key: string, value: Uint8Array): Uint8Array {
    this.#add.run(PREFIX + key, value)
    return this.get(key) ?? value
  }
}
