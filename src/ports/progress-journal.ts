// Durable progress: what keeps a verified piece verified through kill -9 and power cuts.

import type { InfoHash } from '../base/ids.ts'
import type { FileFacts, FileMark } from './piece-store.ts'

/** What a torrent resumes from. */
export interface ResumeData {
  /** One bit a piece, most significant first: pieces that may be trusted. */
  readonly have: Uint8Array
  /** Pieces that were verified but not known to have reached the disk before another boot: hash them again. */
  readonly suspect: readonly number[]
  /** Facts of the files as they were at the last checkpoint; [] when never taken. */
  readonly files: readonly FileFacts[]
  /**
   * Milliseconds since 1970 of the newest journalled piece, or after a kill at work of the newest checkpoint; 0 when
   * none. A file may be this new without suspicion.
   */
  readonly newestMs: number
}

/** Files of a torrent whose indexes follow each other, both ends included. */
export type FileRun = readonly [first: number, last: number]

/** A file by its index, and which one it was when it was made. */
export type MadeFile = readonly [index: number, mark: FileMark]

/** Every file, however many there are. */
export const ALL_FILES: FileRun = [0, 0x7fff_ffff]

/** Indexes, in any order, as runs. */
export function fileRuns(indexes: readonly number[]): FileRun[] {
  const runs: [number, number][] = []
  for (const index of indexes.toSorted((a, b) => a - b)) {
    const last = runs.at(-1)
    if (last !== undefined && index <= last[1] + 1) last[1] = index
    else runs.push([index, index])
  }
  return runs
}

/** Durable progress of all torrents. */
export interface ProgressJournal {
  /**
   * Resolves when the fact "this piece is verified and written" survives kill -9. Batched inside; `awaited`: a reader
   * waits for this piece, so it does not wait for a batch to fill.
   */
  pieceVerified(infoHash: InfoHash, piece: number, awaited: boolean): Promise<void>
  /**
   * The pieces are not there any more: nothing that was said of them before counts, neither the journal nor the last
   * checkpoint. Resolves when that survives a power cut: only then may their bytes go.
   */
  piecesDropped(infoHash: InfoHash, pieces: readonly number[]): Promise<void>
  /** After PieceStore.sync(): all of `have` has reached the disk; drops the journal rows it covers. */
  checkpoint(infoHash: InfoHash, have: Uint8Array, files: readonly FileFacts[]): Promise<void>
  /**
   * The files are not to be trusted: until the next checkpoint their facts are those that no file fits, and they are
   * not of the torrent's making any more. What is had stays. Resolves when that survives a power cut.
   */
  doubt(infoHash: InfoHash, files: readonly number[]): Promise<void>
  /**
   * Forgets progress (a full check begins). Resolves when that survives kill -9. Until the next checkpoint every piece
   * that was not journalled meanwhile counts as suspect, so that an interrupted check goes on where it was.
   */
  reset(infoHash: InfoHash): Promise<void>
  /** The files that are the torrent's own: made by it, or taken when they were looked at. In any order, may overlap. */
  ownFiles(infoHash: InfoHash): Promise<readonly FileRun[]>
  /** More of them. Resolves when that survives a power cut too. Nothing for an unknown torrent. */
  noteOwnFiles(infoHash: InfoHash, runs: readonly FileRun[]): Promise<void>
  /** Of those the files that the torrent itself made, where there was none. */
  madeFiles(infoHash: InfoHash): Promise<readonly MadeFile[]>
  /** As noteOwnFiles(), of a file that it made just now. */
  noteMadeFile(infoHash: InfoHash, file: number, mark: FileMark): Promise<void>
  /** What it made until now is the user's: madeFiles() names none of it any more. Resolves as noteOwnFiles(). */
  keepMadeFiles(infoHash: InfoHash): Promise<void>
}
