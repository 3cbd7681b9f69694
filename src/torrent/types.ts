// The public face of the engine in types: options and commands of a torrent, its records and events. services/ sees
// only these and Session.

import type { InfoHash, InfoHashV2, PeerAddress } from '../base/ids.ts'
import type { TrackerRow } from '../ports/announcer.ts'
import type { FileChange, StorageMove } from '../ports/piece-store.ts'
import type { ResumeData } from '../ports/progress-journal.ts'
import type { Metainfo, TorrentFile } from '../wire/metainfo/torrent-types.ts'
import type { FilmFacts } from './streams/film-facts.ts'
import type { Forecast } from './streams/forecast.ts'
import type { NetworkTrouble } from './swarm-parts.ts'

/**
 * States of a torrent and their arrows:
 * - metadata -> allocating -> waiting-check -> checking -> downloading -> seeding;
 * - any -> stopped (stop) -> the working state again (resume);
 * - any -> error -> the working state again (resume, or space is back);
 * - any -> queued (its turn has not come, or is over) -> the working state when it is its turn.
 *
 * `allocating` is left at once on sparse file systems; `waiting-check` and `checking` only when there is data to hash.
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

/** Which pieces come first. */
export interface PieceOrder {
  /** File index -> 1 (last) to 7 (first); those not named have 4. Which files are wanted at all is the selection. */
  readonly filePriorities: ReadonlyMap<number, number>
  /** Within a priority in the order of the torrent. */
  readonly sequential: boolean
}

/** Limits of one torrent, bytes/s, 0 = none; the session's limits count too. */
export interface TorrentLimits {
  readonly maxDownloadRate: number
  readonly maxUploadRate: number
}

/** What a user asked of one torrent beside which files. */
export interface TorrentControls extends PieceOrder, TorrentLimits {
  /** True: while everything is there, each peer hears of a few pieces only (BEP 16). */
  readonly superSeeding?: boolean
  /** True: files of others that lie in its places are written over. */
  readonly overwrite?: boolean
  /**
   * True: only what readers want is fetched, and kept as long as the cache has room; no peer hears of it (decision
   * 0546).
   */
  readonly forgets?: boolean
}

/**
 * Which files go with a torrent: all of its own, none, or only those that it made itself, while no other download has,
 * or may have, files in its places.
 */
export type DataChoice = boolean | 'made'

/** What a torrent is made from. */
export interface TorrentSpec {
  readonly infoHash: InfoHash
  /** The whole v2 info hash where a magnet names it: the metadata must have it. Absent or null: not known. */
  readonly infoHashV2?: InfoHashV2 | null
  /** Shown until the metadata is known (magnet `dn`). */
  readonly name: string
  /** Null for a magnet whose metadata is not here yet. */
  readonly metainfo: Metainfo | null
  /** Absolute path of the destination folder. */
  readonly destination: string
  readonly announceTiers: readonly (readonly string[])[]
  /** Web seeds (BEP 19) of its file or magnet; cleaned; absent: those of `metainfo`. */
  readonly webSeeds?: readonly string[]
  /** Peers known from elsewhere (magnet `x.pe`). */
  readonly peers: readonly PeerAddress[]
  /** Selected file indexes, null = all. */
  readonly selectedFiles: readonly number[] | null
  /** Absent: nothing was asked for. */
  readonly controls?: TorrentControls
  /** False: begins in `stopped`. */
  readonly running: boolean
  /** True: runs at once, whatever waits in the queue, and takes no place there. */
  readonly unqueued?: boolean
  /** Its place among the downloads of the queue, lowest first; no two share one. Absent: behind all others. */
  readonly queueOrder?: number
  /** It finished in an earlier run: trackers are not told so again. Absent = false. */
  readonly finishedBefore?: boolean
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
  /** A server that files are fetched from (BEP 19); absent = a peer. */
  readonly webSeed?: boolean
  readonly incoming: boolean
  readonly utp: boolean
  /** What follows an encrypted handshake; null: there was none. */
  readonly encryption: 'rc4' | 'plaintext' | null
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

/** The state of a web seed; `off` = not asked any more, or for a long time. */
export type WebSeedState = 'idle' | 'active' | 'waiting' | 'off'

/** A web seed (BEP 19) as it is shown. */
export interface WebSeedRow {
  readonly url: string
  readonly state: WebSeedState
  /** Bytes/s, and bytes since the torrent woke. */
  readonly downRate: number
  readonly downTotal: number
  readonly requests: number
  /** 0 to 1: how much of the torrent it has, as far as it is known. */
  readonly completed: number
  /** The last failure, '' when the last run went well. */
  readonly error: string
  /** Until it is asked again when it waits; null = now, or never. */
  readonly retryInMs: number | null
}

/** The state of a torrent at one moment; cheap to make. Rates in bytes/s, sizes in bytes. */
export interface TorrentSnapshot {
  readonly infoHash: InfoHash
  readonly name: string
  readonly status: TorrentStatus
  /**
   * Progress of the current status, 0 to 1 (of the selected files while downloading; of the hash check while checking).
   */
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

/**
 * What may keep a torrent from moving, as far as only the engine knows. Made for one answer: costs a walk over peers.
 */
export interface TorrentObstacles {
  /** BEP 27; null before the metadata is known. */
  readonly private: boolean | null
  /** Its last failure was a full disk: it goes on by itself when there is space. */
  readonly waitsForSpace: boolean
  /** Files that another program changed: being checked, or not whole again. Paths with `/`, a few of them. */
  readonly changedFiles: readonly { readonly name: string; readonly change: FileChange }[]
  /** A read or write failed and is tried again in a while. */
  readonly diskRetries: boolean
  /** It stopped because a file that is not its own lies in its place. */
  readonly foreignFile: boolean
  /** Addresses of peers it knows, and how many of them it is connecting to. */
  readonly addresses: number
  readonly dialing: number
  /** Every address it knows is banned or filtered; and all of them are in the IP filter. */
  readonly allBlocked: boolean
  readonly allFiltered: boolean
  /**
   * Attempts end for the setting of encryption alone: `require` meets those that know none, `off` those that insist.
   */
  readonly encryption: 'require' | 'off' | null
  readonly networkTrouble: NetworkTrouble | null
  /** The session has as many connections as it may. */
  readonly connectionsFull: boolean
  /** A rate limit (of the torrent, or of the session) holds back what could be asked for, or sent, now. */
  readonly downLimited: boolean
  readonly upLimited: boolean
  /** Nothing has come or gone for a while, and it has not just begun: what keeps it still is no passing moment. */
  readonly quiet: boolean
  /** It asks for nothing, so that a film that is played does not run short. */
  readonly makesWay: boolean
  /** Selected pieces that are not there, and those of them that no connected peer has. */
  readonly piecesLeft: number
  readonly piecesNobodyHas: number
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

/** Bytes of a file from `start` up to `end`, which is not in it. */
export interface FileSpan {
  readonly start: number
  readonly end: number
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
  /** What is not verified between two places of the file; asks nobody for it. */
  gaps(start: number, end: number): readonly FileSpan[]
  /** Tells what is known of the film: the window follows its rate, and its index is fetched instead of both ends. */
  setFilm(film: FilmFacts): void
  /** Reads up to `length` verified bytes at `position` into the start of a range slot; the number read. */
  read(position: number, length: number, slot: import('../ports/arena.ts').Slot): Promise<number>
  /** The volume of its file; absent where there is nothing that could stop to answer. */
  readonly volume?: import('../ports/volumes.ts').StoreVolume | undefined
  close(): void
}

/** Where a film is played from: a byte of its file, or a second. */
export type PlayFrom = { readonly byte: number } | { readonly second: number }

/** What the engine reports; calls are synchronous and must not throw. */
export interface TorrentEvents {
  /**
   * The metadata of a magnet was fetched and checked. Settles before pieces are asked for: it must be durable first.
   */
  metadata(infoHash: InfoHash, metainfo: Metainfo): Promise<void>
  /** The piece layers of a torrent that began without them are known now (BEP 52): `metainfo` has them. */
  layersKnown?(infoHash: InfoHash, metainfo: Metainfo): void
  /** Every selected piece is verified (once per completion, not at start-up of a complete torrent). */
  finished(infoHash: InfoHash, name: string): void
  /** Another program changed a file (path in the torrent, with `/`) whose bytes are had: it is hashed again. */
  fileChanged?(infoHash: InfoHash, file: string, change: FileChange): void
  /** Such a file was hashed: so many of its pieces are fetched again. */
  fileChecked?(infoHash: InfoHash, file: string, lostPieces: number): void
  /** Status became `error`. */
  failed(infoHash: InfoHash, error: string): void
  statusChanged(infoHash: InfoHash, status: TorrentStatus): void
  /**
   * Another download has, or may have, files in the places of this one's: asked before any byte of a torrent that
   * forgets is given back, so it is answered from memory. Absent: nobody knows, and nothing is given back.
   */
  sharesFiles?(infoHash: InfoHash): boolean
  /** A file at `path` turned out not to be the torrent's: it has the name `kept` now, in the same folder. */
  fileSetAside?(infoHash: InfoHash, path: string, kept: string): void
}

/**
 * One torrent as services/ use it, awake or not. What only an awake torrent can do is AwakeTorrent.
 */
export interface TorrentHandle {
  readonly infoHash: InfoHash
  /** True while it is suspended: its snapshot then changes only with `revision`. */
  readonly suspended: boolean
  /** Grows when it wakes, and with every change of what trackers() and the swarm counts of snapshot() show. */
  readonly revision: number
  /** BEP 27; null while the metadata is not known. */
  readonly private: boolean | null
  /** It announces itself: runs, or seeds while suspended. */
  readonly announced: boolean
  snapshot(): TorrentSnapshot
  peers(): PeerSnapshot[]
  trackers(): TrackerRow[]
  /** One row a web seed, in their order. */
  webSeeds(): WebSeedRow[]
  announceTiers(): string[][]
  /** One bit a piece, most significant first; empty before metadata. */
  haveBits(): Uint8Array
  readonly openReaders: number
  /** Bytes/s of payload that come in. As snapshot() has it, without the rest. */
  readonly downRate: number
  /**
   * The metainfo, null before it is known; loaded for this call when it is suspended. Rejects with what the records
   * said.
   */
  loadMetainfo(): Promise<Metainfo | null>
  /**
   * As files(), loaded for this call when it is suspended; each is made when it is taken, so that many can be taken in
   * turns.
   */
  loadFiles(): Promise<Iterable<FileSnapshot>>
  /** What the user asks for from now on, also after a suspension. */
  setControls(controls: TorrentControls): void
  obstacles(): TorrentObstacles
  /** How many go before it in the queue, where those are few; null: it does not wait, or many do. Costs nothing. */
  readonly queueAhead: number | null
  /** Its place among the downloads of the queue from now on; as TorrentSpec.queueOrder. */
  setQueueOrder(order: number): void
  /** Takes trackers away, which hear `stopped`; those that were there. */
  removeTrackers(urls: readonly string[]): string[]
  /**
   * These are its trackers from now on, tier by tier in this order (BEP 12); those that are no more there hear
   * `stopped`. Whether a private torrent may have them is the caller's to judge.
   */
  setTrackers(tiers: readonly (readonly string[])[]): void
  /**
   * Announces now, whatever the interval; `urls` null = to all. How many are asked: those asked just before are not.
   */
  forceAnnounce(urls: readonly string[] | null): number
  /**
   * Brings its files to another folder while it goes on: reads and writes wait, other torrents do not. Settles when
   * that place is in use; the old one is left as it is. Rejects with what the disk or the commit said, Aborted by the
   * signal, or StateConflict where other files are: then nothing has changed. One at a time.
   */
  moveStorage(move: StorageMove): Promise<void>
  /** The torrent while it is awake, null while it is suspended. To ask is a use: see AwakeTorrent. */
  readonly awake: AwakeTorrent | null
  /** Wakes it. Rejects with what the records said, or AppError Aborted when it is gone. */
  wake(): Promise<AwakeTorrent>
}

/**
 * What comes of calling a peer: `known` is connected or being called already, or is this node; `refused` is banned, in
 * a list, or of no tracker of a private torrent; `full`: as many addresses are known as may be.
 */
export type PeerCall = 'called' | 'known' | 'refused' | 'full'

/**
 * A torrent that is awake. Whoever gets it, and each use of it, keeps it so for the next 5 seconds at least (20 where
 * few torrents are awake); what is under way (readers, peers, a check, a move, a promise of a member that has not
 * settled) for as long as that lasts. So it is got where it is used and not kept: who waits for something of its own
 * in between asks the handle again. One that was kept until its torrent was suspended throws, rather than touch files
 * that another AwakeTorrent may have by then.
 */
export interface AwakeTorrent {
  readonly infoHash: InfoHash
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
  /**
   * Hashes what is there in the background, slowly, and goes on as it was; what does not fit is a changed file. False:
   * it could not be brought to its end. Rejects with what the disk said.
   */
  scrub(signal: AbortSignal): Promise<boolean>
  /** Throws AppError InvalidParameter when an index is out of range (nothing is changed). */
  select(files: readonly number[] | null): void
  /**
   * The files that it made are the user's from now on: nothing of them goes when it forgets, or with it (decision
   * 0546). Rejects with what the journal said.
   */
  keepMade(): Promise<void>
  /** Adds trackers; those that were new. None for private torrents. */
  addTrackers(tiers: readonly (readonly string[])[]): string[]
  /** `origin`: who named them, null = the user. None for private torrents. */
  addPeers(peers: readonly PeerAddress[], origin?: 'lsd' | null): void
  /** Calls a peer that the user named, once it runs. None is called for private torrents. */
  callPeer(peer: PeerAddress): PeerCall
  /**
   * Opens a reader. Throws AppError MetadataNotFound, FileNotFound. A stopped torrent runs for readers that miss
   * pieces. `background`: it reads for the node itself, behind what players need.
   */
  openReader(fileIndex: number, options?: { readonly background?: boolean }): FileReader
  /**
   * Reads verified bytes of a file into the start of `into` without a reader, never waiting: how many, 0 when they are
   * not at hand (PieceStore.readNow) or there is no such file.
   */
  readNow(fileIndex: number, position: number, length: number, into: Uint8Array): number
  /**
   * From when on a film plays without a stall; null where `film` has no rate. `othersRate`: bytes/s of all other
   * downloads. The rate is watched from the first call, or the first reader, on, up to a minute after the last.
   * AppErrors MetadataNotFound, FileNotFound.
   */
  forecast(fileIndex: number, from: PlayFrom, film: FilmFacts, othersRate: number): Forecast | null
  /** Deletes the files that a move left in `folder`, as far as they are here too; `files`: with the names there. */
  leaveFolder(folder: string, files?: readonly TorrentFile[]): Promise<void>
  /** Settles with the metainfo when it is known; rejects with Aborted when the signal fires or the torrent goes. */
  whenMetadata(signal: AbortSignal): Promise<Metainfo>
}
