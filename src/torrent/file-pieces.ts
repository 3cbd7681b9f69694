// Which pieces a choice of files needs, and which end in padding. Pure. A piece that two files share is needed when either
// is chosen.

import { piecesOfRange, type TorrentLengths } from '../base/lengths.ts'
import type { TorrentFile } from '../wire/torrent-types.ts'
import { emptyPieceSet, fullPieceSet, type PieceSet, setRange } from './piece-set.ts'

/**
 * The pieces that hold the selected files (null = all pieces). Padding and zero-byte files need none of their own;
 * indexes that do not exist are ignored.
 */
export function wantedPieces(
  lengths: TorrentLengths,
  files: readonly TorrentFile[],
  selected: readonly number[] | null,
): PieceSet {
  if (selected === null) return fullPieceSet(lengths.pieceCount)
  const wanted = emptyPieceSet(lengths.pieceCount)
  for (const index of selected) {
    const file = files[index]
    if (file === undefined || file.padding || file.length === 0) continue
    const [first, last] = piecesOfRange(lengths, file.offset, file.length)
    setRange(wanted, first, last, true)
  }
  return wanted
}

/** The padding that ends pieces, bytes by piece: TorrentLengths.padding. Pieces of nothing but padding are left out. */
export function piecePadding(
  { pieceLength, totalLength }: Pick<TorrentLengths, 'pieceLength' | 'totalLength'>,
  files: readonly TorrentFile[],
): ReadonlyMap<number, number> {
  const padding = new Map<number, number>()
  for (const { padding: isPadding, offset, length } of files) {
    if (!isPadding || length === 0 || offset % pieceLength === 0) continue
    const piece = Math.floor(offset / pieceLength)
    const end = Math.min((piece + 1) * pieceLength, totalLength)
    if (offset + length >= end) padding.set(piece, end - offset)
  }
  return padding
}
