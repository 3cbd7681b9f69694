// Where films were left, durably. Promises settle after the commit and reject as those of ports/records.ts.

import type { InfoHash } from '../../base/ids.ts'

/** What is kept of a file that was played. */
export interface WatchedFile {
  readonly infoHash: InfoHash
  /** In torrent order, from 0. */
  readonly file: number
  /** Path in the torrent, cut at MAX_WATCHED_NAME. */
  readonly name: string
  readonly positionMs: number
  /** Null = nobody has said. */
  readonly durationMs: number | null
  readonly watched: boolean
  /** Milliseconds since 1970. */
  readonly atMs: number
}

/** What is to be kept; what is null stays as it is. */
export interface WatchedNote {
  readonly infoHash: InfoHash
  readonly file: number
  readonly name: string
  readonly positionMs: number | null
  readonly durationMs: number | null
  readonly watched: boolean | null
  readonly atMs: number
}

/** A row of `recent()`, with the name of its download. */
export interface RecentFile extends WatchedFile {
  readonly download: string
}

/** Characters of a name. */
export const MAX_WATCHED_NAME = 300
/** Files of one download; those that were played longest ago go. */
export const MAX_WATCHED_OF_ONE = 2000
/** Files of all downloads. */
export const MAX_WATCHED = 10_000

/**
 * The durable list; rows go with their download. Survives kill -9, and after a power cut misses at most the newest
 * notes.
 */
export interface WatchingRecords {
  /** Adds or changes a row, and answers it; null when there is no such download. */
  note(note: WatchedNote): Promise<WatchedFile | null>
  /** Rows of one download, by file. */
  of(infoHash: InfoHash): Promise<WatchedFile[]>
  /** The newest of all. */
  recent(limit: number): Promise<RecentFile[]>
  /** False when there was none. */
  forget(infoHash: InfoHash, file: number): Promise<boolean>
}
