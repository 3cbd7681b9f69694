// Which pieces of a torrent that forgets may go, and which files have bytes in them. Reads the state of a torrent and
// changes nothing. Costs: a pass over the bits of all pieces, and what is asked of each piece that is taken.

import { pieceBytes, piecesOfRange } from '../../base/lengths.ts'
import type { PieceRun } from '../../base/piece-run.ts'
import {
  copyPieceSet,
  emptyPieceSet,
  firstMissing,
  type PieceSet,
  piecesOf as listOf,
  setRange,
  takeOut,
} from '../../base/piece-set.ts'
import type { OpenReaders } from '../streams/open-readers.ts'
import type { TorrentContent } from './torrent-core.ts'

/** Pieces of one step: the records forget them in one transaction, which others wait for. */
const MAX_PIECES = 4096
/** Holes of one step: reads of the torrent wait for all of them. */
const MAX_HOLES = 256
/** Files of one step: each is looked at on the disk. */
const MAX_FILES = 1024
/** Pieces that one step of a sweep looks at. */
const MAX_SWEPT = 65_536

/**
 * What is there, nobody reads or will read soon, nothing is being found out about, and no file of `kept` has bytes in.
 */
export function mayGo({ picker, doubted, lengths }: TorrentContent, readers: OpenReaders, kept: PieceSet): PieceSet {
  const free = copyPieceSet(picker.have)
  takeOut(free, kept)
  if (doubted !== null) takeOut(free, doubted)
  const most = lengths.pieceCount - 1
  // Windows, with the zones of the index in which readers find their way.
  for (const { first, last } of readers.windows?.ranges() ?? []) setRange(free, first, Math.min(most, last), false)
  for (const { first, count } of readers.places()) setRange(free, first, Math.min(most, first + count - 1), false)
  return free
}

/** Of the pieces in `order` the first that are `bytes` together, as many as one step may take. */
export function firstOf(content: TorrentContent, order: Iterable<number>, bytes: number): number[] {
  const taken = new Step(content)
  let left = bytes
  for (const piece of order) {
    if (left <= 0 || !taken.add(piece)) break
    left -= pieceBytes(content.lengths, piece)
  }
  return taken.pieces
}

/**
 * Pieces from `from` on that are neither had nor begun, as many as one step may take, and where the next step goes on;
 * null: all were looked at.
 */
export function emptyFrom(content: TorrentContent, from: number): { pieces: number[]; next: number | null } {
  const { picker, lengths } = content
  const taken = new Step(content)
  const end = Math.min(lengths.pieceCount, from + MAX_SWEPT)
  for (let piece = from; ; piece += 1) {
    piece = firstMissing(picker.have, piece, end - 1)
    if (piece >= end) return { pieces: taken.pieces, next: end < lengths.pieceCount ? end : null }
    if (isEmpty(content, piece) && !taken.add(piece)) return { pieces: taken.pieces, next: piece }
  }
}

/** It is not had, and nothing of it has come. */
export function isEmpty({ picker }: TorrentContent, piece: number): boolean {
  return !picker.have.get(piece) && !picker.isOpen(piece)
}

/** Pieces are taken until they are enough for one step. */
class Step {
  readonly pieces: number[] = []
  readonly #content: TorrentContent
  #holes = 0
  #files = 0
  #last = -2

  constructor(content: TorrentContent) {
    this.#content = content
  }

  /** False: it is not taken, the step is full. One piece is always taken. */
  add(piece: number): boolean {
    const isNext = piece === this.#last + 1
    const [low, high] = filesAt(this.#content, piece)
    const isFull =
      this.pieces.length >= MAX_PIECES || (!isNext && this.#holes >= MAX_HOLES) || this.#files + high - low > MAX_FILES
    if (isFull && this.pieces.length > 0) return false
    this.pieces.push(piece)
    // Neighbours share a file, as a rule one.
    this.#files += isNext ? high - low - 1 : high - low
    if (!isNext) this.#holes += 1
    this.#last = piece
    return true
  }
}

/** The files, padding left out, that have bytes in the pieces. */
export function filesOf(content: TorrentContent, pieces: Iterable<number>): Set<number> {
  const found = new Set<number>()
  for (const piece of pieces) {
    const [low, high] = filesAt(content, piece)
    for (let at = low; at < high; at += 1) {
      const file = content.metainfo.files[at]
      if (file !== undefined && !file.padding && file.length > 0) found.add(file.index)
    }
  }
  return found
}

/** Which of the torrent's files, in its order, lie in the piece: from the first on, up to the second. */
function filesAt({ metainfo: { files }, lengths }: TorrentContent, piece: number): [number, number] {
  const begin = piece * lengths.pieceLength
  const first = firstWhere(files.length, at => {
    const { offset = 0, length = 0 } = files[at] ?? {}
    return offset + length > begin
  })
  const end = begin + lengths.pieceLength
  return [
    first,
    Math.max(
      first,
      firstWhere(files.length, at => (files[at]?.offset ?? end) >= end),
    ),
  ]
}

/** The lowest of `count` numbers for which it is so: it is for all above. */
function firstWhere(count: number, isSo: (at: number) => boolean): number {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >> 1
    if (isSo(middle)) high = middle
    else low = middle + 1
  }
  return low
}

/** Adds the pieces in which the file has bytes. */
export function addFile(set: PieceSet, { metainfo, lengths }: TorrentContent, index: number): void {
  const file = metainfo.files[index]
  if (file === undefined || file.length === 0) return
  const [first, last] = piecesOfRange(lengths, file.offset, file.length)
  setRange(set, first, last, true)
}

/** The pieces of all the runs, each once. */
export function piecesOf(content: TorrentContent, runs: readonly PieceRun[]): PieceSet {
  const set = emptyPieceSet(content.lengths.pieceCount)
  for (const { first, count } of runs) setRange(set, first, first + count - 1, true)
  return set
}

/** Neighbours of `pieces` together. */
export function runsOf(pieces: readonly number[]): PieceRun[] {
  const runs: { first: number; count: number }[] = []
  for (const piece of pieces.toSorted((a, b) => a - b)) {
    const last = runs.at(-1)
    if (last !== undefined && piece === last.first + last.count) last.count += 1
    else runs.push({ first: piece, count: 1 })
  }
  return runs
}

/** Bytes of all pieces that are had. */
export function bytesHad({ lengths, picker }: TorrentContent): number {
  const last = lengths.pieceCount - 1
  const short = picker.have.get(last) ? lengths.pieceLength - pieceBytes(lengths, last) : 0
  return picker.haveCount * lengths.pieceLength - short
}

/** Bytes of the pieces of a set. */
export function bytesOf({ lengths }: TorrentContent, pieces: PieceSet): number {
  let bytes = 0
  for (const piece of listOf(pieces)) bytes += pieceBytes(lengths, piece)
  return bytes
}
