// In which order the pieces of a torrent were read last. Data only: knows neither which are there nor what is to go.

import { copyPieceSet, firstHad, type PieceSet, takeOut } from '../../base/piece-set.ts'

/** The order of one torrent. At most as many entries as it has pieces. */
export class ReadOrder {
  /** A set keeps the order in which its members came. */
  readonly #used = new Set<number>()
  /** The same pieces, one bit each: what was never read is found among 800,000 within a turn. */
  #bits = new Uint8Array(0)
  #last = -1

  /** The piece came in, or bytes of it were read. */
  used(piece: number): void {
    if (piece === this.#last) return
    this.#last = piece
    this.#used.delete(piece)
    this.#used.add(piece)
    this.#note(piece, true)
  }

  /** The piece is not there any more. */
  gone(piece: number): void {
    this.#used.delete(piece)
    this.#note(piece, false)
    if (piece === this.#last) this.#last = -1
  }

  /**
   * The pieces of the set, those first that were not read since the start, then by their last use, the oldest first.
   * What is taken of them is all that is worked out, but for those that were read before and are not in the set.
   */
  *oldest(of: PieceSet): Generator<number, void> {
    const unread = copyPieceSet(of)
    const { buffer } = unread
    for (let i = Math.min(buffer.length, this.#bits.length) - 1; i >= 0; i--)
      buffer[i] = (buffer[i] ?? 0) & ~(this.#bits[i] ?? 0)
    const most = buffer.length * 8 - 1
    for (let piece = firstHad(unread, 0, most); piece <= most; piece = firstHad(unread, piece + 1, most)) yield piece
    const read = copyPieceSet(of)
    takeOut(read, unread)
    if (firstHad(read, 0, most) > most) return
    for (const piece of this.#used) if (read.get(piece)) yield piece
  }

  #note(piece: number, isUsed: boolean): void {
    const at = piece >> 3
    if (at >= this.#bits.length) {
      const bits = new Uint8Array(Math.max(64, 2 * (at + 1)))
      bits.set(this.#bits)
      this.#bits = bits
    }
    const bit = 0x80 >> (piece & 7)
    this.#bits[at] = isUsed ? (this.#bits[at] ?? 0) | bit : (this.#bits[at] ?? 0) & ~bit
  }
}
