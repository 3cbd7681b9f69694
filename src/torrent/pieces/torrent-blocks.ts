// Blocks of one torrent that have come: leases their slots, and puts them into the buffer of their piece. What peers
// send is peer-blocks.ts; web seeds lease slots and hand over blocks here too. Whole pieces go to torrent-pieces.ts.
// Invariant: a block that is taken is in a buffer, or its slot is released.

import { BLOCK_BYTES, blockCount } from '../../base/lengths.ts'
import type { Slot } from '../../ports/arena.ts'
import type { TorrentContent, TorrentCore } from '../session/torrent-core.ts'
import type { TorrentPieces } from './torrent-pieces.ts'
import type { TorrentRequests } from '../peers/torrent-requests.ts'

/** A piece that needs more than this part of the budget goes to disk in runs while it comes in. */
const BIG_PART = 4
/** Length of such a run, blocks: 1 MiB. */
const RUN_BLOCKS = 64

/** Neighbouring slots looked for at most, for a piece; longer ones take them 1 MiB at a time. */
const MAX_RUN_SLOTS = 256

/** The blocks of one torrent. */
export class TorrentBlocks {
  readonly #core: TorrentCore
  readonly #requests: TorrentRequests
  readonly #pieces: TorrentPieces

  constructor(core: TorrentCore, requests: TorrentRequests, pieces: TorrentPieces) {
    this.#core = core
    this.#requests = requests
    this.#pieces = pieces
  }

  /**
   * A slot for a block of an open piece, for which the caller has a credit; null (credit kept) when there is none now.
   */
  lease(piece: number, block: number): Slot | null {
    const { content, working, engine } = this.#core
    return content === null || !working ? null : engine.shared.budget.lease(this.#place(content, piece, block))
  }

  /**
   * `length` bytes of a block lie in its slot, all there are, and the slot is ours from here on, whoever `key` brought
   * it. `nowMs`: clock ms.
   */
  take(key: string, piece: number, block: number, length: number, slot: Slot, nowMs: number): void {
    const { content, working, engine } = this.#core
    if (content === null || !working) {
      content?.picker.release(key, piece, block)
      return engine.shared.budget.release(slot)
    }
    const receipt = content.picker.received(key, piece, block)
    for (const other of receipt.cancels) this.#cancelDuplicate(other, piece, block, content)
    if (!receipt.accepted) return engine.shared.budget.release(slot)
    const buffer = this.#pieces.buffer(piece)
    buffer.add({ begin: block * BLOCK_BYTES, length, slot }, nowMs)
    if (receipt.complete) this.#pieces.finish(buffer)
    else if (this.#isBig(content) && buffer.blocks.length >= RUN_BLOCKS) this.#pieces.spill(buffer)
  }

  /**
   * The slot that lies to the piece's first block in memory as the blocks do: neighbours are hashed and written as one.
   */
  #place(content: TorrentContent, piece: number, block: number): number {
    const first = this.#pieces.firstBlock(piece)
    if (first !== undefined) return first.slot.index + block - first.begin / BLOCK_BYTES
    const count = blockCount(content.lengths, piece)
    const run = count > MAX_RUN_SLOTS ? RUN_BLOCKS : count
    const at = this.#core.engine.shared.budget.freeRun(run)
    return at < 0 ? -1 : at + (block % run)
  }

  #isBig(content: TorrentContent): boolean {
    return content.stride * BIG_PART > this.#core.engine.shared.budget.limit
  }

  #cancelDuplicate(key: string, piece: number, block: number, content: TorrentContent): void {
    const other = this.#core.peers.get(key)
    if (other !== undefined) this.#requests.cancel(other, piece * content.stride + block, content)
  }
}
