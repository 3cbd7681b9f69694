// The blocks of one piece in progress, in the arena or, once spilled, on disk. Bookkeeping only. Invariant: every slot
// in `blocks` is leased from the block budget and is released exactly once, by the caller that takes them out.

import type { ReceivedBlock } from '../../ports/piece-store.ts'

/** One piece in progress. */
export class PieceBuffer {
  readonly piece: number
  /** Blocks in memory, in order of arrival. */
  blocks: ReceivedBlock[] = []
  /** Some of its blocks are on disk, unverified: it must be verified by reading back. */
  spilled = false
  /** All blocks came: it is being verified and written. */
  closing = false
  lastBlockMs = 0

  constructor(piece: number) {
    this.piece = piece
  }

  add(block: ReceivedBlock, nowMs: number): void {
    this.blocks.push(block)
    this.lastBlockMs = nowMs
  }

  /** Hands the blocks in memory over to the caller, who releases their slots. */
  takeBlocks(): ReceivedBlock[] {
    const blocks = this.blocks
    this.blocks = []
    return blocks
  }
}
