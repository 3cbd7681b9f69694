// Rows of feeds and of their items. Items are kept by a digest, since strangers choose how long their names are; those
// that have long left a feed are forgotten first. Synchronous, in the database thread.

import { createHash } from 'node:crypto'
import type Database from 'better-sqlite3'
import type { FeedCheck, KeptFeed } from '../ports/feed-records.ts'

/** Items remembered of one feed: many times what feeds show at once. */
export const MAX_FEED_ITEMS = 10_000

const COLUMNS = `channel, url, added_at AS addedAtMs, checked_at AS checkedAtMs, etag, last_modified AS lastModified, failures, error`

type Name = [channel: string, url: string]

/** Statements over both tables. */
export class FeedRows {
  readonly #list: Database.Statement<[]>
  readonly #add: Database.Statement<[string, string, number]>
  readonly #drop: Database.Statement<Name>
  readonly #id: Database.Statement<Name>
  readonly #note: Database.Statement<[FeedCheck & { id: number }]>
  readonly #known: Database.Statement<[number, Uint8Array]>
  readonly #keepItem: Database.Statement<[number, Uint8Array, number]>
  readonly #trim: Database.Statement<[number, number, number]>

  constructor(database: Database.Database) {
    this.#list = database.prepare(`SELECT ${COLUMNS} FROM feeds ORDER BY id`)
    this.#add = database.prepare('INSERT OR IGNORE INTO feeds (channel, url, added_at) VALUES (?, ?, ?)')
    this.#drop = database.prepare('DELETE FROM feeds WHERE channel = ? AND url = ?')
    this.#id = database.prepare('SELECT id FROM feeds WHERE channel = ? AND url = ?').pluck()
    this.#note = database.prepare(
      `UPDATE feeds SET checked_at = @checkedAtMs, etag = @etag, last_modified = @lastModified, failures = @failures, error = @error
       WHERE id = @id`,
    )
    this.#known = database.prepare('SELECT 1 FROM feed_items WHERE feed = ? AND item = ?').pluck()
    this.#keepItem = database.prepare('INSERT OR REPLACE INTO feed_items (feed, item, seen_at) VALUES (?, ?, ?)')
    this.#trim = database.prepare(
      `DELETE FROM feed_items WHERE feed = ? AND item IN (
         SELECT item FROM feed_items WHERE feed = ? ORDER BY seen_at DESC LIMIT -1 OFFSET ?)`,
    )
  }

  list(): KeptFeed[] {
    return this.#list.all() as KeptFeed[]
  }

  add(channel: string, url: string, addedAtMs: number): boolean {
    return this.#add.run(channel, url, addedAtMs).changes > 0
  }

  drop(channel: string, url: string): boolean {
    return this.#drop.run(channel, url).changes > 0
  }

  unseen(channel: string, url: string, items: readonly string[]): string[] {
    const id = this.#idOf(channel, url)
    return id === null ? [...items] : items.filter(item => this.#known.get(id, digestOf(item)) === undefined)
  }

  checked(channel: string, url: string, check: FeedCheck, items: readonly string[]): void {
    const id = this.#idOf(channel, url)
    if (id === null) return
    this.#note.run({ ...check, id })
    for (const item of items) this.#keepItem.run(id, digestOf(item), check.checkedAtMs ?? 0)
    if (items.length > 0) this.#trim.run(id, id, MAX_FEED_ITEMS)
  }

  #idOf(channel: string, url: string): number | null {
    return (this.#id.get(channel, url) as number | undefined) ?? null
  }
}

/** 16 bytes: an attacker gains nothing by two items of one feed that have the same. */
function digestOf(item: string): Uint8Array {
  return createHash('sha256').update(item).digest().subarray(0, 16)
}
