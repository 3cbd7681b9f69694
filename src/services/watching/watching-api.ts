// What crosses the interface of films that were begun (extra). Times of films in seconds, of the clock in Unix seconds.

/** Where a file was left. */
export interface WatchingRecord {
  fileindex: number
  /** Path in the torrent; '' where the file was never begun. */
  name: string
  position: number
  /** Null = nobody has said. */
  duration: number | null
  watched: boolean
  /** Where playing goes on; 0 = at the start, of what was watched to its end too. */
  continue_at: number
  /** When it was noted; 0 = never. */
  time: number
}

/** The same in a list of all downloads. */
export interface WatchingEntry extends WatchingRecord {
  infohash: string
  /** Name of the download. */
  download: string
}

/** What is noted; absent members stay as they are. */
export interface WatchingChange {
  position?: number
  duration?: number
  /** Absent: true when the position is near the end, else as it is. */
  watched?: boolean
}

/**
 * Where films were left. AppErrors DownloadNotFound, NotReady, and those of the records.
 */
export interface WatchingService {
  /** All files of a download that were begun, by index. */
  of(infohash: string): Promise<WatchingRecord[]>
  /** AppError FileNotFound when `fileIndex` is no number. */
  one(infohash: string, fileIndex: string): Promise<WatchingRecord>
  /** AppErrors FileNotFound, MetadataNotFound, MissingParameter (nothing is given). */
  note(infohash: string, fileIndex: string, change: WatchingChange): Promise<WatchingRecord>
  /** AppError FileNotFound when `fileIndex` is no number. */
  forget(infohash: string, fileIndex: string): Promise<{ infohash: string; fileindex: number; removed: boolean }>
  /** The newest of all downloads; `all`: also those that are at their start or end. */
  recent(limit: number, all: boolean): Promise<WatchingEntry[]>
}
