// Every download by its info hash, with the store and the engine once they are there: what the parts of the service
// share. It answers no request by itself.
// Invariant: a column of an entry's row changes only after the store has it.

import { AppError } from '../base/errors.ts'
import { type InfoHash, parseInfoHash } from '../base/ids.ts'
import type { DownloadChange, DownloadRecords } from '../ports/records.ts'
import type { DownloadEntry } from './download-entry.ts'
import { KeyedQueue } from './keyed-queue.ts'
import type { TorrentEngine } from './torrent-engine.ts'

/** The entries of a service. */
export class DownloadSet {
  readonly entries = new Map<InfoHash, DownloadEntry>()
  /** What is done to one download, one after the other. */
  readonly queue = new KeyedQueue<InfoHash>()
  /** Null until the store is open. */
  records: DownloadRecords | null = null
  /** Null until loading begins. */
  engine: TorrentEngine | null = null
  /** Every download of the store is here. */
  listed = false
  /** All are loaded, and requests that change something are taken. */
  ready = false

  /** The download of that name. AppErrors DownloadNotFound, NotReady. */
  find(infohash: string): DownloadEntry {
    this.checkListed()
    const infoHash = parseInfoHash(infohash)
    const entry = infoHash === null ? undefined : this.entries.get(infoHash)
    if (entry === undefined) throw new AppError('DownloadNotFound')
    return entry
  }

  /** AppError NotReady until it is known which downloads there are. */
  checkListed(): void {
    if (!this.listed) throw new AppError('NotReady')
  }

  /** AppError NotReady until all are loaded, and once the service stops. */
  checkReady(): void {
    if (!this.ready) throw new AppError('NotReady')
  }

  /** AppError NotReady before it is open. */
  get store(): DownloadRecords {
    if (this.records === null) throw new AppError('NotReady')
    return this.records
  }

  /** AppError NotReady before it is there. */
  get running(): TorrentEngine {
    if (this.engine === null) throw new AppError('NotReady')
    return this.engine
  }

  /** Writes the change to the store, then to the entry. Rejects as the store does. */
  async update(entry: DownloadEntry, change: DownloadChange): Promise<void> {
    await this.store.update(entry.stored.infoHash, change)
    const { infoBytes: _, ...columns } = change
    entry.stored = { ...entry.stored, ...columns }
  }
}
