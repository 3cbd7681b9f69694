// In which order new pieces are begun when files have priorities, or pieces come in the order of the torrent. Bands
// hold pieces of one priority, the first band first; within a band chance and rarity decide, or the place in the
// torrent. Invariant: `missing` of a band counts its pieces that are not had.

import { piecesOfRange, type TorrentLengths } from '../../base/lengths.ts'
import type { TorrentFile } from '../../wire/metainfo/torrent-types.ts'
import { countAndNot, emptyPieceSet, type PieceSet, setRange, takeOut } from '../../base/piece-set.ts'
import type { RarestOrder } from './rarest-order.ts'

/** The priority of files that were given none. */
export const NORMAL_PRIORITY = 4

interface Band {
  readonly set: PieceSet
  missing: number
}

/** The ranks of one torrent's pieces. */
export class PieceRanks {
  #bands: readonly Band[] = []
  #sequential = false

  /** True when no piece comes before another but by rarity. */
  get plain(): boolean {
    return this.#bands.length === 0 && !this.#sequential
  }

  /** Replaces the ranks; `bands` without doubles, the first first. */
  set(bands: readonly PieceSet[], sequential: boolean, have: PieceSet): void {
    this.#bands = bands.map(set => ({ set, missing: countAndNot(set.buffer, have.buffer) }))
    this.#sequential = sequential
  }

  /** What is had was replaced. */
  recount(have: PieceSet): void {
    for (const band of this.#bands) band.missing = countAndNot(band.set.buffer, have.buffer)
  }

  /** A piece is had now, or not any more. */
  had(piece: number, had: boolean): void {
    for (const band of this.#bands) if (band.set.get(piece)) band.missing += had ? -1 : 1
  }

  /** The candidate of `has` to begin next that `accept` takes; -1 when there is none. */
  next(order: RarestOrder, has: PieceSet, accept: (piece: number) => boolean): number {
    for (const { set, missing } of this.#bands) {
      if (missing === 0) continue
      const piece = this.#sequential ? order.first(has, accept, set) : order.rarestWithin(has, set, accept)
      if (piece >= 0) return piece
    }
    // Pieces of no band: those that hold no file's bytes.
    return this.#sequential ? order.first(has, accept, null) : order.rarest(has, accept)
  }
}

/**
 * The pieces of the selected files (null = all) by priority, the highest first, without doubles: a piece that files
 * share comes with the first of them. [] when all have the same one.
 */
export function priorityBands(
  lengths: TorrentLengths,
  files: readonly TorrentFile[],
  selected: readonly number[] | null,
  priorities: ReadonlyMap<number, number>,
): PieceSet[] {
  if (priorities.size === 0) return []
  const levels = new Map<number, PieceSet>()
  for (const index of selected ?? files.keys()) {
    const file = files[index]
    if (file === undefined || file.padding || file.length === 0) continue
    const level = priorities.get(index) ?? NORMAL_PRIORITY
    const set = levels.get(level) ?? emptyPieceSet(lengths.pieceCount)
    levels.set(level, set)
    const [first, last] = piecesOfRange(lengths, file.offset, file.length)
    setRange(set, first, last, true)
  }
  if (levels.size < 2) return []
  const bands = [...levels].sort(([a], [b]) => b - a).map(([, set]) => set)
  for (const [at, band] of bands.entries()) for (const later of bands.slice(at + 1)) takeOut(later, band)
  return bands
}
