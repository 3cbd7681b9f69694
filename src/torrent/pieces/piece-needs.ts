// Which pieces are had, wanted, streamed, and so needed. Only sets; the picker updates peers and candidates. Invariant:
// need = (wanted or streamed) and not had; needCount counts it.

import { copyPieceSet, countBits, emptyPieceSet, type PieceSet, takeOut } from '../../base/piece-set.ts'
import { emptyStreamOrder, makeStreamOrder, type StreamOrder } from '../streams/stream-order.ts'
import type { StreamRange } from '../streams/stream-window.ts'

/** The sets of one torrent. */
export class PieceNeeds {
  readonly have: PieceSet
  readonly wanted: PieceSet
  readonly need: PieceSet
  stream: StreamOrder
  haveCount = 0
  needCount = 0
  /** Pieces that are wanted, had or not. */
  wantedCount = 0
  readonly #pieceCount: number

  constructor(pieceCount: number) {
    this.#pieceCount = pieceCount
    this.have = emptyPieceSet(pieceCount)
    this.wanted = emptyPieceSet(pieceCount)
    this.need = emptyPieceSet(pieceCount)
    this.stream = emptyStreamOrder(pieceCount)
  }

  /** Replaces what is had; nothing is streamed until the next setStream(). */
  setHave(have: PieceSet): void {
    this.have.buffer.set(have.buffer)
    this.haveCount = countBits(have.buffer)
    this.stream = emptyStreamOrder(this.#pieceCount)
    this.#renewAll()
  }

  setWanted(wanted: PieceSet): void {
    this.wanted.buffer.set(wanted.buffer)
    this.wantedCount = countBits(wanted.buffer)
    this.#renewAll()
  }

  /** Replaces the stream ranges; `changed` hears of each piece whose need changed. */
  setStream(ranges: readonly StreamRange[], changed: (piece: number, needed: boolean) => void): void {
    const before = this.stream
    this.stream = makeStreamOrder(ranges, this.have, this.#pieceCount)
    for (const { piece } of before.list) this.#renew(piece, changed)
    for (const { piece } of this.stream.list) this.#renew(piece, changed)
  }

  /** `piece` is had now, or not any more; `changed` hears when the need of it changed. */
  setPiece(piece: number, had: boolean, changed: (piece: number, needed: boolean) => void): void {
    this.have.set(piece, had)
    this.haveCount += had ? 1 : -1
    this.#renew(piece, changed)
  }

  /** Pieces for the rarest-first order: wanted and not had. */
  missing(): PieceSet {
    const out = copyPieceSet(this.wanted)
    takeOut(out, this.have)
    return out
  }

  #renew(piece: number, changed: (piece: number, needed: boolean) => void): void {
    const needed = !this.have.get(piece) && (this.wanted.get(piece) || this.stream.set.get(piece))
    if (needed === this.need.get(piece)) return
    this.need.set(piece, needed)
    this.needCount += needed ? 1 : -1
    changed(piece, needed)
  }

  #renewAll(): void {
    const bytes = this.need.buffer
    bytes.set(this.wanted.buffer)
    for (const { piece } of this.stream.list) this.need.set(piece, true)
    takeOut(this.need, this.have)
    this.needCount = countBits(bytes)
  }
}
