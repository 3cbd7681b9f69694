// Removes downloads: the engine's torrent first, then the row, then what the services know of it. In its turn, so that
// nothing else is done to it meanwhile.

import type { AppError } from '../../base/errors.ts'
import type { InfoHash } from '../../base/ids.ts'
import type { DataChoice } from '../../torrent/types.ts'
import type { DownloadEntry } from './download-entry.ts'
import { removeTorrent } from './download-loading.ts'
import type { DownloadSet } from './download-set.ts'
import type { DownloadsDeps } from './downloads-deps.ts'
import type { DownloadNews } from './list/download-news.ts'
import type { HeavyLoads } from './heavy-loads.ts'
import type { FileRenamer } from './names/file-renames.ts'
import type { SeedingGoals } from './seeding-goals.ts'
import type { StalledDownloads } from './stalled-downloads.ts'
import type { StorageMoves } from './storage-moves.ts'

/** What knows something of a download that goes. */
export interface RemovalParts {
  readonly goals: SeedingGoals
  readonly heavy: HeavyLoads
  readonly moves: StorageMoves
  readonly renamer: FileRenamer
  readonly news: Pick<DownloadNews, 'removed'>
  readonly stalled: StalledDownloads
  /** The list has one less. */
  changed(infoHash: InfoHash): void
}

/** Removals. */
export class DownloadRemoval {
  readonly #set: DownloadSet
  readonly #parts: RemovalParts
  readonly #deps: Pick<DownloadsDeps, 'log' | 'updates' | 'rates'>

  constructor(set: DownloadSet, parts: RemovalParts, deps: Pick<DownloadsDeps, 'log' | 'updates' | 'rates'>) {
    this.#set = set
    this.#parts = parts
    this.#deps = deps
  }

  /**
   * Removes one. `still`: asked before, and again in its turn when nothing else is being done to it; false: nothing is
   * removed. AppErrors DownloadNotFound, NotReady, VolumeStalled, and what kept its data from being deleted.
   */
  async remove(
    infohash: string,
    deleteData: DataChoice,
    still: (entry: DownloadEntry) => boolean = () => true,
  ): Promise<{ infohash: string; removed: boolean }> {
    this.#set.checkReady()
    const found = this.#set.find(infohash)
    const { stored } = found
    const { infoHash } = stored
    if (!still(found)) return { infohash: infoHash, removed: false }
    const { stalled } = this.#parts
    if (deleteData !== false) stalled.check(stored)
    await this.#deps.updates?.().removing(infoHash)
    const remove = async (): Promise<{ infohash: string; removed: boolean }> => {
      const entry = this.#set.find(infoHash)
      if (!still(entry)) return { infohash: infoHash, removed: false }
      const left = this.#letGo(entry, deleteData)
      // Files that stay are closed when their volume answers; the request does not wait for that.
      const failure = await (deleteData === false ? stalled.leave(infoHash, stored, left) : left)
      await this.#forget(infoHash)
      this.#parts.news.removed(infoHash, entry.stored.name)
      if (failure !== null) throw failure
      return { infohash: infoHash, removed: true }
    }
    return stalled.inTurn(stored, task => this.#set.queue.run(infoHash, task), remove, deleteData !== false)
  }

  async #forget(infoHash: InfoHash): Promise<void> {
    const { goals, heavy, changed } = this.#parts
    await this.#set.store.delete(infoHash)
    this.#set.forget(infoHash)
    goals.forget(infoHash)
    heavy.forget(infoHash)
    this.#deps.rates?.().forget(infoHash)
    changed(infoHash)
  }

  /** Takes a download from its engine. What kept its data from being deleted, or null. */
  async #letGo(entry: DownloadEntry, deleteData: DataChoice): Promise<AppError | null> {
    const { moves, renamer } = this.#parts
    await moves.cancel(entry)
    if (deleteData !== false) await renamer.finish(entry)
    return removeTorrent(this.#set, entry.stored.infoHash, { deleteData, log: this.#deps.log })
  }
}
