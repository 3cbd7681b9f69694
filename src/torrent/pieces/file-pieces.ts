// Which pieces a choice of files needs, and which end in padding. Pure. A piece that two files share is needed when
// either is chosen.

import { type PiecePadding, piecesOfRange, type TorrentLengths } from '../../base/lengths.ts'
import type { TorrentFile } from '../../wire/metainfo/torrent-types.ts'
import { emptyPieceSet, fullPieceSet, type PieceSet, setRange } from '../../base/piece-set.ts'

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

/**
 * The padding that ends pieces, bytes by piece: TorrentLengths.padding. Pieces of nothing but padding are left out. It
 * is looked for when it is first asked for: going through 400,000 files takes half of a turn.
 */
export function piecePadding(
  lengths: Pick<TorrentLengths, 'pieceLength' | 'totalLength'>,
  files: readonly TorrentFile[],
): PiecePadding {
  return new OrderedPadding(() => paddedPieces(lengths, files))
}

/**
 * Pieces in rising order, and the padding of each; a map of as many entries takes the main loop longer than a turn may.
 */
interface PaddedPieces {
  readonly pieces: readonly number[]
  readonly bytes: readonly number[]
}

function paddedPieces(
  { pieceLength, totalLength }: Pick<TorrentLengths, 'pieceLength' | 'totalLength'>,
  files: readonly TorrentFile[],
): PaddedPieces {
  const pieces: number[] = []
  const bytes: number[] = []
  for (const { padding: isPadding, offset, length } of files) {
    if (!isPadding || length === 0 || offset % pieceLength === 0) continue
    const piece = Math.floor(offset / pieceLength)
    const end = Math.min((piece + 1) * pieceLength, totalLength)
    if (offset + length < end) continue
    pieces.push(piece)
    bytes.push(end - offset)
  }
  return { pieces, bytes }
}

class OrderedPadding implements PiecePadding {
  readonly #find: () => PaddedPieces
  #found: PaddedPieces | null = null

  constructor(find: () => PaddedPieces) {
    this.#find = find
  }

  get(piece: number): number | undefined {
    const { pieces, bytes } = this.#padded()
    let low = 0
    let high = pieces.length - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if ((pieces[middle] as number) < piece) low = middle + 1
      else high = middle
    }
    return pieces[low] === piece ? bytes[low] : undefined
  }

  *[Symbol.iterator](): Generator<readonly [piece: number, bytes: number], void> {
    const { pieces, bytes } = this.#padded()
    for (const [at, piece] of pieces.entries()) yield [piece, bytes[at] as number]
  }

  #padded(): PaddedPieces {
    this.#found ??= this.#find()
    return this.#found
  }
}
