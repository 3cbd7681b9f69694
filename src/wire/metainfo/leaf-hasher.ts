// Leaf hashes (BEP 52) of a stream of bytes that comes in parts of any size, and the root above them. Bytes beyond the
// stated length are passed over: they are padding, which no v2 tree covers.

import { createHash, type Hash } from 'node:crypto'
import { HASH_BYTES, LEAF_BYTES, leafCount, rootOf } from './merkle.ts'

/** Hashes a file, or the part of one that is a piece. */
export class LeafHasher {
  readonly #leaves: Uint8Array
  #hash: Hash = createHash('sha256')
  /** Bytes of the stream still to come, and of the present leaf. */
  #left: number
  #leafLeft: number
  #done = 0

  /** `length` = bytes of the stream that count, at least 1. */
  constructor(length: number) {
    if (!(length > 0)) throw new RangeError(`no tree has ${length} bytes`)
    this.#leaves = new Uint8Array(leafCount(length) * HASH_BYTES)
    this.#left = length
    this.#leafLeft = Math.min(LEAF_BYTES, length)
  }

  /** The next bytes of the stream. */
  take(bytes: Uint8Array): void {
    let at = 0
    while (at < bytes.length && this.#left > 0) {
      const count = Math.min(bytes.length - at, this.#leafLeft)
      this.#hash.update(count === bytes.length ? bytes : bytes.subarray(at, at + count))
      at += count
      this.#left -= count
      this.#leafLeft -= count
      if (this.#leafLeft === 0) this.#leafEnd()
    }
  }

  /** All leaf hashes. Throws RangeError when the stream is not over. */
  leaves(): Uint8Array {
    if (this.#left > 0) throw new RangeError(`${this.#left} bytes of the tree are missing`)
    return this.#leaves
  }

  /** The root `height` layers above the leaves. Throws RangeError as leaves() and rootOf do. */
  root(height: number): Uint8Array {
    return rootOf(this.leaves(), 0, height)
  }

  #leafEnd(): void {
    this.#leaves.set(this.#hash.digest(), this.#done * HASH_BYTES)
    this.#done += 1
    this.#hash = createHash('sha256')
    this.#leafLeft = Math.min(LEAF_BYTES, this.#left)
  }
}
