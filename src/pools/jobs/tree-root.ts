// The root of a hash tree (BEP 52) by the machine code: each layer in one call.

import { HASH_BYTES, hashCount, paddingHash } from '../../wire/metainfo/merkle.ts'
import type { NativeHash } from './native-hash.ts'

/**
 * The root `height` layers above `leaves`; leaves that are not there are padding. Throws RangeError for none, or more
 * than such a root has below it.
 */
export function treeRoot(leaves: Uint8Array, height: number, sha: NativeHash): Uint8Array {
  const count = hashCount(leaves)
  if (count < 1 || !Number.isInteger(count) || count > 2 ** height)
    throw new RangeError(`${count} hashes do not fit below ${height} layers`)
  let nodes = leaves
  for (let layer = 0; layer < height; layer++) {
    const whole = hashCount(nodes) % 2 === 0 ? nodes : withPadding(nodes, layer)
    nodes = new Uint8Array(whole.length / 2)
    sha.pairs(whole, nodes)
  }
  return nodes
}

function withPadding(nodes: Uint8Array, layer: number): Uint8Array {
  const whole = new Uint8Array(nodes.length + HASH_BYTES)
  whole.set(nodes)
  whole.set(paddingHash(layer), nodes.length)
  return whole
}
