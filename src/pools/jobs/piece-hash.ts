// The verdict on the bytes of one piece: by SHA-1 (BEP 3), by the hash tree over them (BEP 52), or by both, as a hybrid
// torrent wants it. Invariant: bytes that nothing vouches for are never right.

import { createHash, type Hash } from 'node:crypto'
import { sameHash } from '../../wire/metainfo/merkle.ts'
import { LeafHasher } from '../../wire/metainfo/leaf-hasher.ts'
import type { TreeCheck } from '../contract/jobs.ts'

/** Hashes one piece. */
export class PieceHash {
  readonly #expected: Uint8Array
  readonly #tree: TreeCheck | null
  readonly #hash: Hash | null
  readonly #leaves: LeafHasher | null

  /** `expected`: SHA-1, empty = none. */
  constructor(expected: Uint8Array, tree: TreeCheck | null) {
    this.#expected = expected
    this.#tree = tree
    this.#hash = expected.length > 0 ? createHash('sha1') : null
    this.#leaves = tree === null ? null : new LeafHasher(tree.length)
  }

  /** The next bytes of the piece, padding too. */
  take(bytes: Uint8Array): void {
    this.#hash?.update(bytes)
    this.#leaves?.take(bytes)
  }

  /**
   * The piece is whole: whether it is right. To be asked once. Throws RangeError when bytes of the tree are missing.
   */
  right(): boolean {
    if (this.#hash === null && this.#leaves === null) return false
    if (this.#hash !== null && !sameHash(this.#hash.digest(), this.#expected)) return false
    return (
      this.#leaves === null || this.#tree === null || sameHash(this.#leaves.root(this.#tree.height), this.#tree.root)
    )
  }
}
