// Figures of several sessions, added up.

import type { SessionFigures } from '../../ports/engine-figures.ts'

/** Figures of all sessions together. */
export function sumOfFigures(first: SessionFigures, others: readonly SessionFigures[]): SessionFigures {
  return others.reduce((sum, one) => {
    const torrents = new Map(sum.torrents)
    for (const [status, count] of one.torrents) torrents.set(status, (torrents.get(status) ?? 0) + count)
    return {
      torrents,
      downBytes: sum.downBytes + one.downBytes,
      upBytes: sum.upBytes + one.upBytes,
      piecesVerified: sum.piecesVerified + one.piecesVerified,
      piecesFailed: sum.piecesFailed + one.piecesFailed,
      peersConnected: sum.peersConnected + one.peersConnected,
      peersHalfOpen: sum.peersHalfOpen + one.peersHalfOpen,
    }
  }, first)
}
