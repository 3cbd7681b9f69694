// In which order the pieces of a torrent were read last. Data only: knows neither which are there nor what is to go.

import { forEachPiece, type PieceSet } from '../../base/piece-set.ts'

/** The order of one torrent. At most as many entries as it has pieces. */
export class ReadOrder {
  /** A set keeps the order in which its members came. */
  readonly #used = new Set<number>()
  #last = -1

  /** The piece came in, or bytes of it were read. */
  used(piece: number): void {
    if (piece === this.#last) return
    this.#last = piece
    this.#used.delete(piece)
    this.#used.add(piece)
  }

  /** The piece is not there any more. */
  gone(piece: number): void {
    this.#used.delete(piece)
    if (piece === this.#last) this.#last = -1
  }

  /** The pieces of `have`, those first that were not read since the start, then by their last use, the oldest first. */
  oldest(have: PieceSet): number[] {
    const unread: number[] = []
    forEachPiece(have, piece => {
      if (!this.#used.has(piece)) unread.push(piece)
    })
    return [...unread, ...[...this.#used].filter(piece => have.get(piece))]
  }
}
