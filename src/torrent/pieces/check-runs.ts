// Cuts the pieces of a check into runs of neighbours, one job each. Hashes nothing. Invariant: every piece is in
// exactly one run, in order; a run is long only while runs come back quickly, so what waits behind it (a piece to be
// written, a stop) waits some 20 ms on any disk.

import type { PieceRun } from '../../base/piece-run.ts'

/**
 * A job costs some 0.15 ms of messages whatever its size: 10 % of hashing the least. The most has pieces of 1 or 2 MiB
 * for every lane of the machine code.
 */
const LEAST_BYTES = 2 * 1024 * 1024
const MOST_BYTES = 32 * 1024 * 1024
/** Each piece has 20 bytes in the request and a word in the reply. */
const MOST_PIECES = 512
/** A run that came back sooner than this makes the next ones longer, one that took more than that shorter. */
const QUICK_MS = 15
const SLOW_MS = 40

/** The runs of one check. */
export class CheckRuns {
  readonly #pieces: ArrayLike<number>
  readonly #pieceLength: number
  /** Runs that are hashed at a time. */
  readonly #lanes: number
  #next = 0
  #bytes = LEAST_BYTES

  /** `pieces` ascend. */
  constructor(pieces: ArrayLike<number>, pieceLength: number, lanes: number) {
    this.#pieces = pieces
    this.#pieceLength = pieceLength
    this.#lanes = lanes
  }

  /** The next run, null when there is none. */
  next(): PieceRun | null {
    const first = this.#pieces[this.#next]
    if (first === undefined) return null
    const most = this.#mostPieces()
    let count = 1
    while (count < most && this.#pieces[this.#next + count] === first + count) count += 1
    this.#next += count
    return { first, count }
  }

  /** A run came back after `ms`. */
  took(ms: number): void {
    if (ms > SLOW_MS) this.#bytes = Math.max(LEAST_BYTES, this.#bytes / 2)
    else if (ms < QUICK_MS) this.#bytes = Math.min(MOST_BYTES, this.#bytes * 2)
  }

  /** Towards the end runs grow shorter again, so that all lanes end together. */
  #mostPieces(): number {
    const share = ((this.#pieces.length - this.#next) * this.#pieceLength) / (2 * this.#lanes)
    const bytes = Math.max(LEAST_BYTES, Math.min(this.#bytes, share))
    return Math.max(1, Math.min(MOST_PIECES, Math.floor(bytes / this.#pieceLength)))
  }
}
