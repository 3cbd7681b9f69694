// One run of blocks that a web seed fetches: their bytes come as one stream, cut where blocks are missing from it, and
// go straight into leased slots. Knows no HTTP and no files. Invariant: every block before #at is settled; every later
// one holds one credit of the block budget until it is dropped; the block at #at may hold a slot instead. After end()
// nothing is held.

import type { Slot } from '../../ports/arena.ts'
import { copyBytes } from '../../wire/peer/copy-bytes.ts'
import type { BlockRequest } from '../../base/block-request.ts'
import type { WebSeedContent, WebSeedHost } from './web-seed-host.ts'

/** Bytes of the torrent from `offset` on. */
export interface ByteSpan {
  readonly offset: number
  length: number
}

/** Blocks asked of a web seed, one credit held for each. */
export class WebSeedRun {
  readonly #host: WebSeedHost
  readonly #content: WebSeedContent
  readonly #key: string
  readonly #blocks: readonly BlockRequest[]
  /** 1 = a credit is held for the block. */
  readonly #credits: Uint8Array
  #at = 0
  /** Bytes that came of the block at #at. */
  #filled = 0
  #slot: Slot | null = null

  /** `blocks`: in torrent order, noted as requested of `key` in the picker, a credit taken for each. */
  constructor(host: WebSeedHost, content: WebSeedContent, key: string, blocks: readonly BlockRequest[]) {
    this.#host = host
    this.#content = content
    this.#key = key
    this.#blocks = blocks
    this.#credits = new Uint8Array(blocks.length).fill(1)
  }

  /** All its bytes have come. */
  get done(): boolean {
    return this.#at >= this.#blocks.length
  }

  /** The stretches of the torrent without a gap that the blocks make, in order. */
  spans(): ByteSpan[] {
    const spans: ByteSpan[] = []
    for (const request of this.#blocks) {
      const offset = request.piece * this.#content.lengths.pieceLength + request.begin
      const last = spans.at(-1)
      if (last !== undefined && last.offset + last.length === offset) last.length += request.length
      else spans.push({ offset, length: request.length })
    }
    return spans
  }

  /** Some block that has not come whole is of one of `pieces`. */
  hasAny(pieces: ReadonlySet<number>): boolean {
    return this.#blocks.some((request, index) => index >= this.#at && pieces.has(request.piece))
  }

  /** The next bytes of the run; more than are missing are passed over. */
  take(chunk: Uint8Array): void {
    for (let from = 0; from < chunk.length && !this.done; ) {
      const count = Math.min(chunk.length - from, this.#begin())
      if (this.#slot !== null) copyBytes(chunk.subarray(from, from + count), this.#slot.bytes, this.#filled)
      from += count
      this.#advance(count)
    }
  }

  /** The next `length` bytes are zeroes (a padding file, BEP 47). */
  zeroes(length: number): void {
    for (let left = length; left > 0 && !this.done; ) {
      const count = Math.min(left, this.#begin())
      if (this.#slot !== null) this.#slot.bytes.fill(0, this.#filled, this.#filled + count)
      left -= count
      this.#advance(count)
    }
  }

  /**
   * Gives up blocks that came from peers meanwhile, or that are not wanted; answers bytes until the next one that is
   * needed.
   */
  sweep(): number {
    let dropped = 0
    let gap = 0
    let needed = false
    for (let index = this.#at; index < this.#blocks.length; index += 1) {
      const request = this.#blocks[index] as BlockRequest
      const wanted = this.#isWanted(request)
      if (!wanted && this.#credits[index] === 1) {
        this.#credits[index] = 0
        dropped += 1
      }
      const coming = this.#credits[index] === 1 || (index === this.#at && this.#slot !== null)
      if (wanted && coming) needed = true
      if (!needed) gap += request.length
    }
    if (dropped > 0) this.#host.budget.giveBack(dropped)
    return needed ? gap : Number.POSITIVE_INFINITY
  }

  /** Gives back what is held: the rest is not coming. Idempotent. */
  end(): void {
    let credits = 0
    for (let index = this.#at; index < this.#blocks.length; index += 1) {
      const { piece, block } = this.#blocks[index] as BlockRequest
      if (this.#credits[index] === 1 || (index === this.#at && this.#slot !== null)) {
        this.#content.picker.release(this.#key, piece, block)
      }
      credits += this.#credits[index] ?? 0
    }
    if (credits > 0) this.#host.budget.giveBack(credits)
    if (this.#slot !== null) this.#host.budget.release(this.#slot)
    this.#slot = null
    this.#credits.fill(0)
    this.#at = this.#blocks.length
  }

  /** Finds room for the block at #at when its first byte comes; bytes it still lacks. */
  #begin(): number {
    const request = this.#blocks[this.#at] as BlockRequest
    if (this.#filled === 0) this.#lease(request)
    return request.length - this.#filled
  }

  #lease(request: BlockRequest): void {
    if (this.#credits[this.#at] !== 1) return
    this.#credits[this.#at] = 0
    if (this.#isWanted(request)) this.#slot = this.#host.lease(request.piece, request.block)
    if (this.#slot !== null) return
    this.#host.budget.giveBack()
    this.#content.picker.release(this.#key, request.piece, request.block)
  }

  #advance(count: number): void {
    const request = this.#blocks[this.#at] as BlockRequest
    this.#filled += count
    if (this.#filled < request.length) return
    const slot = this.#slot
    this.#slot = null
    this.#filled = 0
    this.#at += 1
    if (slot !== null) this.#host.received(this.#key, request, slot)
  }

  #isWanted({ piece, block }: BlockRequest): boolean {
    const { picker } = this.#content
    return picker.isOpen(piece) && !picker.hasBlock(piece, block)
  }
}
