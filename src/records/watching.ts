// WatchingRecords, as ports/viewing/watching-records.ts asks for them, over the database thread.

import type { InfoHash } from '../base/ids.ts'
import type { RecentFile, WatchedFile, WatchedNote, WatchingRecords } from '../ports/viewing/watching-records.ts'
import type { RecordsLink } from './records-link.ts'

/** WatchingRecords over the database. */
export class DatabaseWatching implements WatchingRecords {
  readonly #link: RecordsLink

  constructor(link: RecordsLink) {
    this.#link = link
  }

  note(note: WatchedNote): Promise<WatchedFile | null> {
    return this.#link.run('watching.note', note)
  }

  of(infoHash: InfoHash): Promise<WatchedFile[]> {
    return this.#link.run('watching.of', infoHash)
  }

  recent(limit: number): Promise<RecentFile[]> {
    return this.#link.run('watching.recent', limit)
  }

  forget(infoHash: InfoHash, file: number): Promise<boolean> {
    return this.#link.run('watching.forget', infoHash, file)
  }
}
