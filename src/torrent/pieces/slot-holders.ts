// Finds the blocks that should leave the arena for the disk when it is full: those of the pieces that have waited
// longest for their missing blocks, over all torrents. Without this, pieces that never get whole could hold every slot
// for ever.

import type { BlockBudget } from './block-budget.ts'

/** A piece in progress whose blocks lie in the arena. */
export interface HeldPiece {
  /** Slots it holds and could give back. */
  readonly heldSlots: number
  readonly lastBlockMs: number
  /** Writes its blocks to disk, unverified, and gives the slots back. */
  spill(): void
}

/** A torrent with such pieces. */
export interface SlotHolder {
  /** Slots of all heldPieces(): asked for often, while the arena is full. */
  readonly heldSlots: number
  heldPieces(): Iterable<HeldPiece>
}

/** Above this part of all slots in unfinished pieces the arena counts as clogged; spilling goes down to half of it. */
const CLOGGED_PART = 2

/** All holders of one session. */
export class SlotHolders {
  readonly #budget: BlockBudget
  readonly #holders = new Set<SlotHolder>()

  constructor(budget: BlockBudget) {
    this.#budget = budget
  }

  add(holder: SlotHolder): void {
    this.#holders.add(holder)
  }

  remove(holder: SlotHolder): void {
    this.#holders.delete(holder)
  }

  /**
   * Called when a request found no credit. Spills the stalest pieces if unfinished ones hold most of the arena; when
   * they do not, its slots belong to requests and to pieces being written, and come back by themselves.
   */
  relieve(): void {
    let held = 0
    for (const holder of this.#holders) held += holder.heldSlots
    const clogged = this.#budget.limit / CLOGGED_PART
    if (held < clogged) return
    const pieces: HeldPiece[] = []
    for (const holder of this.#holders) for (const piece of holder.heldPieces()) pieces.push(piece)
    pieces.sort((a, b) => a.lastBlockMs - b.lastBlockMs)
    for (const piece of pieces) {
      if (held <= clogged / 2) return
      held -= piece.heldSlots
      piece.spill()
    }
  }
}
