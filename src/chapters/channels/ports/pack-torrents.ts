// Torrents of the engine that are no downloads: packs of channels. They are in no list, and nothing of them is in the
// records. Where their files lie, and how they are made, read and thrown away, is behind this too.

import type { InfoHash } from '../../../base/ids.ts'
import type { Metainfo } from '../../../wire/metainfo/torrent-types.ts'

/** Reason of a signal that ends a download and leaves what is there to the next run. */
export const KEEP_PACK = 'keep'

/** Files of a pack being written, in the order of ids. */
export interface PackWriter {
  /** Adds to the end of a file of the pack, which is made when it is not there. AppErrors DiskFull, DiskError. */
  append(file: string, bytes: Uint8Array): Promise<void>
  /**
   * Makes the torrent of what was written; nothing may be appended any more. AppErrors DiskError, Aborted and others.
   */
  finish(): Promise<Metainfo>
  /** Throws away what was written. */
  abandon(): Promise<void>
}

/**
 * Torrents of the engine that are no downloads: packs of channels. Packs are named by their folder
 * (wire/channel/pack-files.ts).
 */
export interface PackTorrents {
  /** Begins a pack; what has its name is thrown away. */
  write(pack: string): Promise<PackWriter>
  /** The torrent of a pack that is whole on the disk; null: there is none. */
  stored(pack: string): Promise<Metainfo | null>
  /** Seeds a pack that is whole on the disk, until dropped. False: it is in the engine already, as a download too. */
  seed(metainfo: Metainfo): boolean
  /**
   * Downloads a pack and seeds it then, until dropped. `objection` is asked before anything is written: text ends it.
   * Rejects with AppErrors Aborted (the signal; the pack is dropped, unless the reason is KEEP_PACK), StateConflict (it
   * is in the engine already), InvalidParameter (the objection), DiskError and others.
   */
  fetch(infoHash: InfoHash, objection: (metainfo: Metainfo) => string | null, signal: AbortSignal): Promise<Metainfo>
  /**
   * Asks the DHT again for peers of a pack that is being fetched: those that were named may be gone. No more often than
   * it takes.
   */
  lookForPeers(infoHash: InfoHash): void
  /** Bytes of a file of a pack, in chunks; nothing when there is no such file. AppError DiskError. */
  read(pack: string, file: string): AsyncIterable<Uint8Array>
  /** Takes it out of the engine, and its files off the disk. Never rejects. */
  drop(infoHash: InfoHash): Promise<void>
  /** Names of packs that lie on the disk. */
  list(): Promise<string[]>
  /** Throws a pack away that is not in the engine. Never rejects. */
  discard(pack: string): Promise<void>
}
