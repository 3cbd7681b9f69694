// What requests may ask of downloads.

import type { TorrentDescription } from './details-api.ts'
import type { Explanation, FileRecord, ListedDownload } from './download-records-api.ts'
import type { EventSubscription } from '../events/events-api.ts'
import type { ListPage, ListQuery } from './list/list-query-api.ts'
import type { QueueMove, QueueMoved } from './queue/queue-api.ts'
import type { Asker, StreamableFile } from './streams-api.ts'

/** Which parts of a download record are wanted beside the record itself, and of which downloads. */
export interface ListOptions {
  peers: boolean
  pieces: boolean
  files: boolean
  /** What other programs' interfaces ask for beyond the record; absent = false. */
  details?: boolean
  /** Info hashes of those that are wanted, any of their names; unknown ones are passed over. Absent = all. */
  only?: readonly string[]
  /** Fields of the record that are wanted beside the parts above; absent = all. */
  fields?: readonly string[]
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
  /** Files that are not of the download and lie in its places are written over. */
  overwrite?: boolean
  /** Only what readers want is fetched, in a bounded cache; the download goes hours after the last reader. */
  watch_and_forget?: boolean
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
  /** The destination was judged without links. */
  linkless?: boolean
  selected_files?: number[]
}

/** PATCH /downloads/{infohash} after validation. */
export interface PatchDownload extends ControlChange {
  anon_hops?: number
  /** Its files are moved there in the background. */
  destination?: string
  /** The destination was judged without links. */
  linkless?: boolean
  selected_files?: number[]
  state?: 'resume' | 'stop' | 'recheck'
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
  /**
   * Which downloads a query means. Changes that no request made may be some 2 s late. AppErrors InvalidParameter
   * (filter), DownloadNotFound (`after`), TooManyRequests, NotReady.
   */
  findPage(query: ListQuery): Promise<ListPage>
  /**
   * The first page of a list that is still being read at a start, where that is known: of the order of adding, all of
   * them. Null: findPage() is to be asked, after whenListed().
   */
  earlyPage(query: ListQuery): Promise<ListPage | null>
  /** `{"downloads":[...],"total":n,"next":"..."}`: the plain records of a page, null = with all fields. */
  pageJson(page: ListPage, fields: readonly string[] | null): Promise<readonly Uint8Array[]>
  /** One record, with the parts asked for. */
  record(infohash: string, options: ListOptions): Promise<ListedDownload>
  /**
   * Sends the list as lines of JSON
   * `{"type":"downloads_changed","event":{"downloads":[...],"removed":[...],"complete":bool}}`: first the whole list in
   * several, then what changed, at most a second late. `complete`: the last line of a state. `deliver` and `room` as in
   * EventsService.follow; a follower without room misses states, never changes.
   */
  followList(deliver: (line: Uint8Array) => boolean, room: () => undefined | Promise<void>): EventSubscription
  /**
   * AppErrors: SafeSeedingRequired, InvalidParameter, CircuitsUnavailable, TorrentUnreadable, BadMagnet, BadScheme,
   * SourceFailed, PathNotAllowed; of an update link also DhtUnavailable and StateConflict (too many), and `started`
   * false with infohash '' when nothing was found yet.
   */
  add(request: AddDownload): Promise<{ started: boolean; infohash: string }>
  /** As add(), of a torrent file that was sent. */
  addFile(bytes: Uint8Array, request: Omit<AddDownload, 'uri'>): Promise<{ started: boolean; infohash: string }>
  remove(infohash: string, removeData: boolean): Promise<{ infohash: string; removed: boolean }>
  patch(infohash: string, change: PatchDownload): Promise<{ infohash: string; modified: boolean }>
  /**
   * Moves downloads in the queue, which keep their order among each other; names that name none are passed over.
   * It is durable when it settles. AppErrors DownloadNotFound (none is there, or `before` is not), InvalidParameter
   * (too many).
   */
  moveInQueue(infohashes: readonly string[], to: QueueMove): Promise<QueueMoved>
  /**
   * Gives a file or folder of the download another name on the disk, done when settled; false: it was called so. The
   * path is that of files in their `name`, '' the folder of the whole torrent. AppErrors InvalidParameter (no name),
   * FileNotFound, MetadataNotFound, PathNotAllowed, StateConflict (something is called so, or the files are being
   * moved).
   */
  renameFile(infohash: string, request: { readonly path: string; readonly name: string }): Promise<boolean>
  /** Why it does not move, or that it does. */
  explain(infohash: string): Promise<Explanation>
  /**
   * Calls the peer at `192.0.2.1:6881` or `[2001:db8::1]:6881`; false: it is connected or called already. AppErrors
   * InvalidParameter (no such address), StateConflict (private, over circuits, banned, or too many).
   */
  addPeer(infohash: string, address: string): Promise<boolean>
  /** False: it was there. AppErrors InvalidParameter (no tracker url), StateConflict (private, or too many). */
  addTracker(infohash: string, url: string): Promise<boolean>
  /** False: it was not there. */
  removeTracker(infohash: string, url: string): Promise<boolean>
  /**
   * Gives a tracker another URL, another tier, or both; false: it was so. AppErrors InvalidParameter (no tracker URL,
   * no such tracker or tier), StateConflict (another one has the URL; a private torrent and another host).
   */
  changeTracker(
    infohash: string,
    url: string,
    change: { readonly newUrl?: string | undefined; readonly tier?: number | undefined },
  ): Promise<boolean>
  /** These are its trackers from now on, tier by tier; false: they were. AppErrors as changeTracker(), or too many. */
  setTrackers(infohash: string, tiers: readonly (readonly string[])[]): Promise<boolean>
  /**
   * Announces now, without url to all trackers. False: no tracker was asked (it does not run, or was forced just
   * before).
   */
  forceAnnounce(infohash: string, url?: string): Promise<boolean>
  /** Each is made when it is taken: there may be 200,000. */
  files(infohash: string): Promise<Iterable<FileRecord>>
  /** What its metadata says; null while that is unknown. */
  describe(infohash: string): Promise<TorrentDescription | null>
  /** Bytes free on the disk of a folder. AppError DiskError when it cannot be read. */
  freeSpace(folder: string): Promise<number>
  /** The bencoded torrent. AppError MetadataNotFound before metadata. */
  torrentFile(infohash: string): Promise<Uint8Array>
  /** A magnet link that leads to the same torrent: its info hashes (`btih`, `btmh`), name, trackers and web seeds. */
  magnet(infohash: string): Promise<{ magnet: string }>
  /**
   * The file behind a stream url, at once or after up to 60 s of waiting for metadata. Throws and rejects with
   * AppErrors MetadataTimeout, FileNotFound, Aborted. `fileIndex` is the text of the path segment.
   */
  streamable(infohash: string, fileIndex: string, asker: Asker): StreamableFile | Promise<StreamableFile>
}
