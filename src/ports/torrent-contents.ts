// Where the engine finds again what a suspended torrent does not keep in memory.

import type { InfoHash } from '../base/ids.ts'
import type { Metainfo } from '../wire/metainfo/torrent-types.ts'
import type { ResumeData } from './progress-journal.ts'

/** Metadata of a torrent and the progress that is durable. */
export interface TorrentContents {
  readonly metainfo: Metainfo
  /** Null = nothing is known. */
  readonly resume: ResumeData | null
}

/** All torrents whose metadata is durable. */
export interface TorrentContentsSource {
  /** Null when the torrent or its metadata is not there. Rejects with what the records said. */
  load(infoHash: InfoHash): Promise<TorrentContents | null>
}
