// What must outlive the process, as narrow interfaces: downloads, their progress, the event log, values of the node.
// Every promise settles after the commit: what was answered is still there after kill -9. Methods reject with AppError
// DiskFull, DiskError, StateUnreadable, WorkerLost (the database thread died), PoolBusy (too much is waiting already)
// or Aborted (after close()).

import type { InfoHash, InfoHashV2, PeerAddress } from '../base/ids.ts'
import type { FileNames } from '../wire/metainfo/renamed-files.ts'
import type { TorrentNotes } from '../wire/metainfo/torrent-types.ts'
import type { FileRun, ProgressJournal, ResumeData } from './progress-journal.ts'

/** What a user asked of a download beside which files: see services/download-controls.ts for what is allowed. */
export interface DownloadControls {
  /** Bytes/s of this download alone, 0 = none; the common limits count too. */
  readonly maxDownloadRate: number
  readonly maxUploadRate: number
  /** Uploaded / downloaded at which seeding ends; below 0 = never, null = as the settings say. */
  readonly seedingRatio: number | null
  /** Minutes of seeding after which it ends; below 0 = never, null = as the settings say. */
  readonly seedingMinutes: number | null
  /** Files whose priority is not 4, by rising index; 1 (last) to 7 (first). */
  readonly filePriorities: readonly (readonly [file: number, priority: number])[]
  /** Pieces are fetched in their order. */
  readonly sequential: boolean
  /** BEP 16; absent in rows of older versions. */
  readonly superSeeding?: boolean
  /** Files of others in its places are written over; absent in rows of older versions. */
  readonly overwrite?: boolean
  /** Kept for readers only, and gone some hours after the last; absent in rows of older versions. */
  readonly watchAndForget?: boolean
  readonly labels: readonly string[]
}

/** One download as it is remembered, without its info dictionary. Times in milliseconds since 1970, sizes in bytes. */
export interface StoredDownload {
  readonly infoHash: InfoHash
  /** The whole v2 info hash where there is one (BEP 52): of the metadata, before it of a magnet. */
  readonly infoHashV2: InfoHashV2 | null
  readonly name: string
  /** The uri of the PUT that made it. */
  readonly sourceUri: string
  /** Absolute path of the destination folder. */
  readonly destination: string
  readonly announceTiers: readonly (readonly string[])[]
  /** Web seeds (BEP 19) of its torrent file or magnet. */
  readonly webSeeds: readonly string[]
  /** Peers given with it (magnet `x.pe`). */
  readonly peers: readonly PeerAddress[]
  readonly addedAtMs: number
  readonly hops: number
  readonly safeSeeding: boolean
  /** Selected file indexes; null = all. */
  readonly selectedFiles: readonly number[] | null
  /** True when a user stopped it: it stays stopped over restarts. */
  readonly userStopped: boolean
  /** All-time payload. */
  readonly totalUp: number
  readonly totalDown: number
  /** When it finished first; null = not yet. */
  readonly finishedAtMs: number | null
  /** When all of it was last hashed in the background; absent = never. */
  readonly scrubbedAtMs?: number
  /** When it was read last, as far as that is noted: of one that is forgotten some hours later. Absent = never. */
  readonly readAtMs?: number
  /** Readable; '' = none. */
  readonly error: string
  /** Place in the list, growing; given by insert(). */
  readonly position: number
  /** Its place in the queue, lowest first. Absent, of rows of older versions: its position. */
  readonly queueOrder?: number
  /** Number of pieces; 0 while the metadata is unknown. */
  readonly pieceCount: number
  /** Null = nothing was asked for. */
  readonly controls: DownloadControls | null
  /** Seconds it has seeded, all time. */
  readonly seededSec: number
  /** It was stopped because it had seeded enough. */
  readonly goalReached: boolean
  /** Folder its files are being moved to; until that is done `destination` has them all. */
  readonly movingTo: string | null
  /** Folder its files were moved from, until nothing of them is left there. */
  readonly movedFrom: string | null
  /** Names of files in place of the torrent's; absent or null = all have those of the torrent. */
  readonly renames?: FileRenames | null
}

/** The names that files of a download have, and those they are on their way to or from (see FileNames). */
export interface FileRenames {
  /** Under these all files are there. */
  readonly now: FileNames
  /** They are being given these; null: they are not. */
  readonly to: FileNames | null
  /** They had these, until nothing is left under them. */
  readonly from: FileNames | null
}

/** What insert() needs; `infoBytes` (the bencoded info dictionary) and `pieceCount` are null and 0 before metadata. */
export interface NewDownload
  extends Omit<
    StoredDownload,
    | 'position'
    | 'totalUp'
    | 'totalDown'
    | 'finishedAtMs'
    | 'scrubbedAtMs'
    | 'readAtMs'
    | 'error'
    | 'controls'
    | 'seededSec'
    | 'goalReached'
    | 'movingTo'
    | 'movedFrom'
    | 'renames'
  > {
  /** Absent = nothing was asked for. */
  readonly controls?: DownloadControls | null
  readonly infoBytes: Uint8Array | null
  /** Files that belong to it, also those it did not make; absent = none. */
  readonly ownFiles?: readonly FileRun[]
  /** Kept with the info dictionary; absent = it has none. */
  readonly notes?: TorrentNotes
  /** The same. */
  readonly pieceLayers?: Uint8Array | null
}

/** What is kept of a torrent file: its bencoded info dictionary, and what it says of itself. */
export interface StoredMetainfo {
  readonly infoBytes: Uint8Array
  /** Its bencoded `piece layers` (BEP 52); null where there are none, or they are not known. */
  readonly pieceLayers: Uint8Array | null
  readonly notes: TorrentNotes
  /** Names of files in place of the torrent's; absent = none. */
  readonly fileNames?: FileNames
}

/**
 * Columns that update() can change; absent ones stay. With `infoBytes` go `pieceCount` and, where they are known,
 * `pieceLayers`; those that become known later may come alone.
 */
export type DownloadChange = Partial<
  Omit<StoredDownload, 'infoHash' | 'position' | 'totalUp' | 'totalDown'> & {
    readonly infoBytes: Uint8Array
    readonly pieceLayers: Uint8Array | null
    /** More files that are its own. */
    readonly ownFiles: readonly FileRun[]
  }
>

/** A download with everything that a start needs. */
export interface LoadedDownload {
  readonly download: StoredDownload
  /** Null before metadata. */
  readonly stored: StoredMetainfo | null
  /** Null = nothing is known: files that exist must be hashed. */
  readonly resume: ResumeData | null
}

/** A page of rows, and how many rows there are in all. */
export interface ListedRows {
  readonly rows: readonly StoredDownload[]
  readonly total: number
}

/** The durable list of downloads. */
export interface DownloadRecords {
  /** Adds a row at the end of the list; false when the info hash is there already (then nothing changes). */
  insert(download: NewDownload): Promise<boolean>
  /** Changes columns; false when there is no such download. */
  update(infoHash: InfoHash, change: DownloadChange): Promise<boolean>
  /** Removes the download, its progress, journal and metadata in one transaction; false when there was none. */
  delete(infoHash: InfoHash): Promise<boolean>
  /** All rows by position, without info dictionaries, in pages: the first comes at once, however many there are. */
  list(): AsyncIterable<ListedRows>
  /** All downloads by position, behind `after`, with metadata and progress, in pages of bounded size. */
  loadAll(after?: number): AsyncIterable<LoadedDownload[]>
  /** Null before metadata, and of what is not there. */
  metainfo(infoHash: InfoHash): Promise<StoredMetainfo | null>
  /** Files that are noted as its own; none of what is not there. */
  ownFiles(infoHash: InfoHash): Promise<readonly FileRun[]>
  /**
   * Remembers all-time counters lazily: written with the torrent's next checkpoint, every 30 s, and at close(). A crash
   * loses at most that much counting.
   */
  noteTotals(infoHash: InfoHash, totalUp: number, totalDown: number): void
  /** Overwrites `seededSec` of many; unknown downloads are passed over. Survives kill -9, not every power cut. */
  setSeeded(seeded: readonly (readonly [infoHash: InfoHash, seconds: number])[]): Promise<void>
  /** Overwrites `queueOrder` of many, of all or of none; unknown downloads are passed over. */
  setQueueOrders(orders: readonly (readonly [infoHash: InfoHash, order: number])[]): Promise<void>
}

/**
 * Progress with its reading side; `ProgressJournal` is what the engine sees. Calls for unknown downloads do nothing.
 */
export interface ProgressRecords extends ProgressJournal {
  /** What the torrent may resume from; null = nothing is known. */
  loadResume(infoHash: InfoHash): Promise<ResumeData | null>
}

/** An event is small; one that is not would make the log grow without bound. */
export const MAX_EVENT_CHARS = 64 * 1024

/** An event for the log; `payload` is JSON of at most MAX_EVENT_CHARS, `null` when the type has none. */
export interface NewEvent {
  readonly type: string
  readonly payload: string
}

/** One event of the log; `payload` is JSON, `null` when the type has none. */
export interface LoggedEvent {
  readonly id: number
  readonly atMs: number
  readonly type: string
  readonly payload: string
}

/** Durable events with growing ids; keeps 100,000 events or 7 days, whichever is less. */
export interface EventLog {
  /**
   * Appends all or none; the id of the first. Ids grow by one in call order and are never used twice. Rejects with a
   * RangeError when a payload is too long.
   */
  append(events: readonly NewEvent[]): Promise<number>
  /** Up to `limit` (at most 1,000) events with an id above `since`, oldest first; empty only when there is none. */
  readSince(since: number, limit: number): Promise<LoggedEvent[]>
  /** The ids that are kept; `oldest` is null when the log is empty, `newest` is the last id ever given (0 = none). */
  bounds(): Promise<{ oldest: number | null; newest: number }>
}

/** Small values of the node by name (secret of signed links, ...). At most 64 KiB each. */
export interface NodeValues {
  get(key: string): Promise<Uint8Array | null>
  set(key: string, value: Uint8Array): Promise<void>
  /** The value that is there, else stores `value`; atomic. */
  getOrSet(key: string, value: Uint8Array): Promise<Uint8Array>
}

/** What downloads moved, as bytes that only services/rates reads; they go with their download. */
export interface RateRecords {
  /** Of each; null: nothing is kept. */
  read(infoHashes: readonly InfoHash[]): Promise<(Uint8Array | null)[]>
  /**
   * Keeps them in place of those before; unknown downloads are passed over. Survives kill -9, not every power cut.
   */
  write(rows: readonly (readonly [infoHash: InfoHash, sums: Uint8Array])[]): Promise<void>
}
