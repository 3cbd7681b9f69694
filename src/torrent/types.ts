// The public face of the engine in types: what a torrent is told, what it tells. services/ sees only these and Session.

import type { InfoHash, PeerAddress } from '../base/ids.ts'
import type { TrackerRow } from '../ports/announcer.ts'
import type { ResumeData } from '../ports/progress-journal.ts'
import type { Metainfo } from '../wire/torrent-types.ts'

/**
 * States of a torrent and their arrows:
 * metadata -> allocating -> waiting-check -> checking -> downloading -> seeding;
 * any -> stopped (stop) -> the working state again (resume); any -> error -> (resume, or space is back) -> working state.
 * any -> queued (its turn has not come, or is over) -> working state when it is its turn.
 * `allocating` is left at once on sparse file systems; `waiting-check`/`checking` only when there is data to hash.
 */
export type TorrentStatus =
  | 'metadata'
  | 'allocating'
  | 'waiting-check'
  | 'checking'
  | 'downloading'
  | 'seeding'
  | 'stopped'
  | 'queued'
  | 'error'

/** What a torrent is made from. */
export interface TorrentSpec {
  readonly infoHash: InfoHash
  /** Shown until the metadata is known (magnet `dn`). */
  readonly name: string
  /** Null for a magnet whose metadata is not here yet. */
  readonly metainfo: Metainfo | null
  /** Absolute path of the destination folder. */
  readonly destination: string
  readonly announceTiers: readonly (readonly string[])[]
  /** Peers known from elsewhere (magnet `x.pe`). */
  readonly peers: readonly PeerAddress[]
  /** Selected file indexes, null = all. */
  readonly selectedFiles: readonly number[] | null
  /** False: begins in `stopped`. */
  readonly running: boolean
  /** True: runs at once, whatever waits in the queue, and takes nobody's place there. */
  readonly unqueued?: boolean
  /** Progress of an earlier run; null = unknown: files that exist are hashed. */
  readonly resume: ResumeData | null
  /** All-time counters of earlier runs, bytes. */
  readonly totalUp: number
  readonly totalDown: number
}

/** One connected peer (spec 2.1 peer record with the extras of decisions part 2, engine names). */
export interface PeerSnapshot {
  /** Peer id in hexadecimal. */
  readonly id: string
  readonly ip: string
  readonly port: number
  readonly client: string
  readonly incoming: boolean
  readonly downRate: number
  readonly upRate: number
  readonly downTotal: number
  readonly upTotal: number
  /** They are interested in us / we choke them (upload side). */
  readonly upInterested: boolean
  readonly upChoked: boolean
  /** We are interested in them / they choke us (download side). */
  readonly downInterested: boolean
  readonly downChoked: boolean
  readonly optimistic: boolean
  readonly snubbed: boolean
  /** 0 to 1: how much of the torrent the peer has. */
  readonly completed: number
  readonly seed: boolean
  readonly uploadOnly: boolean
  /** Requests outstanding to / from the peer. */
  readonly requestsOut: number
  readonly requestsIn: number
}

/** The state of a torrent at one moment; cheap to make. Rates in bytes/s, sizes in bytes. */
export interface TorrentSnapshot {
  readonly infoHash: InfoHash
  readonly name: string
  readonly status: TorrentStatus
  /** Progress of the current status, 0 to 1 (of the selected files while downloading; of the hash check while checking). */
  readonly progress: number
  readonly sizeBytes: number
  readonly pieceCount: number
  /** Whole seconds; 0 when complete; 8640000 when nothing moves. */
  readonly etaSec: number
  readonly downRate: number
  readonly upRate: number
  /** All time, bytes of payload. */
  readonly totalDown: number
  readonly totalUp: number
  /** Known in the swarm (trackers and peers). */
  readonly peersKnown: number
  readonly seedsKnown: number
  readonly peersConnected: number
  readonly seedsConnected: number
  /** Complete sources plus the fraction of pieces that have one more; 0 when unknown. */
  readonly availability: number
  /** Readable; empty when status is not `error`. */
  readonly error: string
  readonly destination: string
}

/** One file of a torrent with its progress. */
export interface FileSnapshot {
  readonly index: number
  /** Path under the torrent root with `/`. */
  readonly name: string
  readonly sizeBytes: number
  readonly selected: boolean
  /** 0 to 1; a zero-byte file has 1. */
  readonly progress: number
}

/**
 * A reader of one file. Its position moves the window of pieces that come first; closing it restores priorities.
 * A complete file never touches the picker.
 */
export interface FileReader {
  readonly sizeBytes: number
  /**
   * How many bytes from `position` (of the file) on are verified and on disk without a gap; waits until it is at least
   * one, resolves 0 at the end of the file. Moves the window. Rejects with AppError Aborted after close(), or the
   * torrent's error. Answers a number at once when it can.
   */
  waitFor(position: number): number | Promise<number>
  /** Reads up to `length` verified bytes at `position` into the start of a range slot; the number read. */
  read(position: number, length: number, slot: import('../ports/arena.ts').Slot): Promise<number>
  close(): void
}

/** What the engine reports; calls are synchronous and must not throw. */
export interface TorrentEvents {
  /** The metadata of a magnet was fetched and checked. Settles before pieces are asked for: it must be durable first. */
  metadata(infoHash: InfoHash, metainfo: Metainfo): Promise<void>
  /** Every selected piece is verified (once per completion, not at start-up of a complete torrent). */
  finished(infoHash: InfoHash, name: string): void
  /** Status became `error`. */
  failed(infoHash: InfoHash, error: string): void
  statusChanged(infoHash: InfoHash, status: TorrentStatus): void
}

/**
 * One torrent as services/ uses it. One that nobody uses rests: what it keeps is the first group of members; the second may
 * only be used after wake(), without waiting for anything else that takes long.
 */
export interface TorrentHandle {
  readonly infoHash: InfoHash
  /** True while it rests: its snapshot then changes only with `revision`. */
  readonly resting: boolean
  /** Grows when it wakes, and with every change of what trackers() and the swarm counts of snapshot() show. */
  readonly revision: number
  snapshot(): TorrentSnapshot
  peers(): PeerSnapshot[]
  trackers(): TrackerRow[]
  announceTiers(): string[][]
  /** One bit a piece, most significant first; empty before metadata. */
  haveBits(): Uint8Array
  readonly openReaders: number
  /** The metainfo, null before it is known; loaded for this call when it rests. Rejects with what the records said. */
  loadMetainfo(): Promise<Metainfo | null>
  /** As files(), loaded for this call when it rests; each is made when it is taken, so that many can be taken in turns. */
  loadFiles(): Promise<Iterable<FileSnapshot>>
  /** Settles with the metainfo when it is known; rejects with Aborted when the signal fires or the torrent goes. */
  whenMetadata(signal: AbortSignal): Promise<Metainfo>
  /** Settles when all members may be used, for the next seconds at least. Rejects with what the records said. */
  wake(): Promise<void>

  readonly metainfo: Metainfo | null
  files(): FileSnapshot[]
  /** Selected indexes; null = all. */
  readonly selectedFiles: readonly number[] | null
  /** Connections close, trackers hear `stopped`; resolves when progress is durable. Idempotent. */
  stop(): Promise<void>
  /** Runs when it is its turn in the queue: without limits at once. */
  resume(): void
  /**
   * Hash-checks everything; afterwards the state it had before. `begun` is called once it would go on after a kill.
   * Rejects with AppError MetadataNotFound for magnets, Aborted when it is stopped.
   */
  recheck(begun?: () => void): Promise<void>
  /** Throws AppError InvalidParameter when an index is out of range (nothing is changed). */
  select(files: readonly number[] | null): void
  /** Adds trackers; those that were new. None for private torrents. */
  addTrackers(tiers: readonly (readonly string[])[]): string[]
  addPeers(peers: readonly PeerAddress[]): void
  /** Opens a reader. Throws AppError MetadataNotFound, FileNotFound. A stopped torrent runs for readers that miss pieces. */
  openReader(fileIndex: number): FileReader
  /**
   * Reads verified bytes of a file into the start of `into` without a reader, never waiting: how many, 0 when they are
   * not at hand (PieceStore.readNow) or there is no such file.
   */
  readNow(fileIndex: number, position: number, length: number, into: Uint8Array): number
}
