// What of an earlier run's progress can be trusted, seen from what the file system says now. Pure.
// A file is suspicious when it is missing, too short, or was changed by another program; then only its pieces are
// hashed.

import { pieceBytes, piecesOfRange, type TorrentLengths } from '../../base/lengths.ts'
import type { FileFacts } from '../../ports/piece-store.ts'
import type { ResumeData } from '../../ports/progress-journal.ts'
import type { TorrentFile } from '../../wire/metainfo/torrent-types.ts'
import {
  emptyPieceSet,
  forEachPiece,
  type PieceSet,
  pieceSetFromBytes,
  setRange,
  takeOut,
} from '../../base/piece-set.ts'

/**
 * Our own writes may be this much younger than the newest journalled piece or checkpoint: one comes every 30 s, and a
 * flush takes time.
 */
export const OWN_WRITES_MS = 90_000

/** File times nearer than this are the same: a record may have lost the fraction. */
const SAME_TIME_MS = 1

/** Padding is hashed like all else, and a torrent may say that it has any length of it: so much at a start, bytes. */
const MAX_PADDING_BYTES = 1024 ** 3

/** Where a torrent starts from. */
export interface ResumePlan {
  /** Pieces that are there, no question. */
  readonly have: PieceSet
  /** Pieces that must be hashed before anything else. */
  readonly check: PieceSet
}

/**
 * A torrent without a known state: every piece that touches a file with bytes in it is hashed, and those of nothing but
 * padding, which are there without a file.
 */
export function planWithoutResume(
  lengths: TorrentLengths,
  files: readonly TorrentFile[],
  facts: readonly FileFacts[],
): ResumePlan {
  const check = emptyPieceSet(lengths.pieceCount)
  for (const file of files) {
    const fact = facts[file.index]
    if (file.padding || file.length === 0 || fact === undefined || !fact.exists || fact.sizeBytes === 0) continue
    markFile(check, lengths, file)
  }
  markPadding(check, lengths, files)
  return { have: emptyPieceSet(lengths.pieceCount), check }
}

/** A torrent with progress of an earlier run: trusted but for suspect pieces and suspicious files. */
export function planFromResume(
  lengths: TorrentLengths,
  files: readonly TorrentFile[],
  facts: readonly FileFacts[],
  resume: ResumeData,
): ResumePlan {
  const have = pieceSetFromBytes(resume.have, lengths.pieceCount)
  // Progress of another shape than this torrent says nothing.
  if (have === null) return planWithoutResume(lengths, files, facts)
  const check = emptyPieceSet(lengths.pieceCount)
  for (const piece of resume.suspect) if (piece >= 0 && piece < lengths.pieceCount) check.set(piece, true)
  for (const file of files) {
    if (file.padding || file.length === 0) continue
    if (isSuspicious(lengths, file, facts[file.index], resume, have)) markFile(check, lengths, file)
  }
  takeOut(have, check)
  const padding = emptyPieceSet(lengths.pieceCount)
  markPadding(padding, lengths, files)
  takeOut(padding, have)
  forEachPiece(padding, piece => check.set(piece, true))
  return { have, check }
}

/** Files that another program changed since they were left; none where the progress is of another shape. */
export function changedByOthers(
  lengths: TorrentLengths,
  files: readonly TorrentFile[],
  facts: readonly FileFacts[],
  resume: ResumeData,
): number[] {
  const have = pieceSetFromBytes(resume.have, lengths.pieceCount)
  if (have === null) return []
  return files
    .filter(file => !file.padding && file.length > 0)
    .filter(file => isSuspicious(lengths, file, facts[file.index], resume, have))
    .map(({ index }) => index)
}

function isSuspicious(
  lengths: TorrentLengths,
  file: TorrentFile,
  now: FileFacts | undefined,
  resume: ResumeData,
  have: PieceSet,
): boolean {
  const then = resume.files[file.index]
  const existed = then?.exists === true
  if (now === undefined || !now.exists) return existed || lastByteHad(lengths, file, have) > 0
  if (existed && now.sizeBytes === then.sizeBytes && Math.abs(now.mtimeMs - then.mtimeMs) < SAME_TIME_MS) return false
  if (now.sizeBytes > file.length || now.sizeBytes < lastByteHad(lengths, file, have)) return true
  if (existed && (now.sizeBytes < then.sizeBytes || now.mtimeMs < then.mtimeMs)) return true
  return resume.newestMs === 0 || now.mtimeMs > resume.newestMs + OWN_WRITES_MS
}

/** How long the file must be at least to hold the pieces we have of it, bytes. */
export function lastByteHad(lengths: TorrentLengths, file: TorrentFile, have: PieceSet): number {
  const [first, last] = piecesOfRange(lengths, file.offset, file.length)
  for (let piece = last; piece >= first; piece -= 1) {
    if (!have.get(piece)) continue
    const end = piece * lengths.pieceLength + pieceBytes(lengths, piece)
    return Math.min(file.length, end - file.offset)
  }
  return 0
}

function markFile(set: PieceSet, lengths: TorrentLengths, file: TorrentFile): void {
  const [first, last] = piecesOfRange(lengths, file.offset, file.length)
  setRange(set, first, last, true)
}

/** The pieces that hold nothing but padding (BEP 47), as far as they are hashed at a start. */
function markPadding(set: PieceSet, lengths: TorrentLengths, files: readonly TorrentFile[]): void {
  const { pieceLength, pieceCount, totalLength } = lengths
  let left = Math.floor(MAX_PADDING_BYTES / pieceLength)
  /** Where the padding begins that goes on up to the file at hand; null: there is none. */
  let from: number | null = null
  const close = (end: number): void => {
    if (from === null) return
    const first = Math.ceil(from / pieceLength)
    const last = Math.min(end === totalLength ? pieceCount : Math.floor(end / pieceLength), first + left) - 1
    from = null
    if (last < first) return
    setRange(set, first, last, true)
    left -= last - first + 1
  }
  for (const { padding, offset, length } of files) {
    if (length === 0) continue
    if (!padding) close(offset)
    else from ??= offset
  }
  close(totalLength)
}
