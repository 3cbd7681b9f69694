// Where a torrent's verified bytes live. The engine hands over blocks in shared memory and never sees files.

import { AppError } from '../base/errors.ts'
import type { PieceRun } from '../base/piece-run.ts'
import type { TorrentFile, V2Content } from '../wire/metainfo/torrent-types.ts'
import type { Arena, Slot } from './arena.ts'
import type { StoreVolume } from './volumes.ts'

/**
 * What was found out about a file that is there and not the torrent's own: `fits` = some of its pieces are right;
 * `replace` = it may be written over; `foreign` = it may not; else it cannot be known, only that the bytes from `from`
 * to `to` are zeros.
 */
export type FoundFile = 'fits' | 'replace' | 'foreign' | { readonly from: number; readonly to: number }

/**
 * Which file it is, over restarts and by whatever path: another one in its place, or a copy, has another. '' is none.
 */
export type FileMark = string

/** Whose files are in a torrent's places. */
export interface FileClaims {
  /** Settles when isOwn() can be asked. */
  known(): Promise<void>
  /** The torrent made the file, or took it. */
  isOwn(index: number): boolean
  /** Null: it was not there, or not looked at. */
  found(index: number): FoundFile | null
  /** Makes it durable that the files are the torrent's own; `made`: there was none, and it was made just now. */
  note(indexes: readonly number[], made?: FileMark): Promise<void>
  /** The file that the torrent itself made in that place; null: none, what is there is not known to be its making. */
  madeMark(index: number): FileMark | null
  /** What lay at `path` has the name `kept` now, in the same folder. */
  setAside(path: string, kept: string): void
}

/** What a store must know of a torrent. */
export interface StoreLayout {
  /** Unique among open stores: the info hash. */
  readonly key: string
  /** Absolute path of the destination folder. */
  readonly destination: string
  readonly files: readonly TorrentFile[]
  readonly totalLength: number
  readonly pieceLength: number
  readonly pieceCount: number
  /** SHA-1, 20 bytes a piece; empty when there are none. */
  readonly pieceHashes: Uint8Array
  /** Null: v1 only. A piece is right when every hash that is known of it says so; one without any never is. */
  readonly v2: V2Content | null
  /** Absent: every file that is there is the torrent's own. */
  readonly claims?: FileClaims
}

/** A received block: `length` bytes at the start of `slot`, belonging at `begin` of its piece. */
export interface ReceivedBlock {
  readonly begin: number
  readonly length: number
  readonly slot: Slot
}

/** What the file system says of one file now. */
export interface FileFacts {
  readonly index: number
  readonly exists: boolean
  readonly sizeBytes: number
  readonly mtimeMs: number
}

/** A choice among the files that are there, by index and length; `mark`: which file it is. */
export type FileChoice = (index: number, sizeBytes: number, mark: FileMark) => boolean

/** What became of bytes that were to be given back. */
export interface Punched {
  /** Pieces of which bytes went, the others have all of theirs; in the order asked for. */
  readonly gone: readonly PieceRun[]
  /** Files that keep theirs: not of the torrent's making, with other names, or not there as they were left. */
  readonly kept: readonly number[]
  /** Why no more were given back; null: all that may be were. `later`: the disk has no room for it now. */
  readonly ended: 'unable' | 'later' | 'told' | null
}

/** What became of a file that is not as it was left: another lies at its path, or it has another time or length. */
export type FileChange = 'replaced' | 'changed' | 'cut' | 'grown'

/** Another program changed a file: no byte of it is read until a call of accept(). */
export class FileChanged extends AppError {
  /** Its index in the torrent. */
  readonly file: number
  readonly change: FileChange

  constructor(file: number, change: FileChange, path: string) {
    super('FileChanged', `A file of the download was ${HOW[change]} by somebody else: ${path}. It is checked again.`)
    this.file = file
    this.change = change
  }
}

const HOW: Record<FileChange, string> = {
  replaced: 'replaced',
  changed: 'changed',
  cut: 'made shorter',
  grown: 'made longer',
}

/** No file is that long. */
export const UNFIT_BYTES = Number.MAX_SAFE_INTEGER

/** Facts that no file fits: a start that finds them in the records hashes the file. */
export function unfitFacts(index: number): FileFacts {
  return { index, exists: true, sizeBytes: UNFIT_BYTES, mtimeMs: 0 }
}

/** A change of place. */
export interface StorageMove {
  /** Absolute path of the new destination folder; it exists. */
  readonly destination: string
  /** The same files under the names they get; absent = they keep theirs. */
  readonly files?: readonly TorrentFile[]
  /** A path below the destination where nothing may be yet, unless an earlier run was cut off; absent = none. */
  readonly fresh?: readonly string[]
  /** Makes the new place the one that counts; called once, when everything is there and durable. */
  commit(): Promise<void>
  /** An earlier run of this move was cut off: what it left there is its own. */
  readonly resumed: boolean
  /** Gives the move up, unless it is committed. */
  readonly signal: AbortSignal
}

/**
 * Result of checking a piece against its hash: `missing` = some of its bytes are not on disk; `zeros` = it is not
 * right, and holds nothing but zeros.
 */
export type PieceVerdict = 'ok' | 'bad-hash' | 'zeros' | 'missing'

/**
 * One torrent's store. Every method may reject with AppError DiskFull, DiskError, FileMissing, UnsafePath, PoolBusy or
 * WorkerLost; what reads for others or writes also with FileChanged, what writes with ForeignFile for a
 * file that came there after the look. Slots stay the caller's; they may be released when the promise settles.
 */
export interface PieceStore {
  /** The volume of its files; absent where there is nothing that could stop to answer. */
  readonly volume?: StoreVolume
  /**
   * Makes folders and the zero-byte files, sparse. Nothing is opened through a link. Idempotent. Rejects with AppError
   * Aborted soon after `signal` fires; what was made until then stays.
   */
  prepare(signal?: AbortSignal): Promise<void>
  /**
   * Size and time of every file (padding files too: exists false). Rejects with AppError Aborted soon after `signal`
   * fires.
   */
  facts(signal?: AbortSignal): Promise<FileFacts[]>
  /** facts() for the records: a file that is not as it was left has unfitFacts(). */
  keptFacts(signal?: AbortSignal): Promise<FileFacts[]>
  /**
   * From now on files are to look like `facts`, those of an earlier time; [] = as they are found first. A time of up to
   * `ownUntilMs` (since 1970) is no change: what was written after the facts were taken.
   */
  expect(facts: readonly FileFacts[], ownUntilMs: number): void
  /** From now on the file is to look as it is found next, however it was changed before. */
  accept(file: number): void
  /** Those of the files that are there under one name only; absent where files have no other names. */
  unshared?(indexes: readonly number[]): Promise<number[]>
  /**
   * Makes and opens the files of a piece that are not there yet, so that its commit finds them; files that are there
   * stay as they are. For a piece that somebody waits for, after prepare(). Null when there is nothing to be done.
   */
  makeReady?(piece: number): Promise<void> | null
  /**
   * Hashes a whole piece from its blocks and, when the hash is right, writes it. Blocks in any order, none missing.
   * `patient`: nobody waits for it, so that it may wait a moment for other pieces and be hashed with them; default:
   * not.
   */
  commit(piece: number, blocks: readonly ReceivedBlock[], patient?: boolean): Promise<'ok' | 'bad-hash'>
  /** Writes blocks of a piece unverified (for pieces too big to keep, or when the arena runs short). */
  writeBlocks(piece: number, blocks: readonly ReceivedBlock[]): Promise<void>
  /** Hashes a piece from disk: recheck, or after writeBlocks. Covers every write posted before it. */
  verify(piece: number): Promise<PieceVerdict>
  /** verify() of `count` neighbouring pieces in one go: a verdict for each. */
  check(first: number, count: number): Promise<readonly PieceVerdict[]>
  /**
   * The leaf hashes (BEP 52, 32 bytes each) of what is on disk of a piece, unverified; null when it is not there whole,
   * or the torrent has no v2 part.
   */
  leaves(piece: number): Promise<Uint8Array | null>
  /** Reads up to `length` bytes at `offset` of the torrent into the start of `slot` of `arena`; the number read. */
  read(offset: number, length: number, arena: Arena, slot: Slot): Promise<number>
  /**
   * Reads bytes at `offset` of the torrent into the start of `into` without waiting for anything: up to `length`, as
   * many as are at hand in one file, 0 when read() has to be asked. Absent where there is no such way. `into`: memory
   * of its own (not pooled), best the same at every call.
   */
  readNow?(offset: number, length: number, into: Uint8Array): number
  /** The same into several parts one after the other, all of one buffer that is shared memory. */
  readPartsNow?(offset: number, parts: readonly Uint8Array[]): number
  /**
   * Gives the room that the runs of pieces take on the disk back to it; files stay as long as they are, and read as
   * zeros there. After all work posted before, and before all posted later. Of files that are not of the torrent's own
   * making, or have other names by then, no byte changes. `may` is asked before every hole; false ends it. Absent where
   * bytes are never given back. Rejects when the disk fails: any of the bytes may be gone then.
   */
  punch?(runs: readonly PieceRun[], may: () => boolean): Promise<Punched>
  /** fdatasync of every file written since the last sync, and of the folders that name them. */
  sync(): Promise<void>
  /** Closes the files after all posted work. The store can be used again: files reopen on demand. */
  close(): Promise<void>
  /**
   * Brings all files to another folder: linked where both are one file system, else copied and flushed. Other work on
   * the torrent waits. Until the commit every file is in the old place, and there it stays: see leave(). Also rejects
   * with what the commit said, Aborted (the signal) or StateConflict (another file is in the way): then nothing has
   * changed.
   */
  move(move: StorageMove): Promise<void>
  /**
   * Deletes what a move left in `folder`: files that are in the present place too, and folders that become empty.
   * `files`: under the names they had there; absent = they have them still.
   */
  leave(folder: string, files?: readonly TorrentFile[]): Promise<void>
  /**
   * Closes, then deletes the torrent's files and the folders that become empty; files not of this torrent stay, and
   * those that `keeps` takes.
   */
  remove(keeps?: FileChoice): Promise<void>
}

/** Opens stores. */
export interface PieceStores {
  open(layout: StoreLayout): PieceStore
  /** As PieceStore.facts() of a torrent that is not opened: those of many torrents in one folder cost little. */
  look(layout: StoreLayout): Promise<FileFacts[]>
}
