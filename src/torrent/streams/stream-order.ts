// The pieces that readers wait for, flattened from ranges into one bounded list without doubles, best first.
// Invariant: `set` holds exactly the pieces of `list`.

import { emptyPieceSet, type PieceSet } from '../../base/piece-set.ts'
import type { StreamRange, StreamRangeKind } from './stream-window.ts'

/** More would only slow each pick down: the list is made again whenever a reader moves. */
const MAX_PIECES = 2048

/** A piece and why it comes early. */
export interface StreamPiece {
  readonly piece: number
  readonly kind: StreamRangeKind
}

/** An ordered list of pieces and the same as a set. */
export interface StreamOrder {
  readonly list: readonly StreamPiece[]
  readonly set: PieceSet
  /** Those under a cursor. */
  readonly cursors: ReadonlySet<number>
}

/** No reader. */
export function emptyStreamOrder(pieceCount: number): StreamOrder {
  return { list: [], set: emptyPieceSet(pieceCount), cursors: new Set() }
}

/** Flattens `ranges`, leaving out what is in `have` and what lies outside the torrent. */
export function makeStreamOrder(ranges: readonly StreamRange[], have: PieceSet, pieceCount: number): StreamOrder {
  const set = emptyPieceSet(pieceCount)
  const list: StreamPiece[] = []
  const cursors = new Set<number>()
  for (const range of ranges) {
    const last = Math.min(range.last, pieceCount - 1)
    for (let piece = Math.max(0, range.first); piece <= last; piece++) {
      if (have.get(piece) || set.get(piece)) continue
      if (list.length >= MAX_PIECES) return { list, set, cursors }
      set.set(piece, true)
      if (range.kind === 'cursor') cursors.add(piece)
      list.push({ piece, kind: range.kind })
    }
  }
  return { list, set, cursors }
}
