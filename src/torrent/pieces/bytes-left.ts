// Counts the wanted bytes that are not there yet. Pure.

import { pieceBytes, type TorrentLengths } from '../../base/lengths.ts'
import { countAndNot, type PieceSet } from '../../base/piece-set.ts'

/** Bytes of the wanted pieces that are not there; padding is none. */
export function bytesLeft(lengths: TorrentLengths, wanted: PieceSet, have: PieceSet): number {
  const last = lengths.pieceCount - 1
  const short = wanted.get(last) && !have.get(last) ? lengths.pieceLength - pieceBytes(lengths, last) : 0
  let padding = 0
  for (const [piece, bytes] of lengths.padding ?? []) if (wanted.get(piece) && !have.get(piece)) padding += bytes
  return countAndNot(wanted.buffer, have.buffer) * lengths.pieceLength - short - padding
}
