// The interfaces of the use cases that http/ may see, and the values that cross it. Field names of *Record types are
// the specification's, letter by letter (node-control-interface.md part 2).

import type { Slot } from '../ports/arena.ts'
import type { Caller, CallerPathsService, KeysService } from './callers-api.ts'
import type { StatisticsService } from './statistics-api.ts'
import type { DebugService } from './debug-api.ts'
import type { MetricsService } from './metrics-api.ts'
import type { DownloadDetails, TorrentDescription } from './details-api.ts'
import type { Json, SettingsService } from './settings-api.ts'
import type { UpdatesService } from './updates-api.ts'

export type { Caller, CallerPathsService, KeyRecord, KeysService, NewKeyRecord } from './callers-api.ts'
export type { DebugService } from './debug-api.ts'
export type { MetricFamily, MetricSample, MetricsService } from './metrics-api.ts'
export type { DownloadDetails, TorrentDescription } from './details-api.ts'
export type {
  EffectiveSetting,
  EffectiveSettings,
  Json,
  SettingHistoryEntry,
  SettingSource,
  SettingsService,
} from './settings-api.ts'
export type { FollowedUpdate, PublishedUpdate, UpdatesService } from './updates-api.ts'

/** Spec 3.1. */
export type DownloadStatus =
  | 'DLSTATUS_ALLOCATING_DISKSPACE'
  | 'DLSTATUS_WAITING4HASHCHECK'
  | 'DLSTATUS_HASHCHECKING'
  | 'DLSTATUS_DOWNLOADING'
  | 'DLSTATUS_SEEDING'
  | 'DLSTATUS_STOPPED'
  | 'DLSTATUS_STOPPED_ON_ERROR'
  | 'DLSTATUS_METADATA'
  | 'DLSTATUS_CIRCUITS'

/** Spec 2.1, tracker record. */
export interface TrackerRecord {
  url: string
  status: string
  peers: number
}

/** Spec 2.1, peer record, with the extra fields of decisions part 2. */
export interface PeerRecord {
  ip: string
  dtotal: number
  downrate: number
  uinterested: boolean
  wstate: string
  optimistic: boolean
  id: string
  port: number
  client: string
  direction: 'L' | 'R'
  uprate: number
  utotal: number
  uchoked: boolean
  dinterested: boolean
  dchoked: boolean
  snubbed: boolean
  completed: number
  speed: number
  upload_only: boolean
  seed: boolean
  connection_type: number
  rstate: string
  /** What follows an encrypted handshake; '' = there was none. */
  encryption: '' | 'rc4' | 'plaintext'
}

/** Spec 2.1, file record. `progress` stands in the per-download listing and here too. */
export interface FileRecord {
  index: number
  name: string
  size: number
  included: boolean
  progress: number
  /** Extra: 0 = not fetched, 1 (last) to 7 (first). */
  priority: number
}

/** Spec 2.1, download record, with the extra fields of decisions part 2. */
export interface DownloadRecord {
  name: string
  infohash: string
  /** Extra: 64 digits of a v2 or hybrid torrent (BEP 52), null of others and while it is not known. */
  infohash_v2: string | null
  progress: number
  status: DownloadStatus
  queued: boolean
  size: number
  eta: number
  speed_down: number
  speed_up: number
  num_peers: number
  num_seeds: number
  num_connected_peers: number
  num_connected_seeds: number
  total_up: number
  total_down: number
  total_pieces: number
  ratio: number
  hops: number
  anon_download: boolean
  safe_seeding: boolean
  max_upload_speed: number
  max_download_speed: number
  destination: string
  availability: number
  error: string
  time_added: number
  vod_mode: boolean
  vod_prebuffering_progress: number
  vod_prebuffering_progress_consec: number
  /** Extras of decision 0260, from here to `moving_to`. */
  labels: string[]
  sequential: boolean
  super_seeding: boolean
  /** Own limits: -2 = as the settings say, -1 = none. */
  seeding_ratio: number
  /** Minutes. */
  seeding_time: number
  /** Folder its files are on their way to; '' = none. */
  moving_to: string
  trackers: TrackerRecord[]
  /** Extra, only of a version of a followed torrent: its key's FollowedUpdate.target, and the newest version ('' = this). */
  update_of?: string
  updated_by?: string
  files?: FileRecord[]
  peers?: PeerRecord[]
  pieces?: string
}

/** Which parts of a download record are wanted beside the record itself, and of which downloads. */
export interface ListOptions {
  peers: boolean
  pieces: boolean
  files: boolean
  /** What other programs' interfaces ask for beyond the record; absent = false. */
  details?: boolean
  /** Info hashes of those that are wanted, any of their names; unknown ones are passed over. Absent = all. */
  only?: readonly string[]
}

/** What PUT, POST and PATCH may ask of a download (extras of decision 0260). Absent members stay as they are. */
export interface ControlChange {
  /** Bytes/s of this download alone, 0 = none. */
  max_download_speed?: number
  max_upload_speed?: number
  /** -2 = as the settings say, -1 = no limit. */
  seeding_ratio?: number
  /** Minutes; -2 and -1 as above. */
  seeding_time?: number
  /** By file index: 0 = not fetched, 1 to 7, -1 = as it is. Files behind its end stay as they are. */
  file_priorities?: number[]
  sequential?: boolean
  /** BEP 16: peers hear of a few pieces each while everything is there. */
  super_seeding?: boolean
  labels?: string[]
}

/** PUT /downloads after validation. Absent members take section download_defaults. */
export interface AddDownload extends ControlChange {
  uri: string
  /** Extra: it is added stopped. */
  paused?: boolean
  anon_hops?: number
  safe_seeding?: boolean
  destination?: string
  selected_files?: number[]
}

/** PATCH /downloads/{infohash} after validation. */
export interface PatchDownload extends ControlChange {
  anon_hops?: number
  /** Its files are moved there in the background. */
  destination?: string
  selected_files?: number[]
  state?: 'resume' | 'stop' | 'recheck'
}

/** One cause why a download does not move (GET /downloads/{infohash}/explain). */
export interface ExplainReason {
  /** Stable; the list is in services/explain.ts. */
  code: string
  /** For people. */
  message: string
}

/** A web seed (BEP 19) of a download. */
export interface WebSeedRecord {
  url: string
  /** `off`: not asked any more, or not for a long time. */
  state: 'idle' | 'active' | 'waiting' | 'off'
  /** Bytes/s. */
  speed_down: number
  /** Bytes since the download was started. */
  total_down: number
  /** How the last request failed; empty when it did not. */
  error: string
  /** Seconds until it is asked again; 0 = now, or never. */
  retry_in: number
}

/** GET /downloads/{infohash}/explain. */
export interface Explanation {
  infohash: string
  status: DownloadStatus
  /** Payload goes in or out now. */
  moving: boolean
  /** Seconds it has seeded, all time. */
  time_seeded: number
  /** The one that counts most first; empty when nothing is in the way. */
  reasons: ExplainReason[]
  web_seeds: WebSeedRecord[]
}

/** An open range stream of one file; see torrent/types.ts FileReader. */
export interface StreamReader {
  waitFor(position: number): number | Promise<number>
  read(position: number, length: number, slot: Slot): Promise<number>
  close(): void
}

/** A file of a download that can be streamed. Holding it costs nothing; each request opens its own reader. */
export interface StreamableFile {
  /** Path under the torrent root with `/`. */
  readonly name: string
  readonly size: number
  /** Strong validator: `<infohash>-<index>`, without quotes. */
  readonly tag: string
  /**
   * Reads verified bytes that are at hand into the start of `into`, without a reader; how many, 0 = none. Never waits.
   * Absent where nothing can be read so.
   */
  readNow?(position: number, length: number, into: Uint8Array): number
  openReader(): StreamReader
}

/** Whoever asked. */
export interface Asker {
  /** Fires when it goes away. Made when it is first asked for. */
  readonly signal: AbortSignal
}

/** A record whose files are made when they are taken. */
export type ListedDownload = Omit<DownloadRecord, 'files'> & {
  files?: Iterable<FileRecord>
  details?: DownloadDetails
}

/**
 * Every method that takes an infohash throws AppError DownloadNotFound when it names no download, NotReady while it is
 * not known yet which downloads there are.
 */
export interface DownloadsService {
  /** Settles when every download of the store is listed: moments after the start, long before all are loaded. */
  whenListed(): Promise<void>
  /** Each record is made when it is taken, in turns of the event loop. */
  list(options: ListOptions): AsyncIterable<ListedDownload>
  /**
   * `{"downloads": [...]}` with the plain records as JSON; changes that no request made may be some 100 ms late. In
   * parts that follow each other; they are shared: read only.
   */
  listJson(): Promise<readonly Uint8Array[]>
  /** One record, with the parts asked for. */
  record(infohash: string, options: ListOptions): Promise<ListedDownload>
  /**
   * Sends the list as lines of JSON `{"type":"downloads_changed","event":{"downloads":[...],"removed":[...],"complete":bool}}`:
   * first the whole list in several, then what changed, at most a second late. `complete`: the last line of a state.
   * `deliver` and `room` as in EventsService.follow; a follower without room misses states, never changes.
   */
  followList(deliver: (line: Uint8Array) => boolean, room: () => undefined | Promise<void>): EventSubscription
  /** AppErrors: SafeSeedingRequired, InvalidParameter, CircuitsUnavailable, TorrentUnreadable, BadMagnet, BadScheme, SourceFailed, PathNotAllowed; of an update link also
   * DhtUnavailable and StateConflict (too many), and `started` false with infohash '' when nothing was found yet. */
  add(request: AddDownload): Promise<{ started: boolean; infohash: string }>
  /** As add(), of a torrent file that was sent. */
  addFile(bytes: Uint8Array, request: Omit<AddDownload, 'uri'>): Promise<{ started: boolean; infohash: string }>
  remove(infohash: string, removeData: boolean): Promise<{ infohash: string; removed: boolean }>
  patch(infohash: string, change: PatchDownload): Promise<{ infohash: string; modified: boolean }>
  /** Why it does not move, or that it does. */
  explain(infohash: string): Promise<Explanation>
  /** False: it was there. AppErrors InvalidParameter (no tracker url), StateConflict (private, or too many). */
  addTracker(infohash: string, url: string): Promise<boolean>
  /** False: it was not there. */
  removeTracker(infohash: string, url: string): Promise<boolean>
  /** Announces now, without url to all trackers. False: nobody was asked (it does not run, or was forced just before). */
  forceAnnounce(infohash: string, url?: string): Promise<boolean>
  /** Each is made when it is taken: there may be 200,000. */
  files(infohash: string): Promise<Iterable<FileRecord>>
  /** What its metadata says; null while that is unknown. */
  describe(infohash: string): Promise<TorrentDescription | null>
  /** Bytes free on the disk of a folder. AppError DiskError when it cannot be told. */
  freeSpace(folder: string): Promise<number>
  /** The bencoded torrent. AppError MetadataNotFound before metadata. */
  torrentFile(infohash: string): Promise<Uint8Array>
  /** A magnet link that leads to the same torrent: its info hashes (`btih`, `btmh`), name, trackers and web seeds. */
  magnet(infohash: string): Promise<{ magnet: string }>
  /**
   * The file behind a stream url, at once or after up to 60 s of waiting for metadata. Throws and rejects with AppErrors
   * MetadataTimeout, FileNotFound, Aborted. `fileIndex` is the text of the path segment.
   */
  streamable(infohash: string, fileIndex: string, asker: Asker): StreamableFile | Promise<StreamableFile>
}

/** GET /torrentinfo. */
export interface TorrentInfoService {
  /** Decisions part 2, row torrentinfo. AppErrors as in add, and MetadataTimeout. */
  read(uri: string, signal: AbortSignal): Promise<{ metainfo: Json; infohash: string; download_exists: boolean }>
}

/** POST /createtorrent after validation (extra). Absent members take their defaults; '' and 0 stand for none. */
export interface CreateTorrent {
  /** The file or folder, absolute. */
  path: string
  /** Default hybrid. */
  format?: 'v1' | 'v2' | 'hybrid'
  /** Bytes, a power of two; default by size. */
  piece_length?: number
  /** By tier (BEP 12). */
  trackers?: string[][]
  web_seeds?: string[]
  private?: boolean
  source?: string
  comment?: string
  created_by?: string
  /** Unix time, seconds; default now. */
  creation_date?: number
  /** Write `<name>.torrent` next to the content. */
  export?: boolean
  /** Write it there: a path that ends in `.torrent`, else a folder. */
  export_path?: string
  /** Seed it from where it lies. */
  add?: boolean
}

/** A torrent that was made. */
export interface CreatedTorrent {
  /** Number of the creation, as in its events. */
  id: number
  infohash: string
  /** 64 digits; null for a v1 torrent. */
  infohash_v2: string | null
  name: string
  /** Bytes of all files. */
  size: number
  files: number
  piece_length: number
  total_pieces: number
  /** Links and devices that were left out. */
  skipped: number
  /** Where the torrent file was written; null = nowhere. */
  torrent_path: string | null
  /** It was added to the downloads. */
  added: boolean
  /** The torrent file. */
  torrent: Uint8Array
}

/** POST /createtorrent. */
export interface TorrentMakerService {
  /**
   * Makes a torrent; given up when the signal fires. AppErrors InvalidParameter, PathNotAllowed, SourceChanged,
   * StateConflict (the torrent file exists), TooManyRequests, NotReady, Aborted, DiskFull, DiskError, and with `add` those of
   * DownloadsService.add.
   */
  create(request: CreateTorrent, signal: AbortSignal, caller: Caller): Promise<CreatedTorrent>
}

/** How far the start has come. */
export type CoreStateName = 'STARTING' | 'UPGRADING' | 'STARTED'

/** GET /state and /variables. */
export interface StateService {
  /** The store is being brought up to date: only routes that are marked so answer. */
  readonly upgrading: boolean
  read(): { state: CoreStateName; last_exception: string | null }
  /** Names of listening ports with `~` between levels (spec 2.15). */
  ports(): Record<string, number>
  /** Where the node is in the network; null before the engine runs. */
  network(): NetworkState | null
}

/** Part `network` of GET /variables. */
export interface NetworkState {
  bound_to: string[] | null
  kept_to_devices: boolean
  proxied: boolean
  external_ipv4: string | null
  external_ipv6: string | null
  mappings: {
    gateway: string
    via: 'PCP' | 'NAT-PMP' | 'UPnP'
    protocol: 'tcp' | 'udp'
    internal_port: number
    external_port: number
    external_ip: string | null
  }[]
  mapping_problems: { gateway: string; problem: string }[]
}

/** One event as it goes over the wire (decisions part 6). */
export interface EventRecord {
  id: number
  type: string
  event?: { [key: string]: Json }
}

/** A follower of events. */
export interface EventSubscription {
  /** Ends it; no further calls. */
  close(): void
}

/** GET /events. */
export interface EventsService {
  /**
   * Sends `events_start`, then the log after `since` (null: none), then live events, each as one record in order.
   * `deliver` answers false when the reader is gone or too slow: the subscription is then over.
   * `room` is asked before and after each record: when it answers a promise, the next record waits for it, and the reader
   * falls behind in the log. Without it a burst or a long replay would overrun every reader.
   */
  follow(
    since: number | null,
    deliver: (record: EventRecord) => boolean,
    room?: () => undefined | Promise<void>,
  ): EventSubscription
}

/** PUT /shutdown (extra). */
export interface ShutdownService {
  /** The node stops in order as soon as this was answered. */
  shutDown(): void
}

/** Everything http/ needs of the node. */
export interface Services {
  downloads: DownloadsService
  torrentInfo: TorrentInfoService
  torrentMaker: TorrentMakerService
  updates: UpdatesService
  settings: SettingsService
  state: StateService
  statistics: StatisticsService
  events: EventsService
  shutdown: ShutdownService
  debug: DebugService
  metrics: MetricsService
  callerPaths: CallerPathsService
  keys: KeysService
}
