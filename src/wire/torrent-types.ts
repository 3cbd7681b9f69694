// What a torrent is, once its metainfo has been read and checked. Types only; metainfo.ts makes them.

import type { InfoHash } from '../base/ids.ts'

/** One file of a torrent. */
export interface TorrentFile {
  /** Position in torrent order, from 0; padding files keep their number. */
  readonly index: number
  /**
   * Path below the destination folder, one entry a folder, safe to create: never empty, `.`, `..`, with a separator or
   * NUL, reserved or over-long, and unique in the torrent also when case is ignored. In a multi-file torrent the first
   * entry is the torrent's own folder.
   */
  readonly path: readonly string[]
  /** Bytes. */
  readonly length: number
  /** First byte's position in the concatenation of all files, bytes. */
  readonly offset: number
  /** True for a padding file (BEP 47): its bytes are zeroes and it is never written. */
  readonly padding: boolean
}

/** What a torrent file says of itself outside of its info dictionary; peers do not have it. */
export interface TorrentNotes {
  readonly comment: string | null
  readonly createdBy: string | null
  readonly creationDateSec: number | null
}

/** A v1 torrent, checked. */
export interface Metainfo extends TorrentNotes {
  readonly infoHash: InfoHash
  /** The bencoded info dictionary exactly as received; its SHA-1 is the info hash. */
  readonly infoBytes: Uint8Array
  /** The torrent's display name (may differ from path[0], which is made safe). */
  readonly name: string
  readonly multiFile: boolean
  readonly pieceLength: number
  readonly pieceCount: number
  /** pieceCount x 20 bytes of SHA-1. */
  readonly pieceHashes: Uint8Array
  readonly totalLength: number
  readonly files: readonly TorrentFile[]
  /** BEP 27: peers only from this torrent's trackers. */
  readonly private: boolean
  /** Announce URLs by tier (BEP 12); empty when there is none. */
  readonly announceTiers: readonly (readonly string[])[]
}
