// Receiving blocks: from the head of a `piece` message to a slot in the buffer of its piece. Blocks that were not asked
// for are passed over and counted; a peer that floods is dropped. Web seeds lease slots and hand over blocks here too.
// Whole pieces go to torrent-pieces.ts. Invariant: a slot leased here is in `receiving` of its peer, in a buffer, or
// released.

import { BLOCK_BYTES, blockBytes, blockCount } from '../../base/lengths.ts'
import type { Slot } from '../../ports/arena.ts'
import { countUse } from '../peers/peer-places.ts'
import type { PeerSession } from '../peers/peer-session.ts'
import type { BlockRequest } from './picker-types.ts'
import type { TorrentContent, TorrentCore } from '../session/torrent-core.ts'
import type { TorrentPieces } from './torrent-pieces.ts'
import type { TorrentRequests } from '../peers/torrent-requests.ts'

/** Bytes of blocks nobody asked for that a peer may send before it is dropped. */
const MAX_UNASKED_BYTES = 1024 * 1024
/** A piece that needs more than this part of the budget goes to disk in runs while it comes in. */
const BIG_PART = 4
/** Length of such a run, blocks: 1 MiB. */
const RUN_BLOCKS = 64

/** Neighbouring slots looked for at most, for a piece; longer ones take them 1 MiB at a time. */
const MAX_RUN_SLOTS = 256

/** The receiving side of one torrent. */
export class TorrentBlocks {
  readonly #core: TorrentCore
  readonly #requests: TorrentRequests
  readonly #pieces: TorrentPieces

  constructor(core: TorrentCore, requests: TorrentRequests, pieces: TorrentPieces) {
    this.#core = core
    this.#requests = requests
    this.#pieces = pieces
  }

  /** Where the payload goes; null = pass over it. */
  start(peer: PeerSession, piece: number, begin: number, length: number): Uint8Array | null {
    const content = this.#core.content
    if (content === null || !this.#core.working || peer.receiving !== null) return this.#unasked(peer, length)
    const id = piece * content.stride + begin / BLOCK_BYTES
    // A reply of another length than asked for would leave a hole or run over.
    if (!Number.isInteger(id) || !fits(content, piece, begin, length)) return this.#unasked(peer, length)
    const requestedAtMs = this.#requests.answered(peer, id)
    if (requestedAtMs === undefined) return this.#unasked(peer, length)
    const slot = this.#core.engine.budget.lease(this.#place(content, piece, begin / BLOCK_BYTES))
    if (slot === null) {
      // Others took more of the arena than was left to them: the block is asked for again later.
      this.#core.engine.budget.giveBack()
      content.picker.release(peer.key, piece, begin / BLOCK_BYTES)
      return null
    }
    peer.receiving = { piece, begin, length, requestedAtMs, slot }
    return slot.bytes
  }

  /** The payload has come whole. */
  end(peer: PeerSession, stored: boolean): void {
    const receiving = peer.receiving
    const content = this.#core.content
    if (receiving === null || content === null) return
    peer.receiving = null
    const nowMs = this.#core.now()
    this.#count(peer, receiving.length, receiving.requestedAtMs, nowMs)
    const block = receiving.begin / BLOCK_BYTES
    if (stored) return this.take(peer.key, { ...receiving, block }, receiving.slot)
    this.#core.engine.budget.release(receiving.slot)
    content.picker.release(peer.key, receiving.piece, block)
  }

  /**
   * A slot for a block of an open piece, for which the caller has a credit; null (credit kept) when there is none now.
   */
  lease(piece: number, block: number): Slot | null {
    const { content, working, engine } = this.#core
    return content === null || !working ? null : engine.budget.lease(this.#place(content, piece, block))
  }

  /** A block lies whole in its slot, which is ours from here on, whoever `key` brought it. */
  take(key: string, request: BlockRequest, slot: Slot): void {
    const { content, working, engine } = this.#core
    const { piece, block, begin, length } = request
    if (content === null || !working) {
      content?.picker.release(key, piece, block)
      return engine.budget.release(slot)
    }
    const receipt = content.picker.received(key, piece, block)
    for (const other of receipt.cancels) this.#cancelDuplicate(other, piece, block, content)
    if (!receipt.accepted) return engine.budget.release(slot)
    const buffer = this.#pieces.buffer(piece)
    buffer.add({ begin, length, slot }, this.#core.now())
    if (receipt.complete) this.#pieces.finish(buffer)
    else if (this.#isBig(content) && buffer.blocks.length >= RUN_BLOCKS) this.#pieces.spill(buffer)
  }

  /** The peer is gone in the middle of a block. */
  abandon(peer: PeerSession): void {
    const receiving = peer.receiving
    if (receiving === null) return
    peer.receiving = null
    this.#core.engine.budget.release(receiving.slot)
    this.#core.content?.picker.release(peer.key, receiving.piece, receiving.begin / BLOCK_BYTES)
  }

  /**
   * The slot that lies to the piece's first block in memory as the blocks do: neighbours are hashed and written as one.
   */
  #place(content: TorrentContent, piece: number, block: number): number {
    const first = this.#pieces.firstBlock(piece)
    if (first !== undefined) return first.slot.index + block - first.begin / BLOCK_BYTES
    const count = blockCount(content.lengths, piece)
    const run = count > MAX_RUN_SLOTS ? RUN_BLOCKS : count
    const at = this.#core.engine.budget.freeRun(run)
    return at < 0 ? -1 : at + (block % run)
  }

  #isBig(content: TorrentContent): boolean {
    return content.stride * BIG_PART > this.#core.engine.budget.limit
  }

  #count(peer: PeerSession, length: number, requestedAtMs: number, nowMs: number): void {
    peer.lastBlockMs = nowMs
    peer.down.add(nowMs, length)
    countUse(peer, nowMs, length, true)
    peer.pipeline.received(nowMs, length, requestedAtMs, peer.outstanding.size)
    this.#core.down.add(nowMs, length)
    this.#core.engine.totals.downBytes += length
    this.#core.totalDown += length
    this.#core.sessionDown += length
  }

  #cancelDuplicate(key: string, piece: number, block: number, content: TorrentContent): void {
    const other = this.#core.peers.get(key)
    if (other !== undefined) this.#requests.cancel(other, piece * content.stride + block, content)
  }

  #unasked(peer: PeerSession, length: number): null {
    if (peer.forgiven > 0) {
      peer.forgiven -= 1
      return null
    }
    peer.unaskedBytes += length
    if (peer.unaskedBytes > MAX_UNASKED_BYTES) peer.close('sends blocks nobody asked for', true)
    return null
  }
}

function fits(content: TorrentContent, piece: number, begin: number, length: number): boolean {
  if (piece >= content.lengths.pieceCount || begin >= content.lengths.pieceLength) return false
  return length > 0 && length === blockBytes(content.lengths, piece, begin / BLOCK_BYTES)
}
