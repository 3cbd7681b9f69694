// SettingsHistory and DiscoveredMetadata, as their ports ask for them, over the database thread.

import type { InfoHash } from '../base/ids.ts'
import type { DiscoveredMetadata } from '../ports/discovered-metadata.ts'
import type { NotedSettingChange, SettingChange, SettingsHistory } from '../ports/settings-history.ts'
import type { RecordsLink } from './records-link.ts'

const MAX_LISTED = 1000

/** SettingsHistory over the database. */
export class DatabaseSettingsHistory implements SettingsHistory {
  readonly #link: RecordsLink
  readonly #now: () => number

  constructor(link: RecordsLink, now: () => number) {
    this.#link = link
    this.#now = now
  }

  async note(changes: readonly SettingChange[]): Promise<void> {
    await this.#link.run('settings.note', changes, this.#now())
  }

  list(before: number | null, limit: number): Promise<NotedSettingChange[]> {
    return this.#link.run('settings.list', before ?? Number.MAX_SAFE_INTEGER, Math.min(limit, MAX_LISTED))
  }

  latest(): Promise<NotedSettingChange[]> {
    return this.#link.run('settings.latest')
  }
}

/** DiscoveredMetadata over the database. */
export class DatabaseDiscoveredMetadata implements DiscoveredMetadata {
  readonly #link: RecordsLink
  readonly #now: () => number

  constructor(link: RecordsLink, now: () => number) {
    this.#link = link
    this.#now = now
  }

  get(infoHash: InfoHash): Promise<Uint8Array | null> {
    return this.#link.run('metadata.get', infoHash)
  }

  async keep(infoHash: InfoHash, infoBytes: Uint8Array): Promise<void> {
    await this.#link.run('metadata.keep', infoHash, infoBytes, this.#now())
  }
}
