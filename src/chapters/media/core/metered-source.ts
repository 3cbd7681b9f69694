// A source with a budget: small reads come in blocks that are kept, so that a reader may ask for four bytes at a time,
// and every byte that is fetched counts. Invariant: `fetched` <= `budget`, and no more is kept than was fetched.

import { type ByteSource, OverBudget } from './byte-source.ts'

/** Small reads are widened to whole blocks of this size, bytes. */
const BLOCK_BYTES = 8 * 1024
/** Longer ones are passed on as they are: to join them with blocks would take their memory twice. */
const JOINED_BYTES = 1024 * 1024

/** A source with a budget of bytes. */
export class MeteredSource implements ByteSource {
  readonly #inner: ByteSource
  readonly #blocks = new Map<number, Uint8Array>()
  #budget: number
  #fetched = 0

  /** `budget`: bytes that may be fetched from `inner` in all. */
  constructor(inner: ByteSource, budget: number) {
    this.#inner = inner
    this.#budget = budget
  }

  get size(): number {
    return this.#inner.size
  }

  /** Bytes fetched so far. */
  get fetched(): number {
    return this.#fetched
  }

  /** Something turned out to be worth `bytes` more: an index whose length is known now. */
  allow(bytes: number): void {
    this.#budget += bytes
  }

  /** As ByteSource.read(); a range that goes beyond the end is cut there. */
  read(start: number, end: number): Uint8Array {
    const from = Math.max(0, start)
    const to = Math.min(end, this.size)
    if (to <= from) return new Uint8Array(0)
    if (to - from > JOINED_BYTES) return this.#fetch(from, to)
    const first = Math.floor(from / BLOCK_BYTES)
    const last = Math.floor((to - 1) / BLOCK_BYTES)
    if (first === last) return this.#block(first).subarray(from - first * BLOCK_BYTES, to - first * BLOCK_BYTES)
    return this.#joined(from, to, first, last)
  }

  /** Of several blocks: what is kept is taken from there, and all before and behind it is fetched in one go. */
  #joined(from: number, to: number, first: number, last: number): Uint8Array {
    let [begin, end] = [from, to]
    const head: Uint8Array[] = []
    const tail: Uint8Array[] = []
    for (let at = first; at <= last; at += 1) {
      const block = this.#blocks.get(at)
      if (block === undefined) break
      head.push(block.subarray(begin - at * BLOCK_BYTES, to - at * BLOCK_BYTES))
      begin = Math.min(to, (at + 1) * BLOCK_BYTES)
    }
    for (let at = last; at > first && begin < end; at -= 1) {
      const block = this.#blocks.get(at)
      if (block === undefined) break
      tail.unshift(block.subarray(0, end - at * BLOCK_BYTES))
      end = at * BLOCK_BYTES
    }
    if (head.length === 0 && tail.length === 0) return this.#fetch(begin, end)
    const out = new Uint8Array(to - from)
    const parts = begin < end ? [...head, this.#fetch(begin, end), ...tail] : [...head, ...tail]
    let at = 0
    for (const part of parts) {
      out.set(part, at)
      at += part.length
    }
    return out
  }

  #block(at: number): Uint8Array {
    const kept = this.#blocks.get(at)
    if (kept !== undefined) return kept
    const begin = at * BLOCK_BYTES
    const block = this.#fetch(begin, Math.min(this.size, begin + BLOCK_BYTES))
    this.#blocks.set(at, block)
    return block
  }

  #fetch(begin: number, end: number): Uint8Array {
    if (this.#fetched + end - begin > this.#budget) throw new OverBudget(this.#budget)
    const bytes = this.#inner.read(begin, end)
    this.#fetched += end - begin
    return bytes
  }
}
