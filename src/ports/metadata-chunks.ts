// Info dictionaries on disk in 16 KiB pieces: filled while a magnet's metadata comes in (BEP 9), read when peers ask.
// Keeps memory flat however large the metadata that strangers announce.

import type { InfoHash } from '../base/ids.ts'

/** The store of info dictionaries. */
export interface MetadataChunks {
  /** Starts (or restarts, dropping all) the assembly of `totalBytes` of metadata. At most 16 MiB. */
  begin(infoHash: InfoHash, totalBytes: number): Promise<void>
  /** Stores piece `index` (16 KiB, the last one shorter). */
  put(infoHash: InfoHash, index: number, bytes: Uint8Array): Promise<void>
  /** The whole, when every piece was put. */
  assemble(infoHash: InfoHash): Promise<Uint8Array>
  /** Stores a complete info dictionary so that pieces of it can be served. */
  store(infoHash: InfoHash, infoBytes: Uint8Array): Promise<void>
  /** Piece `index`, or null when this node does not have it. */
  get(infoHash: InfoHash, index: number): Promise<Uint8Array | null>
  remove(infoHash: InfoHash): Promise<void>
  close(): Promise<void>
}
