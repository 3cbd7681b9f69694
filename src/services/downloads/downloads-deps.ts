// What the service of the downloads is made with.

import type { InfoHash } from '../../base/ids.ts'
import type { Clock } from '../../ports/clock.ts'
import type { LoadingMarks } from '../../ports/loading-marks.ts'
import type { Log } from '../../ports/log.ts'
import type { NewFiles } from '../../ports/new-files.ts'
import type { FolderLook, FolderUse } from '../../ports/own-files.ts'
import type { VolumeWatch } from '../../ports/volumes.ts'
import type { AnonymityDefaults } from './add-checks.ts'
import type { DefaultsSettings } from './download-defaults.ts'
import type { RateLimits } from './download-record.ts'
import type { EventHub } from '../events/events.ts'
import type { MovedBytesSink } from '../rates/rates-api.ts'
import type { FollowedUpdates } from '../updates/followed-updates.ts'
import type { MetadataPreviews } from './metadata-previews.ts'
import type { SeedingSettings } from './seeding-goals.ts'
import type { FolderName } from './places/folder-names.ts'
import type { SourceReaders } from './torrent-source.ts'

/** Settings the service follows; read at each use. */
export interface DownloadSettings extends AnonymityDefaults, RateLimits, SeedingSettings, DefaultsSettings {
  /** Complete downloads are hashed again so many days after the last time; 0 = never. */
  readonly scrubDays: number
  /** Downloads that are watched and forgotten go so many hours after they were read last; 0 = never. */
  readonly watchCacheHours: number
  /** Absolute folder of downloads that name none. */
  readonly saveAs: string
  /** What happens to files that are not of a new download and lie in its places. */
  readonly foreignFiles: 'stop' | 'overwrite'
}

/** What the service tells of its downloads to what follows updates. */
export type DownloadUpdates = Pick<FollowedUpdates, 'follow' | 'metadataKnown' | 'removing'>

/** See DownloadsDeps.hidden. */
export interface HiddenOnes {
  owns(infoHash: InfoHash): boolean
  /** Takes it out of the engine. Never rejects. */
  drop(infoHash: InfoHash): Promise<void>
}

/** What the service needs of the node. */
export interface DownloadsDeps {
  readonly clock: Clock
  readonly log: Log
  readonly events: Pick<EventHub, 'emit'>
  readonly sources: SourceReaders
  readonly previews: Pick<MetadataPreviews, 'owns' | 'giveWay' | 'cached' | 'recall' | 'found'>
  /**
   * Torrents in the engine that are no downloads (packs of channels): a download of the same takes their place. Absent:
   * none.
   */
  readonly hidden?: () => HiddenOnes | null
  settings(): DownloadSettings
  /** Keeps rates as they were; absent: nobody does. */
  readonly rates?: () => MovedBytesSink
  /** Follows links to torrents that are updated; absent = such links are refused. */
  readonly updates?: () => DownloadUpdates
  /** Which volumes do not answer; absent: they all do. */
  readonly volumes?: Pick<VolumeWatch, 'stalledAt' | 'onChange' | 'inTime'>
  /** Where torrent files are kept. */
  readonly files: Pick<NewFiles, 'write'>
  /** Makes the folder ready; its real path. AppErrors InvalidParameter, PathNotAllowed, DiskFull. */
  prepareFolder(folder: string, use?: FolderUse): Promise<string>
  /** Begins to look where a folder leads, and makes nothing. */
  lookAtFolder(folder: string): FolderLook
  /** Which folder that is, by whatever path; see FolderNamesDeps. */
  identifyFolder(folder: string): Promise<FolderName | null>
  /** Marks of what is being loaded; absent: none. */
  readonly loadingMarks?: LoadingMarks
  /** Bytes free on the disk of a folder; rejects with what the system says. */
  freeBytes(folder: string): Promise<number>
}
