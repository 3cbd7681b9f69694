// Rows of torrents that are updated: keys that are followed, and what was published. Sequence numbers are text, since
// they have 63 bits. Synchronous, in the database thread.

import type Database from 'better-sqlite3'
import type { InfoHash } from '../base/ids.ts'

/** A row of `followed_keys`; `versions` is JSON. */
export interface FollowedRow {
  readonly target: string
  readonly publicKey: string
  readonly salt: string
  readonly uri: string
  readonly request: string
  readonly addedAtMs: number
  readonly seq: string | null
  readonly value: Uint8Array | null
  readonly signature: Uint8Array | null
  readonly versions: string
}

/** A row of `published_torrents`. */
export interface PublishedRow {
  readonly name: string
  readonly infoHash: InfoHash
  readonly seq: string
  readonly value: Uint8Array
  readonly signature: Uint8Array
  readonly publishedAtMs: number
}

const FOLLOWED = `target, public_key AS publicKey, salt, uri, request, added_at AS addedAtMs, seq, value, signature, versions`
const PUBLISHED = 'name, info_hash AS infoHash, seq, value, signature, published_at AS publishedAtMs'

/** Statements over both tables. */
export class UpdateRows {
  readonly #followed: Database.Statement<[]>
  readonly #keepFollowed: Database.Statement<[FollowedRow]>
  readonly #dropFollowed: Database.Statement<[string]>
  readonly #published: Database.Statement<[]>
  readonly #keepPublished: Database.Statement<[PublishedRow]>
  readonly #dropPublished: Database.Statement<[string]>

  constructor(database: Database.Database) {
    this.#followed = database.prepare(`SELECT ${FOLLOWED} FROM followed_keys ORDER BY added_at, target`)
    this.#keepFollowed = database.prepare(
      `INSERT OR REPLACE INTO followed_keys
         (target, public_key, salt, uri, request, added_at, seq, value, signature, versions)
       VALUES (@target, @publicKey, @salt, @uri, @request, @addedAtMs, @seq, @value, @signature, @versions)`,
    )
    this.#dropFollowed = database.prepare('DELETE FROM followed_keys WHERE target = ?')
    this.#published = database.prepare(`SELECT ${PUBLISHED} FROM published_torrents ORDER BY name`)
    this.#keepPublished = database.prepare(
      `INSERT OR REPLACE INTO published_torrents (name, info_hash, seq, value, signature, published_at)
       VALUES (@name, @infoHash, @seq, @value, @signature, @publishedAtMs)`,
    )
    this.#dropPublished = database.prepare('DELETE FROM published_torrents WHERE name = ?')
  }

  followed(): FollowedRow[] {
    return this.#followed.all() as FollowedRow[]
  }

  keepFollowed(row: FollowedRow): void {
    this.#keepFollowed.run(row)
  }

  dropFollowed(target: string): void {
    this.#dropFollowed.run(target)
  }

  published(): PublishedRow[] {
    return this.#published.all() as PublishedRow[]
  }

  keepPublished(row: PublishedRow): void {
    this.#keepPublished.run(row)
  }

  dropPublished(name: string): void {
    this.#dropPublished.run(name)
  }
}
