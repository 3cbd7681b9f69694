// One torrent as the fields of torrent-get see it: its record, and what has to be asked for, once and only when it is
// needed.

import type { DownloadDetails, TorrentDescription } from '../../services/downloads/details-api.ts'
import type { DownloadsService } from '../../services/downloads/downloads-api.ts'
import type { FileRecord, ListedDownload } from '../../services/downloads/download-records-api.ts'
import type { Json } from '../../services/settings/settings-api.ts'
import type { TorrentIds } from './torrent-ids.ts'

/** Settings of the node by section. */
export type SettingsSections = Record<string, Record<string, Json>>

/** What all torrents of one answer share. */
export interface AnswerFacts {
  readonly downloads: DownloadsService
  readonly ids: TorrentIds
  readonly settings: SettingsSections
  readonly nowSec: number
  /** So many torrents are asked about that nothing is loaded which is not needed. */
  readonly many: boolean
}

const NO_DETAILS: DownloadDetails = {
  size_selected: 0,
  time_finished: 0,
  time_seeded: 0,
  goal_reached: false,
  own_max_download_speed: 0,
  own_max_upload_speed: 0,
  announce_tiers: [],
  web_seeds: [],
  private: false,
  root_name: '',
}

/**
 * One torrent as the fields of torrent-get see it: its record, and what has to be asked for, once and only when it is
 * needed.
 */
export class SeenTorrent {
  readonly record: ListedDownload
  readonly details: DownloadDetails
  readonly facts: AnswerFacts
  readonly id: number
  #description: Promise<TorrentDescription | null> | null = null

  constructor(record: ListedDownload, facts: AnswerFacts) {
    this.record = record
    this.details = record.details ?? NO_DETAILS
    this.facts = facts
    this.id = facts.ids.of(record.infohash)
  }

  /** Bytes of the selected files that are missing. */
  get left(): number {
    const { progress } = this.record
    if (progress >= 1) return 0
    return Math.max(1, Math.round(this.details.size_selected * (1 - progress))) * (this.hasMetadata ? 1 : 0)
  }

  get hasMetadata(): boolean {
    return this.record.total_pieces > 0
  }

  get complete(): boolean {
    return this.hasMetadata && this.record.progress >= 1
  }

  /** A new pass over its files, each made as it is taken. */
  async files(): Promise<Iterable<FileRecord>> {
    return this.hasMetadata ? this.facts.downloads.files(this.record.infohash) : []
  }

  /** What its metadata says; null before that is known. */
  description(): Promise<TorrentDescription | null> {
    this.#description ??= this.#describe()
    return this.#description
  }

  async #describe(): Promise<TorrentDescription | null> {
    const { downloads, ids } = this.facts
    const { infohash } = this.record
    const description = this.hasMetadata ? await downloads.describe(infohash) : null
    if (description !== null) ids.noteFiles(infohash, description.files)
    return description
  }
}
