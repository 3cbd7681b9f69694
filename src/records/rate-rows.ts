// Rows of what downloads moved. Synchronous, in the database thread.

import type Database from 'better-sqlite3'
import type { InfoHash } from '../base/ids.ts'

/** Statements over `rates`. */
export class RateRows {
  readonly #read: Database.Statement<[string], { readonly sums: Uint8Array }>
  readonly #write: Database.Statement<[Uint8Array, string]>

  constructor(database: Database.Database) {
    this.#read = database.prepare(
      'SELECT sums FROM rates JOIN downloads ON downloads.id = download_id WHERE info_hash = ?',
    )
    this.#write = database.prepare(
      `INSERT INTO rates (download_id, sums) SELECT id, ? FROM downloads WHERE info_hash = ?
       ON CONFLICT (download_id) DO UPDATE SET sums = excluded.sums`,
    )
  }

  read(infoHashes: readonly InfoHash[]): (Uint8Array | null)[] {
    return infoHashes.map(infoHash => this.#read.get(infoHash)?.sums ?? null)
  }

  write(rows: readonly (readonly [infoHash: InfoHash, sums: Uint8Array])[]): void {
    for (const [infoHash, sums] of rows) this.#write.run(sums, infoHash)
  }
}
