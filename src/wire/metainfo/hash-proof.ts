// Requests for hashes of a file's tree (BEP 52) and the proofs that answer them: how many uncles belong to a request,
// and what a list of hashes proves. Pure. A request covers a whole subtree, so that one uncle a layer is enough.

import { climb, HASH_BYTES, hashCount, layersAbove, rootOf, sameHash } from './merkle.ts'
import type { HashRange } from '../peer/messages.ts'

/** Most hashes of the base layer in a request of ours: BEP 52 says that there should not be more. */
export const MAX_HASHES = 512

/**
 * Uncles in the answer to a request for `count` hashes: one for each proof layer that the hashes do not give
 * themselves. The first is the sibling of the subtree's root.
 */
export function uncleCount({ count, proofLayers }: Pick<HashRange, 'count' | 'proofLayers'>): number {
  return Math.max(0, proofLayers - layersAbove(count) + 1)
}

/** True when `range` is a subtree: at least one hash, from a multiple of its width on. */
export function isSubtree({ index, count }: Pick<HashRange, 'index' | 'count'>): boolean {
  return count > 0 && index % 2 ** layersAbove(count) === 0
}

/**
 * True when the answer `hashes` to `range`, a subtree, leads to the node `root`, as many layers above as it has uncles.
 */
export function provesRange(range: HashRange, hashes: Uint8Array, root: Uint8Array): boolean {
  const { baseLayer, index, count } = range
  if (hashCount(hashes) !== count + uncleCount(range)) return false
  const up = layersAbove(count)
  const node = rootOf(hashes.subarray(0, count * HASH_BYTES), baseLayer, up)
  return sameHash(climb(node, index / 2 ** up, hashes.subarray(count * HASH_BYTES)), root)
}
