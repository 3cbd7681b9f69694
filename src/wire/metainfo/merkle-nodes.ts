// Any node above a layer of hashes that is known whole, e.g. the uncles of a proof (BEP 52). Nodes far up are kept once
// they were needed, so that asking for them again costs nothing. Invariant: kept are at most two nodes for 512 hashes.

import { HASH_BYTES, hashAt, hashCount, paddingHash, pairHash, rootOf } from './merkle.ts'
import type { Steps } from '../steps.ts'

/** Layers computed again each time: 512 hashes at most. */
const CHUNK_LAYERS = 9

/** The nodes above one layer. */
export class MerkleNodes {
  readonly #hashes: Uint8Array
  readonly #layer: number
  readonly #kept = new Map<string, Uint8Array>()

  /** `hashes` are all nodes of `layer` that are not padding; they are not copied. */
  constructor(hashes: Uint8Array, layer: number) {
    this.#hashes = hashes
    this.#layer = layer
  }

  /** Node `index` of the layer `up` above; also nodes beyond the end, which are padding. In steps. */
  *node(up: number, index: number): Steps<Uint8Array> {
    const first = index * 2 ** up
    if (first >= hashCount(this.#hashes)) return paddingHash(this.#layer + up)
    if (up === 0) return hashAt(this.#hashes, index)
    if (up <= CHUNK_LAYERS) {
      const end = Math.min(first + 2 ** up, hashCount(this.#hashes))
      const below = this.#hashes.subarray(first * HASH_BYTES, end * HASH_BYTES)
      yield
      return rootOf(below, this.#layer, up)
    }
    const key = `${up} ${index}`
    const kept = this.#kept.get(key)
    if (kept !== undefined) return kept
    const left: Uint8Array = yield* this.node(up - 1, 2 * index)
    const right: Uint8Array = yield* this.node(up - 1, 2 * index + 1)
    const node = pairHash(left, right)
    this.#kept.set(key, node)
    return node
  }
}
