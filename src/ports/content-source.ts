// Files of this machine to make a torrent of: found, and hashed piece by piece. Callers never see a descriptor or a
// byte of them. Invariant: what was hashed is what was listed, or the call rejects.

import type { NewPieceRun } from '../wire/metainfo/torrent-layout.ts'
import type { TorrentFile } from '../wire/metainfo/torrent-types.ts'
import type { FileFacts } from './piece-store.ts'

/** A file that was found. */
export interface ContentFile {
  /**
   * Path below the folder that holds the content, one entry a part; the first one of a folder's files is the folder.
   */
  readonly path: readonly string[]
  /** Bytes. */
  readonly length: number
}

/** How the content is cut. */
export interface ContentLayout {
  /** The files of the content in their order, with padding between them; `index` counts from 0. */
  readonly files: readonly TorrentFile[]
  /** Bytes of each piece but the last. */
  readonly pieceLength: number
  /** Bytes of all files, padding too. */
  readonly totalLength: number
  /** Whether SHA-1 of each piece is wanted (BEP 3). */
  readonly sha1: boolean
}

/** Hashes of neighbouring pieces. */
export interface PieceDigests {
  /** SHA-1, 20 bytes a piece; empty when not wanted. */
  readonly hashes: Uint8Array
  /** Roots of the pieces' trees, 32 bytes a piece; empty when not wanted. */
  readonly roots: Uint8Array
}

/** Hashes content. close() when done. */
export interface ContentHasher {
  /**
   * Hashes a run. AppErrors SourceChanged (a file is not what was listed), InvalidParameter (it cannot be read),
   * DiskError, PoolBusy, WorkerLost, Aborted.
   */
  digest(run: NewPieceRun): Promise<PieceDigests>
  /** Size and time of every file of the layout, as they were listed. AppError SourceChanged unless they still are. */
  checkUnchanged(): Promise<FileFacts[]>
  /** Closes files. Nothing may be in hashing. */
  close(): Promise<void>
}

/** Content that was found. */
export interface Content {
  /** Name of the file or folder. */
  readonly name: string
  /** Absolute path, without links, of the folder it lies in. */
  readonly parent: string
  /** False: one file, whose path is its name. */
  readonly folder: boolean
  /** At least one; sorted by the bytes of their paths, part by part (BEP 52). */
  readonly files: readonly ContentFile[]
  /** Bytes of all files. */
  readonly totalLength: number
  /** Links, pipes, sockets and devices that were left out. */
  readonly skipped: number
  hasher(layout: ContentLayout): ContentHasher
}

/** Finds content. */
export interface ContentSources {
  /**
   * The file at `path` (absolute, without links), or every file below the folder there; no link is followed. AppErrors
   * InvalidParameter (nothing usable there, too many or too deep, a name that is not UTF-8, no right to read),
   * SourceChanged, Aborted.
   */
  list(path: string, signal: AbortSignal): Promise<Content>
}
