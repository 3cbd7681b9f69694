// The services that http/ is given. Their interfaces lie in the files *-api.ts, which src imports directly; what the
// dashboard and tests use of them is exported here too.

import type { CallerPathsService, KeysService } from './callers-api.ts'
import type { DebugService } from './diagnostics/debug-api.ts'
import type { SharingService } from './downloads/bound/bound-api.ts'
import type { DownloadsService } from './downloads/downloads-api.ts'
import type { EventsService } from './events/events-api.ts'
import type { FoldersService } from './folders/folders-api.ts'
import type { ImportService } from './import/import-api.ts'
import type { LinksService } from './links/links-api.ts'
import type { LoginService } from './login/login-api.ts'
import type { MetricsService } from './diagnostics/metrics-api.ts'
import type { RatesService } from './rates/rates-api.ts'
import type { SettingsService } from './settings/settings-api.ts'
import type { BannedPeersService } from './peers/banned-peers-api.ts'
import type { SlowModeService } from './slow-mode/slow-mode-api.ts'
import type { StateService } from './diagnostics/state-api.ts'
import type { StatisticsService } from './diagnostics/statistics-api.ts'
import type { TorrentInfoService, TorrentMakerService } from './downloads/torrents-api.ts'
import type { UpdatesService } from './updates/updates-api.ts'
import type { WatchingService } from './watching/watching-api.ts'

export type { Caller } from './callers-api.ts'
export type { DebugService } from './diagnostics/debug-api.ts'
export type { MetricsService } from './diagnostics/metrics-api.ts'
export type { DownloadDetails, TorrentDescription } from './downloads/details-api.ts'
export type { ImportedTorrent, ImportPage } from './import/import-api.ts'
export type { EffectiveSettings, Json } from './settings/settings-api.ts'
export type { FollowedUpdate, PublishedUpdate, UpdatesService } from './updates/updates-api.ts'
export type {
  DownloadRecord,
  Explanation,
  FileRecord,
  ListedDownload,
  PeerRecord,
} from './downloads/download-records-api.ts'
export type { ListOptions, PatchDownload } from './downloads/downloads-api.ts'
export type { Asker, StreamReader, StreamableFile } from './downloads/streams-api.ts'
export type { CreateTorrent } from './downloads/torrents-api.ts'
export type { StateRecord } from './diagnostics/state-api.ts'
export type { EventRecord, EventRun, EventsService } from './events/events-api.ts'

/** PUT /shutdown (extra). */
export interface ShutdownService {
  /** The node stops in order as soon as this was answered. */
  shutDown(): void
}

/** Everything http/ needs of the node. */
export interface Services {
  readonly downloads: DownloadsService
  readonly torrentInfo: TorrentInfoService
  readonly torrentMaker: TorrentMakerService
  readonly imports: ImportService
  readonly updates: UpdatesService
  readonly watching: WatchingService
  readonly rates: RatesService
  readonly settings: SettingsService
  readonly slowMode: SlowModeService
  readonly bannedPeers: BannedPeersService
  readonly state: StateService
  readonly statistics: StatisticsService
  readonly events: EventsService
  readonly shutdown: ShutdownService
  readonly debug: DebugService
  readonly metrics: MetricsService
  readonly callerPaths: CallerPathsService
  readonly folders: FoldersService
  readonly keys: KeysService
  readonly login: LoginService
  readonly links: LinksService
  readonly sharing: SharingService
}
