// The hash trees of BEP 52 the plain way, by node:crypto and nothing of the code under test: every node of the whole
// tree in memory, leaves of padding and all.

import { createHash } from 'node:crypto'

const LEAF = 16 * 1024

function sha256(...parts: Uint8Array[]): Buffer {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** All layers of the tree over `content` (not empty), leaves first, each as wide as a tree of that height is. */
export function fullTree(content: Uint8Array): Buffer[][] {
  const leaves: Buffer[] = []
  for (let at = 0; at < content.length; at += LEAF) leaves.push(sha256(content.subarray(at, at + LEAF)))
  return treeOver(leaves)
}

/** The same over leaf hashes. */
export function treeOver(hashes: readonly Buffer[]): Buffer[][] {
  const leaves = [...hashes]
  while (Math.log2(leaves.length) % 1 !== 0) leaves.push(Buffer.alloc(32))
  const layers = [leaves]
  for (let layer = leaves; layer.length > 1; ) {
    const above: Buffer[] = []
    for (let i = 0; i < layer.length; i += 2) above.push(sha256(layer[i] as Buffer, layer[i + 1] as Buffer))
    layers.push(above)
    layer = above
  }
  return layers
}

/** The root over `content`. */
export function treeRoot(content: Uint8Array): Buffer {
  return (fullTree(content).at(-1) as Buffer[])[0] as Buffer
}

/** The hashes of the pieces of a file that has more than one: those nodes of the piece layer that cover content. */
export function pieceLayer(content: Uint8Array, pieceLength: number): Buffer {
  const layer = fullTree(content)[Math.log2(pieceLength / LEAF)] as Buffer[]
  return Buffer.concat(layer.slice(0, Math.ceil(content.length / pieceLength)))
}
