// All pieces in progress, bounded by what the arena can hold. Bookkeeping only: the picker decides.
// Invariant: `begun` holds exactly the open pieces with free blocks, oldest first.

import { blockCount, type TorrentLengths } from '../../base/lengths.ts'
import { OpenPiece } from './open-piece.ts'

/** The open pieces of one torrent. */
export class OpenPieces {
  readonly byPiece = new Map<number, OpenPiece>()
  readonly begun = new Set<OpenPiece>()
  /** Pieces that failed with blocks of several peers: each is fetched from one peer alone next time. */
  readonly suspect = new Set<number>()
  readonly #lengths: TorrentLengths
  #most: number

  constructor(lengths: TorrentLengths, most: number) {
    this.#lengths = lengths
    this.#most = Math.max(1, most)
  }

  setMost(most: number): void {
    this.#most = Math.max(1, most)
  }

  /**
   * Spilled pieces cost no arena, and the slots of complete ones come back by themselves. Cursors may go a little over
   * the bound: the reader must not wait for the rarest.
   */
  mayOpen(urgent: boolean): boolean {
    const most = urgent ? this.#most + Math.max(2, this.#most >> 2) : this.#most
    if (this.byPiece.size < most) return true
    let held = 0
    for (const open of this.byPiece.values()) if (!open.spilled && !open.complete) held++
    return held < most
  }

  /** Opens a piece that is not open, for `peer`; the caller asked mayOpen(). */
  add(piece: number, peer: string): OpenPiece {
    const open = new OpenPiece(piece, blockCount(this.#lengths, piece))
    if (this.suspect.has(piece)) open.only = peer
    this.byPiece.set(piece, open)
    this.begun.add(open)
    return open
  }

  delete(open: OpenPiece): void {
    this.byPiece.delete(open.piece)
    this.begun.delete(open)
  }

  clear(): void {
    this.byPiece.clear()
    this.begun.clear()
    this.suspect.clear()
  }

  /** Received blocks, no open request, blocks missing, in memory. */
  stuck(): number[] {
    const stuck: number[] = []
    for (const open of this.begun) {
      if (open.received > 0 && open.requested === 0 && !open.spilled) stuck.push(open.piece)
    }
    return stuck
  }
}
