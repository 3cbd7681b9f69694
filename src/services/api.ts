// The interfaces of the use cases that http/ may see, and the values that cross it. Field names of *Record types are
// the specification's, letter by letter (node-control-interface.md part 2).

import type { Slot } from '../ports/arena.ts'

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
}

/** Spec 2.1, file record. `progress` stands in the per-download listing and here too. */
export interface FileRecord {
  index: number
  name: string
  size: number
  included: boolean
  progress: number
}

/** Spec 2.1, download record, with the extra fields of decisions part 2. */
export interface DownloadRecord {
  name: string
  infohash: string
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
  trackers: TrackerRecord[]
  files?: FileRecord[]
  peers?: PeerRecord[]
  pieces?: string
}

/** Which parts of a download record are wanted beside the record itself. */
export interface ListOptions {
  peers: boolean
  pieces: boolean
  files: boolean
}

/** PUT /downloads after validation. Absent members take section download_defaults. */
export interface AddDownload {
  uri: string
  anon_hops?: number
  safe_seeding?: boolean
  destination?: string
  selected_files?: number[]
}

/** PATCH /downloads/{infohash} after validation. */
export interface PatchDownload {
  anon_hops?: number
  selected_files?: number[]
  state?: 'resume' | 'stop' | 'recheck'
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
export type ListedDownload = Omit<DownloadRecord, 'files'> & { files?: Iterable<FileRecord> }

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
  /** AppErrors: SafeSeedingRequired, InvalidParameter, CircuitsUnavailable, TorrentUnreadable, BadMagnet, BadScheme, SourceFailed, PathNotAllowed. */
  add(request: AddDownload): Promise<{ started: boolean; infohash: string }>
  remove(infohash: string, removeData: boolean): Promise<{ infohash: string; removed: boolean }>
  patch(infohash: string, change: PatchDownload): Promise<{ infohash: string; modified: boolean }>
  /** Each is made when it is taken: there may be 200,000. */
  files(infohash: string): Promise<Iterable<FileRecord>>
  /** The bencoded torrent. AppError MetadataNotFound before metadata. */
  torrentFile(infohash: string): Promise<Uint8Array>
  /**
   * The file behind a stream url, at once or after up to 60 s of waiting for metadata. Throws and rejects with AppErrors
   * MetadataTimeout, FileNotFound, Aborted. `fileIndex` is the text of the path segment.
   */
  streamable(infohash: string, fileIndex: string, asker: Asker): StreamableFile | Promise<StreamableFile>
}

/** A JSON value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** GET /torrentinfo. */
export interface TorrentInfoService {
  /** Decisions part 2, row torrentinfo. AppErrors as in add, and MetadataTimeout. */
  read(uri: string, signal: AbortSignal): Promise<{ metainfo: Json; infohash: string; download_exists: boolean }>
}

/** GET and POST /settings. */
export interface SettingsService {
  /** Spec 2.14; secrets as null. */
  read(): { settings: Record<string, Record<string, Json>>; ports: Record<string, number> }
  /** All or nothing. AppError InvalidSetting naming the path. Durable when settled. */
  change(body: Json): Promise<{ modified: boolean; restart_required: string[] }>
}

/** How far the start has come. */
export type CoreStateName = 'STARTING' | 'UPGRADING' | 'STARTED'

/** GET /state and /variables. */
export interface StateService {
  read(): { state: CoreStateName; last_exception: string | null }
  /** Names of listening ports with `~` between levels (spec 2.15). */
  ports(): Record<string, number>
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
   * `deliver` answers false when the reader is too slow: the subscription is then over.
   * `room` is asked before each batch (at most 500 records) of the log: when it answers a promise, the next batch waits
   * for it. Without it a long replay would overrun every reader.
   */
  follow(
    since: number | null,
    deliver: (record: EventRecord) => boolean,
    room?: () => undefined | Promise<void>,
  ): EventSubscription
}

/** Everything http/ needs of the node. */
export interface Services {
  downloads: DownloadsService
  torrentInfo: TorrentInfoService
  settings: SettingsService
  state: StateService
  events: EventsService
}
