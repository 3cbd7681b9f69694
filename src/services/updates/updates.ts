// Torrents that are updated through the DHT: following and publishing behind one interface.

import type { MutableItems } from '../../ports/dht-items.ts'
import type { UpdateRecords } from '../../ports/update-records.ts'
import type { FollowedUpdates } from './followed-updates.ts'
import type { PublishedUpdates } from './published-updates.ts'
import type { FollowedUpdate, PublishedUpdate, UpdatesService } from './updates-api.ts'

/** See UpdatesService. */
export class Updates implements UpdatesService {
  readonly #following: FollowedUpdates
  readonly #publishing: PublishedUpdates

  constructor(following: FollowedUpdates, publishing: PublishedUpdates) {
    this.#following = following
    this.#publishing = publishing
  }

  /** Goes on with what is stored; `items` is null where there is no DHT. All downloads are loaded. */
  async start(records: UpdateRecords, items: MutableItems | null): Promise<void> {
    await this.#following.start(records, items)
    await this.#publishing.start(records, items)
  }

  /** Settles when nothing is under way. */
  async stop(): Promise<void> {
    await Promise.all([this.#following.stop(), this.#publishing.stop()])
  }

  followed(): FollowedUpdate[] {
    return this.#following.list()
  }

  check(target: string): Promise<{ target: string; infohash: string; seq: string; updated: boolean }> {
    return this.#following.check(target)
  }

  unfollow(target: string): Promise<{ target: string; removed: boolean }> {
    return this.#following.unfollow(target)
  }

  published(): PublishedUpdate[] {
    return this.#publishing.list()
  }

  publish(name: string, infohash: string): Promise<PublishedUpdate> {
    return this.#publishing.publish(name, infohash)
  }

  withdraw(name: string): Promise<{ name: string; removed: boolean }> {
    return this.#publishing.withdraw(name)
  }
}
