// The interface of importing what other clients have.

import type { Caller } from '../callers-api.ts'

/** POST /import after validation (extra). */
export interface ImportTorrents {
  from: 'transmission' | 'qbittorrent' | 'libtorrent'
  /** Where that client keeps torrents and resume files; absolute. */
  folder: string
  /** Paths of that client and what they are here: the longest that a path begins with counts. */
  map?: [theirs: string, ours: string][]
  /** Tells what would be done. */
  dry_run?: boolean
  /** Pieces of each torrent that are hashed as evidence; default 1. */
  sample?: number
  /** Name after which to go on; '' = from the start. */
  after?: string
  /** Torrents at most; default 50. */
  limit?: number
}

/** Something worth knowing of an imported torrent; `code` is stable. */
export interface ImportReason {
  code: string
  message: string
}

/** What became of one torrent. */
export interface ImportedTorrent {
  /** Its name in the other client's folder. */
  source: string
  /** '' = not known. */
  infohash: string
  name: string
  /**
   * `imported`: as it was there. `checking`: the same, and what could not be trusted is hashed. `paused`: stopped for a
   * reason. `exists`: it was here already, nothing changed. `refused`: not imported.
   */
  result: 'imported' | 'checking' | 'paused' | 'exists' | 'refused'
  reasons: ImportReason[]
  /** Folder its files lie in, '' = not known. */
  destination: string
  pieces: number
  /** Taken as verified. */
  pieces_kept: number
  /** To be hashed. */
  pieces_to_check: number
  /** Hashed as evidence. */
  pieces_sampled: number
}

/** A part of an import. */
export interface ImportPage {
  results: ImportedTorrent[]
  /** Torrents in the folder. */
  total: number
  /** `after` of the next part; '' = this was the last one. */
  next: string
}

/** POST /import. */
export interface ImportService {
  /**
   * Imports the torrents after `after`; given up when the signal fires. AppErrors InvalidParameter, PathNotAllowed,
   * NotReady, TooManyRequests, Aborted, SafeSeedingRequired, CircuitsUnavailable.
   */
  run(request: ImportTorrents, signal: AbortSignal, caller: Caller): Promise<ImportPage>
}
