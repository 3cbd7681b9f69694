// What a torrent is, once its metainfo has been read and checked. Types only; metainfo.ts makes them.

import type { InfoHash, InfoHashV2 } from '../../base/ids.ts'

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
  /** The path that the torrent gives it, where the user gave it another name. */
  readonly torrentPath?: readonly string[]
  /** Bytes. */
  readonly length: number
  /** First byte's position in the concatenation of all files, bytes. */
  readonly offset: number
  /** True for a padding file (BEP 47): its bytes are zeroes and it is never written. */
  readonly padding: boolean
  /** Only where the torrent says something of the kind. */
  readonly attributes?: FileAttributes
}

/**
 * Attributes of a file (BEP 47). They are kept and shown; this node neither makes files executable nor follows links.
 */
export interface FileAttributes {
  readonly executable: boolean
  readonly hidden: boolean
  /** What the file is a link to: a safe path as TorrentFile.path is, null = no link. A link has no bytes. */
  readonly link: readonly string[] | null
}

/**
 * One file of the v2 part of a torrent (BEP 52): one that has bytes. It begins at a piece and shares it with no other.
 */
export interface V2File {
  /** Its number among TorrentFile. */
  readonly index: number
  /** Root of its hash tree, 32 bytes. */
  readonly root: Uint8Array
  /** Bytes, at least 1. */
  readonly length: number
  readonly firstPiece: number
  readonly pieceCount: number
}

/** The v2 part of a torrent (BEP 52), checked. */
export interface V2Content {
  readonly infoHash: InfoHashV2
  /** In torrent order. */
  readonly files: readonly V2File[]
  /**
   * pieceCount x 32 bytes: the hash of each piece in its file's tree. Zeroes where not known: the piece layers of a
   * torrent are no part of its info dictionary; those of a file are known all or none. Files of one piece need none.
   */
  readonly pieceRoots: Uint8Array
}

/** What a torrent file says of itself outside of its info dictionary; peers do not have it. */
export interface TorrentNotes {
  readonly comment: string | null
  readonly createdBy: string | null
  readonly creationDateSec: number | null
}

/** Where a node of the DHT may be (BEP 5). */
export interface TorrentDhtNode {
  /** An address in canonical form, or a name. */
  readonly host: string
  readonly port: number
}

/** A torrent, checked: v1 (BEP 3), v2 (BEP 52), or hybrid, which is both. */
export interface Metainfo extends TorrentNotes {
  /** What the torrent is known as: its v1 info hash, or the truncated one of `v2`. */
  readonly infoHash: InfoHash
  /** The bencoded info dictionary exactly as received; its hash is the info hash. */
  readonly infoBytes: Uint8Array
  /** The torrent's display name (may differ from path[0], which is made safe). */
  readonly name: string
  readonly multiFile: boolean
  readonly pieceLength: number
  readonly pieceCount: number
  /** pieceCount x 20 bytes of SHA-1; empty when the torrent is v2 only. */
  readonly pieceHashes: Uint8Array
  /** Null when the torrent is v1 only. */
  readonly v2: V2Content | null
  readonly totalLength: number
  readonly files: readonly TorrentFile[]
  /** BEP 27: peers only from this torrent's trackers. */
  readonly private: boolean
  /** Announce URLs by tier (BEP 12); empty when there is none. */
  readonly announceTiers: readonly (readonly string[])[]
  /** Web seeds (BEP 19), cleaned, as written; absent when there are none. Peers do not have them. */
  readonly webSeeds?: readonly string[]
  /** Nodes of the DHT (BEP 5), cleaned; absent when there are none. Peers do not have them. */
  readonly dhtNodes?: readonly TorrentDhtNode[]
}
