// The blocks that one peer sends: from the head of a `piece` message to a slot in the buffer of its piece. The decoder
// of its connection calls it for each block. Blocks that were not asked for are passed over and counted; a peer that
// floods is dropped. Invariant: a slot leased here is in `#slot`, handed to torrent-blocks.ts, or released.

import { BLOCK_BYTES, blockBytes } from '../../base/lengths.ts'
import type { Slot } from '../../ports/arena.ts'
import { countUse } from '../peers/peer-places.ts'
import type { PeerBlockSink, PeerSession } from '../peers/peer-session.ts'
import type { TorrentContent, TorrentCore } from '../session/torrent-core.ts'
import type { TorrentBlocks } from './torrent-blocks.ts'
import type { TorrentRequests } from '../peers/torrent-requests.ts'

/** Bytes of blocks nobody asked for that a peer may send before it is dropped. */
const MAX_UNASKED_BYTES = 1024 * 1024

/** What one peer sends of one torrent. */
export class PeerBlocks implements PeerBlockSink {
  readonly #core: TorrentCore
  readonly #requests: TorrentRequests
  readonly #blocks: TorrentBlocks
  readonly #peer: PeerSession
  // The block on its way from the socket into memory, while there is one: fields, because an object a block, copied to
  // another, took a hidden class each (decision 0522).
  #slot: Slot | null = null
  #piece = 0
  #block = 0
  #askedMs = 0
  /** Bytes of blocks that came in the present read. */
  #readBytes = 0
  /** Bytes of blocks that came without having been asked for. */
  #unaskedBytes = 0

  constructor(core: TorrentCore, requests: TorrentRequests, blocks: TorrentBlocks, peer: PeerSession) {
    this.#core = core
    this.#requests = requests
    this.#blocks = blocks
    this.#peer = peer
  }

  blockStart(piece: number, begin: number, length: number): Uint8Array | null {
    const content = this.#core.content
    if (content === null || !this.#core.working || this.#slot !== null) return this.#unasked(length)
    const block = begin / BLOCK_BYTES
    const id = piece * content.stride + block
    // A reply of another length than asked for would leave a hole or run over.
    if (!Number.isInteger(id) || !fits(content, piece, begin, length)) return this.#unasked(length)
    const askedMs = this.#requests.answered(this.#peer, id)
    if (askedMs < 0) return this.#unasked(length)
    const slot = this.#blocks.lease(piece, block)
    if (slot === null) {
      // Others took more of the arena than was left to them: the block is asked for again later.
      this.#core.engine.shared.budget.giveBack()
      content.picker.release(this.#peer.key, piece, block)
      return null
    }
    this.#slot = slot
    this.#piece = piece
    this.#block = block
    this.#askedMs = askedMs
    return slot.bytes
  }

  blockEnd(_piece: number, _begin: number, length: number, stored: boolean): void {
    const slot = this.#slot
    const content = this.#core.content
    if (slot === null || content === null) return
    this.#slot = null
    // One look at the clock a read, for all its blocks.
    const nowMs = this.#peer.link.lastInMs
    this.#count(length, nowMs)
    if (stored) return this.#blocks.take(this.#peer.key, this.#piece, this.#block, length, slot, nowMs)
    this.#core.engine.shared.budget.release(slot)
    content.picker.release(this.#peer.key, this.#piece, this.#block)
  }

  /** Counts what came in a read at once: each of the sums costs as much for one block as for sixteen. */
  readEnd(): void {
    const bytes = this.#readBytes
    if (bytes === 0) return
    this.#readBytes = 0
    const peer = this.#peer
    const core = this.#core
    const nowMs = peer.link.lastInMs
    peer.down.add(nowMs, bytes)
    countUse(peer, nowMs, bytes, true)
    core.down.add(nowMs, bytes)
    core.engine.payload.down += bytes
    core.total.down += bytes
    core.session.down += bytes
  }

  /** The peer is gone, maybe in the middle of a block. */
  abandon(): void {
    this.readEnd()
    const slot = this.#slot
    if (slot === null) return
    this.#slot = null
    this.#core.engine.shared.budget.release(slot)
    this.#core.content?.picker.release(this.#peer.key, this.#piece, this.#block)
  }

  #count(length: number, nowMs: number): void {
    const peer = this.#peer
    this.#readBytes += length
    peer.lastBlockMs = nowMs
    peer.pipeline.received(nowMs, length, this.#askedMs, peer.outstanding.size)
  }

  #unasked(length: number): null {
    const peer = this.#peer
    if (peer.forgiven > 0) {
      peer.forgiven -= 1
      return null
    }
    this.#unaskedBytes += length
    if (this.#unaskedBytes > MAX_UNASKED_BYTES) peer.close('sends blocks nobody asked for', true)
    return null
  }
}

function fits(content: TorrentContent, piece: number, begin: number, length: number): boolean {
  if (piece >= content.lengths.pieceCount || begin >= content.lengths.pieceLength) return false
  return length > 0 && length === blockBytes(content.lengths, piece, begin / BLOCK_BYTES)
}
