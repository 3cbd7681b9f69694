// Torrents that are no downloads: previews of them, and making new ones.

import type { Caller } from '../callers-api.ts'

/** What a torrent has in it: GET and POST /torrentinfo/files (extra). */
export interface TorrentPreview {
  /** Each is made when it is taken; padding is left out. `name`: the path under the torrent's root. */
  files: Iterable<{ index: number; name: string; size: number }>
  name: string
  infohash: string
  private: boolean
  download_exists: boolean
}

/** GET /torrentinfo. */
export interface TorrentInfoService {
  /** The files behind a uri. As read(). */
  files(uri: string, signal: AbortSignal, hops?: number): Promise<TorrentPreview>
  /** The files of a torrent file. AppErrors TorrentUnreadable, NotReady. */
  filesIn(bytes: Uint8Array): Promise<TorrentPreview>
  /**
   * Decisions part 2, row torrentinfo; `metainfo` is JSON in UTF-8, in parts that follow each other. `hops` absent = as
   * new downloads. AppErrors as in add, and MetadataTimeout.
   */
  read(
    uri: string,
    signal: AbortSignal,
    hops?: number,
  ): Promise<{ metainfo: readonly Uint8Array[]; infohash: string; download_exists: boolean }>
}

/** POST /createtorrent after validation (extra). Absent members take their defaults; '' and 0 mean none. */
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
   * StateConflict (the torrent file exists), TooManyRequests, NotReady, Aborted, DiskFull, DiskError, and with `add`
   * those of DownloadsService.add.
   */
  create(request: CreateTorrent, signal: AbortSignal, caller: Caller): Promise<CreatedTorrent>
}
