// How full the buffer ahead of a stream's position is: the vod_* numbers of a download record. Pure.

import { piecesOfRange, type TorrentLengths } from '../../base/lengths.ts'

/** Bytes ahead of a reader that count as its buffer: what players want before they start (decisions part 2). */
const BUFFER_BYTES = 5 * 1024 * 1024

/** Fractions from 0 to 1: of the pieces in the buffer that are here, and of those before the first gap. */
export interface BufferProgress {
  readonly total: number
  readonly consecutive: number
}

/**
 * Buffer of a reader at `position` of a file that begins at `fileOffset` of the torrent and is `fileLength` long, all
 * in bytes; `have` has one bit a piece, most significant first. At the end of the file the buffer is full.
 */
export function bufferProgress(
  lengths: TorrentLengths,
  have: Uint8Array,
  fileOffset: number,
  fileLength: number,
  position: number,
): BufferProgress {
  const length = Math.min(BUFFER_BYTES, fileLength - position)
  if (length <= 0) return { total: 1, consecutive: 1 }
  const [first, last] = piecesOfRange(lengths, fileOffset + position, length)
  let here = 0
  let consecutive = 0
  for (let piece = first; piece <= last; piece++) {
    if (!hasPiece(have, piece)) continue
    if (here === piece - first) consecutive++
    here++
  }
  const pieces = last - first + 1
  return { total: here / pieces, consecutive: consecutive / pieces }
}

function hasPiece(have: Uint8Array, piece: number): boolean {
  return ((have[piece >> 3] ?? 0) & (0x80 >> (piece & 7))) !== 0
}
