// Sets of pieces: the `bitfield` package holds the bits (its memory is the wire form of BEP 3: most significant bit
// first), the set operations it lacks are here and work on its bytes. Invariant: spare bits behind the last piece are
// 0.

import BitField from 'bitfield'

/**
 * A set of piece indexes; `buffer` is the wire bitfield. Its `length` is rounded up to 8: ask the torrent for the
 * count.
 */
export type PieceSet = BitField

/** An empty set for `pieceCount` pieces. */
export function emptyPieceSet(pieceCount: number): PieceSet {
  return new BitField(new Uint8Array(Math.ceil(pieceCount / 8)))
}

/** The set of all `pieceCount` pieces. */
export function fullPieceSet(pieceCount: number): PieceSet {
  const set = emptyPieceSet(pieceCount)
  setRange(set, 0, pieceCount - 1, true)
  return set
}

/**
 * Reads a wire bitfield into memory of its own; null when the length is wrong or a spare bit is set (BEP 3: drop the
 * peer).
 */
export function pieceSetFromBytes(bytes: Uint8Array, pieceCount: number): PieceSet | null {
  if (bytes.length !== Math.ceil(pieceCount / 8)) return null
  const spare = bytes.length * 8 - pieceCount
  if (spare > 0 && ((bytes[bytes.length - 1] ?? 0) & ((1 << spare) - 1)) !== 0) return null
  return new BitField(Uint8Array.from(bytes))
}

/** A copy with memory of its own. */
export function copyPieceSet(set: PieceSet): PieceSet {
  return new BitField(Uint8Array.from(set.buffer))
}

/** Sets or clears the pieces from `first` to `last`, both included. Nothing happens when last < first. */
export function setRange(set: PieceSet, first: number, last: number, value: boolean): void {
  let piece = first
  for (; piece <= last && (piece & 7) !== 0; piece++) set.set(piece, value)
  const whole = Math.max(piece >> 3, (last + 1) >> 3)
  set.buffer.fill(value ? 0xff : 0, piece >> 3, whole)
  for (piece = Math.max(piece, whole * 8); piece <= last; piece++) set.set(piece, value)
}

/** True when both hold the same pieces of one torrent. */
export function samePieces(a: PieceSet, b: PieceSet): boolean {
  return Buffer.compare(a.buffer, b.buffer) === 0
}

/** Clears in `from` what is set in `taken`, of the same torrent. */
export function takeOut(from: PieceSet, taken: PieceSet): void {
  const [left, right] = [wordsOf(from.buffer), wordsOf(taken.buffer)]
  const words = Math.min(left.length, right.length)
  for (let i = 0; i < words; i++) left[i] = (left[i] as number) & ~(right[i] as number)
  for (let i = words * 4; i < from.buffer.length; i++) {
    from.buffer[i] = (from.buffer[i] ?? 0) & ~(taken.buffer[i] ?? 0)
  }
}

/**
 * The bytes four at a time, as far as that goes: a set of 800,000 pieces is gone through within a turn, before its
 * loops are compiled.
 */
function wordsOf(bytes: Uint8Array): Uint32Array {
  const { buffer, byteOffset, length } = bytes
  return byteOffset % 4 === 0 ? new Uint32Array(buffer, byteOffset, length >> 2) : new Uint32Array(0)
}

const POPCOUNT = Uint8Array.from({ length: 256 }, (_, byte) => {
  let count = 0
  for (let rest = byte; rest > 0; rest >>= 1) count += rest & 1
  return count
})

/** How many bits are set. */
export function countBits(buffer: Uint8Array): number {
  const words = wordsOf(buffer)
  let count = 0
  for (let i = 0; i < words.length; i++) count += bitsOfWord(words[i] as number)
  for (let i = words.length * 4; i < buffer.length; i++) count += POPCOUNT[buffer[i] ?? 0] ?? 0
  return count
}

/** Sums of neighbouring bits, of pairs, of fours, and of the four bytes. */
function bitsOfWord(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

/** How many bits are set in `a` and not in `b`; bits behind the end of `b` count as 0. */
export function countAndNot(a: Uint8Array, b: Uint8Array): number {
  let count = 0
  for (let i = 0; i < a.length; i++) count += POPCOUNT[(a[i] ?? 0) & ~(b[i] ?? 0) & 0xff] ?? 0
  return count
}

/** How many of the pieces from `first` to `last` (included) are not in the set. */
export function countMissing(set: PieceSet, first: number, last: number): number {
  let count = Math.max(0, last - first + 1)
  let piece = first
  for (; piece <= last && (piece & 7) !== 0; piece++) if (set.get(piece)) count--
  const whole = Math.max(piece >> 3, (last + 1) >> 3)
  count -= countBits(set.buffer.subarray(piece >> 3, whole))
  for (piece = Math.max(piece, whole * 8); piece <= last; piece++) if (set.get(piece)) count--
  return count
}

/** The first piece from `first` to `last` (included) that is not in the set; `last + 1` when there is none. */
export function firstMissing(set: PieceSet, first: number, last: number): number {
  let piece = first
  while (piece <= last) {
    if ((piece & 7) === 0 && piece + 7 <= last && set.buffer[piece >> 3] === 0xff) piece += 8
    else if (set.get(piece)) piece++
    else return piece
  }
  return last + 1
}

/** The first piece from `first` to `last` (included) that is in the set; `last + 1` when there is none. */
export function firstHad(set: PieceSet, first: number, last: number): number {
  let piece = first
  while (piece <= last) {
    if ((piece & 7) === 0 && piece + 7 <= last && set.buffer[piece >> 3] === 0) piece += 8
    else if (!set.get(piece)) piece++
    else return piece
  }
  return last + 1
}

/**
 * The pieces of the set in rising order. Its own loop: there may be 800,000, and a call for each takes a turn that is
 * felt.
 */
export function piecesOf(set: PieceSet): Uint32Array {
  const bytes = set.buffer
  const pieces = new Uint32Array(countBits(bytes))
  let count = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number
    for (let bit = 0; byte !== 0 && bit < 8; bit++) if ((byte & (0x80 >> bit)) !== 0) pieces[count++] = at * 8 + bit
  }
  return pieces
}

/** Calls `visit` for every piece of the set in rising order; empty bytes are skipped. */
export function forEachPiece(set: PieceSet, visit: (piece: number) => void): void {
  const bytes = set.buffer
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0
    if (byte === 0) continue
    for (let bit = 0; bit < 8; bit++) if ((byte & (0x80 >> bit)) !== 0) visit(i * 8 + bit)
  }
}
