// Rows of metadata that was fetched for previews. Synchronous, in the database thread.

import type Database from 'better-sqlite3'
import type { InfoHash } from '../base/ids.ts'

/** What is kept: so many, so long, and together so much. */
const MAX_ROWS = 500
const MAX_INFO_BYTES = 1024 * 1024
const MAX_BYTES = 64 * 1024 * 1024

/** Statements over `discovered_metadata`. */
export class DiscoveredMetadataRows {
  readonly #get: Database.Statement<[string]>
  readonly #keep: Database.Statement<[string, Uint8Array, number]>
  readonly #held: Database.Statement<[], { count: number; bytes: number }>
  readonly #dropOldest: Database.Statement<[]>
  readonly #maxBytes: number

  constructor(database: Database.Database, maxBytes: number = MAX_BYTES) {
    this.#maxBytes = maxBytes
    this.#get = database.prepare('SELECT info FROM discovered_metadata WHERE info_hash = ?').pluck()
    this.#keep = database.prepare(
      'INSERT OR REPLACE INTO discovered_metadata (info_hash, info, found_at) VALUES (?, ?, ?)',
    )
    this.#held = database.prepare(
      'SELECT count(*) AS count, coalesce(sum(length(info)), 0) AS bytes FROM discovered_metadata',
    )
    this.#dropOldest = database.prepare(
      'DELETE FROM discovered_metadata WHERE rowid = (SELECT rowid FROM discovered_metadata ORDER BY found_at LIMIT 1)',
    )
  }

  get(infoHash: InfoHash): Uint8Array | null {
    return (this.#get.get(infoHash) as Uint8Array | undefined) ?? null
  }

  /** Keeps one and drops the oldest beyond the bounds. */
  keep(infoHash: InfoHash, info: Uint8Array, atMs: number): void {
    if (info.length > MAX_INFO_BYTES) return
    this.#keep.run(infoHash, info, Math.round(atMs))
    for (;;) {
      const { count, bytes } = this.#held.get() ?? { count: 0, bytes: 0 }
      if (count <= MAX_ROWS && bytes <= this.#maxBytes) return
      this.#dropOldest.run()
    }
  }
}
