// Bits of pieces as resume files have them, made into one bit a piece, most significant first, spare bits 0. Pure.

import { DecodeError } from '../../base/errors.ts'
import { BLOCK_BYTES } from '../../base/lengths.ts'
import type { ResumeShape } from './other-state.ts'

/** No piece. */
export function noPieces(pieceCount: number): Uint8Array {
  return new Uint8Array(Math.ceil(pieceCount / 8))
}

/** Every piece. */
export function allPieces(pieceCount: number): Uint8Array {
  const bits = noPieces(pieceCount).fill(0xff)
  const spare = bits.length * 8 - pieceCount
  if (spare > 0) bits[bits.length - 1] = (0xff << spare) & 0xff
  return bits
}

/** Whether a bit is set. */
export function hasBit(bits: Uint8Array, index: number): boolean {
  return ((bits[index >> 3] ?? 0) & (0x80 >> (index & 7))) !== 0
}

/** Sets a bit. */
export function setBit(bits: Uint8Array, index: number): void {
  bits[index >> 3] = (bits[index >> 3] ?? 0) | (0x80 >> (index & 7))
}

/** The pieces whose byte has the bit `mask` set (libtorrent: one byte a piece). */
export function piecesOfBytes(bytes: Uint8Array, mask: number): Uint8Array {
  const bits = noPieces(bytes.length)
  for (let piece = 0; piece < bytes.length; piece++) if (((bytes[piece] as number) & mask) !== 0) setBit(bits, piece)
  return bits
}

/**
 * The pieces all of whose blocks are there (Transmission: one bit a block of 16 KiB, counted over the whole torrent).
 * Null when pieces are no multiple of a block: there clients count differently. Throws DecodeError for a wrong length.
 */
export function piecesOfBlocks(blocks: Uint8Array, shape: ResumeShape): Uint8Array | null {
  const { pieceCount, pieceLength, totalLength } = shape
  const small = pieceLength < BLOCK_BYTES
  if (!small && pieceLength % BLOCK_BYTES !== 0) return null
  const blockLength = small ? pieceLength : BLOCK_BYTES
  const blockCount = Math.ceil(totalLength / blockLength)
  checkLength(blocks, blockCount, 'blocks')
  const perPiece = pieceLength / blockLength
  const bits = noPieces(pieceCount)
  for (let piece = 0; piece < pieceCount; piece++) {
    if (allSet(blocks, piece * perPiece, Math.min(blockCount, (piece + 1) * perPiece))) setBit(bits, piece)
  }
  return bits
}

/**
 * Whether all bits from `from` up to, not including, `to` are set; a byte at a time, since a terabyte has 64 million
 * blocks.
 */
function allSet(bits: Uint8Array, from: number, to: number): boolean {
  let at = from
  while (at < to) {
    if ((at & 7) === 0 && at + 8 <= to) {
      if (bits[at >> 3] !== 0xff) return false
      at += 8
    } else if (!hasBit(bits, at++)) return false
  }
  return true
}

/** One bit a piece, with its spare bits cleared. Throws DecodeError for a wrong length. */
export function piecesOfBits(bits: Uint8Array, pieceCount: number): Uint8Array {
  checkLength(bits, pieceCount, 'pieces')
  const own = Uint8Array.from(bits)
  const spare = own.length * 8 - pieceCount
  if (spare > 0) own[own.length - 1] = (own[own.length - 1] ?? 0) & (0xff << spare)
  return own
}

/** The bits of `a` that are not in `b`; null when there are none. */
export function without(a: Uint8Array, b: Uint8Array): Uint8Array | null {
  const rest = a.map((byte, at) => byte & ~(b[at] ?? 0))
  return rest.some(byte => byte !== 0) ? rest : null
}

function checkLength(bits: Uint8Array, count: number, what: string): void {
  const length = Math.ceil(count / 8)
  if (bits.length !== length)
    throw new DecodeError(`${what} of the resume data has ${bits.length} bytes, not ${length}`)
}
