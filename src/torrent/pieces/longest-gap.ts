// Finds the longest run of pieces that were not begun: a web seed begins there, so that it goes on for long in one file
// while peers fill the rest (BEP 19). Pure.

import type { PieceRun } from '../../base/piece-run.ts'
import { firstMissing, type PieceSet } from '../../base/piece-set.ts'

/**
 * The longest run (the first of equals, cut at `most` pieces) of pieces that are wanted, not had and not `taken`; null
 * when there is none.
 */
export function longestGap(
  wanted: PieceSet,
  have: PieceSet,
  pieceCount: number,
  taken: (piece: number) => boolean,
  most: number,
): PieceRun | null {
  let best: PieceRun | null = null
  let bestLength = 0
  let piece = 0
  for (;;) {
    const first = firstMissing(have, piece, pieceCount - 1)
    if (first >= pieceCount) break
    let end = first
    while (end < pieceCount && wanted.get(end) && !have.get(end) && !taken(end)) end += 1
    if (end - first > bestLength) {
      bestLength = end - first
      best = { first, count: Math.min(bestLength, most) }
    }
    piece = Math.max(end, first + 1)
  }
  return best
}
