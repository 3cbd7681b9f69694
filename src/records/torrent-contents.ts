// What suspended torrents are woken from: info dictionary and progress, read in one batch of the database thread.

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { InfoHash } from '../base/ids.ts'
import type { DownloadRecords, ProgressRecords } from '../ports/records.ts'
import type { TorrentContents, TorrentContentsSource } from '../ports/torrent-contents.ts'
import { decodeKeptInfo } from '../wire/metainfo/kept-info.ts'

/** TorrentContentsSource over the records. */
export class StoredTorrentContents implements TorrentContentsSource {
  readonly #downloads: DownloadRecords
  readonly #progress: ProgressRecords

  constructor(downloads: DownloadRecords, progress: ProgressRecords) {
    this.#downloads = downloads
    this.#progress = progress
  }

  async load(infoHash: InfoHash): Promise<TorrentContents | null> {
    const [stored, resume] = await Promise.all([
      this.#downloads.metainfo(infoHash),
      this.#progress.loadResume(infoHash),
    ])
    if (stored === null) return null
    // Trackers are the announcer's, which does not rest.
    const { notes, fileNames, ...kept } = stored
    const metainfo = await decodeKeptInfo({ ...kept, infoHash }, [], nextTurn, fileNames)
    return { metainfo: { ...metainfo, ...notes }, resume }
  }
}
