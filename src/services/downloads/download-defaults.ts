// What section download_defaults asks for beside the values of a new download: more trackers, torrent files that are
// kept, a check and a move when it is complete. None of it holds up the download: what fails is logged (decision 0317).

import { join } from 'node:path'
import { AppError, errorText } from '../../base/errors.ts'
import type { Log } from '../../ports/log.ts'
import type { NewFiles } from '../../ports/new-files.ts'
import { encodeMetainfo } from '../../wire/metainfo/metainfo.ts'
import type { Metainfo } from '../../wire/metainfo/torrent-types.ts'
import type { DownloadEntry } from './download-entry.ts'
import type { DownloadSet } from './download-set.ts'
import { announceTiersOf, notesOf } from './new-download.ts'
import type { StorageMoves } from './storage-moves.ts'
import type { TorrentSource } from './torrent-source.ts'
import { parseTrackerFile } from './tracker-file.ts'

/** The settings; '' = not asked for. */
export interface DefaultsSettings {
  readonly saveAs: string
  readonly completedDir: string
  readonly torrentFolder: string
  readonly trackersFile: string
  readonly checkAfterComplete: boolean
}

/** What it needs of the node. */
export interface DownloadDefaultsDeps {
  readonly log: Log
  readonly files: Pick<NewFiles, 'write'>
  readonly sources: { readFile(path: string, maxBytes: number): Promise<Uint8Array> }
  settings(): DefaultsSettings
  /** Makes the folder ready; its real path. AppErrors InvalidParameter, DiskFull. */
  prepareFolder(folder: string): Promise<string>
}

/** Longest file of announce URLs. */
const MAX_TRACKER_FILE_BYTES = 1024 * 1024

type Tiers = readonly (readonly string[])[]

/**
 * What section download_defaults asks for beside the values of a new download: more trackers, torrent files that are
 * kept, a check and a move when it is complete.
 */
export class DownloadDefaults {
  readonly #set: DownloadSet
  readonly #moves: Pick<StorageMoves, 'request'>
  readonly #deps: DownloadDefaultsDeps

  constructor(set: DownloadSet, moves: Pick<StorageMoves, 'request'>, deps: DownloadDefaultsDeps) {
    this.#set = set
    this.#moves = moves
    this.#deps = deps
  }

  /**
   * The trackers of a new download: its own, then those of the file. A private torrent has its own alone; so has a
   * magnet with trackers until metadata() says that it is not private.
   */
  async tiersOf(source: TorrentSource, metainfo: Metainfo | null): Promise<Tiers> {
    const own = announceTiersOf(source)
    const open = metainfo === null ? own.length === 0 : !metainfo.private
    return open ? [...own, ...(await this.#extraTiers())] : own
  }

  /**
   * The metadata of a magnet came: trackers it was not given yet, web seeds it may not have, and its torrent file. In
   * the turn of the download.
   */
  async metadata(entry: DownloadEntry, metainfo: Metainfo): Promise<void> {
    const extra = metainfo.private ? [] : await this.#extraTiers()
    if (extra.length > 0) {
      const added = (await entry.torrent.wake()).addTrackers(extra)
      if (added.length > 0) await this.#set.update(entry, { announceTiers: entry.torrent.announceTiers() })
    }
    // Web seeds that a magnet named are none of a private torrent's, nor of its file.
    if (metainfo.private && entry.stored.webSeeds.length > 0) await this.#set.update(entry, { webSeeds: [] })
    await this.keepFile(entry, metainfo)
  }

  /** Keeps the torrent file of a new download where that is asked for; never over another file. */
  async keepFile({ stored }: DownloadEntry, metainfo: Metainfo): Promise<void> {
    const { torrentFolder } = this.#deps.settings()
    if (torrentFolder === '') return
    const { infoHash, announceTiers, webSeeds } = stored
    const { infoBytes, v2 } = metainfo
    try {
      const folder = await this.#deps.prepareFolder(torrentFolder)
      const bytes = encodeMetainfo({ infoBytes, v2, webSeeds, announceTiers, ...notesOf(metainfo) })
      await this.#deps.files.write(join(folder, `${infoHash}.torrent`), bytes)
    } catch (error) {
      // It was added before.
      if (error instanceof AppError && error.code === 'StateConflict') return
      this.#deps.log.warn('a torrent file could not be kept', { infoHash, error: errorText(error) })
    }
  }

  /** The last selected piece of a download is here: `first` for the first time. In the turn of the download. */
  async finished(entry: DownloadEntry, first: boolean): Promise<void> {
    if (first && this.#deps.settings().checkAfterComplete) await this.#check(entry)
    else await this.#move(entry)
  }

  /** Settles when the check has begun; what it finds missing is fetched again, and finished() comes again then. */
  #check(entry: DownloadEntry): Promise<void> {
    const { infoHash } = entry.stored
    return new Promise(resolve => {
      const checked = entry.torrent.wake().then(torrent => torrent.recheck(resolve))
      const after = async (): Promise<void> => {
        const still = this.#set.entries.get(infoHash) === entry && entry.torrent.snapshot().progress === 1
        if (still) await this.#set.queue.run(infoHash, () => this.#move(entry))
      }
      void checked
        .then(after)
        .catch((error: unknown) =>
          this.#deps.log.warn('the check of a complete download ended early', { infoHash, error: errorText(error) }),
        )
        .finally(resolve)
    })
  }

  /**
   * From the folder of the settings alone: a user who named another one wants it there. Versions of a torrent share
   * theirs.
   */
  async #move(entry: DownloadEntry): Promise<void> {
    const { completedDir, saveAs } = this.#deps.settings()
    const { infoHash, destination, movingTo } = entry.stored
    if (completedDir === '' || movingTo !== null || entry.lineage !== null) return
    try {
      if (destination !== (await this.#deps.prepareFolder(saveAs))) return
      await this.#moves.request(entry, completedDir)
    } catch (error) {
      this.#deps.log.warn('a complete download could not be moved', { infoHash, error: errorText(error) })
    }
  }

  async #extraTiers(): Promise<Tiers> {
    const { trackersFile } = this.#deps.settings()
    if (trackersFile === '') return []
    try {
      const bytes = await this.#deps.sources.readFile(trackersFile, MAX_TRACKER_FILE_BYTES)
      return parseTrackerFile(Buffer.from(bytes).toString('utf8'))
    } catch (error) {
      this.#deps.log.warn('the file of trackers cannot be read', { file: trackersFile, error: errorText(error) })
      return []
    }
  }
}
