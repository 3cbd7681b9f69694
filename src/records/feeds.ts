// FeedRecords, as ports/feed-records.ts asks for them, over the database thread.

import type { FeedCheck, FeedRecords, KeptFeed } from '../ports/feed-records.ts'
import type { RecordsLink } from './records-link.ts'

/** FeedRecords, as ports/feed-records.ts asks for them, over the database thread. */
export class DatabaseFeeds implements FeedRecords {
  readonly #link: RecordsLink

  constructor(link: RecordsLink) {
    this.#link = link
  }

  list(): Promise<KeptFeed[]> {
    return this.#link.run('feed.list')
  }

  add(channel: string, url: string, addedAtMs: number): Promise<boolean> {
    return this.#link.run('feed.add', channel, url, addedAtMs)
  }

  drop(channel: string, url: string): Promise<boolean> {
    return this.#link.run('feed.drop', channel, url)
  }

  unseen(channel: string, url: string, items: readonly string[]): Promise<string[]> {
    return this.#link.run('feed.unseen', channel, url, items)
  }

  async checked(channel: string, url: string, check: FeedCheck, items: readonly string[]): Promise<void> {
    await this.#link.run('feed.checked', channel, url, check, items)
  }
}
