// Hash trees against trees that are built whole by node:crypto (test/kit/content/merkle-tree.ts), at every small size.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { LeafHasher } from '../../../src/wire/metainfo/leaf-hasher.ts'
import {
  climb,
  hashAt,
  hashCount,
  isZeroHash,
  layersAbove,
  LEAF_BYTES,
  leafCount,
  leavesOf,
  MAX_LAYERS,
  paddingHash,
  parentsOf,
  rootOf,
} from '../../../src/wire/metainfo/merkle.ts'
import { MerkleNodes } from '../../../src/wire/metainfo/merkle-nodes.ts'
import { runSteps } from '../../../src/wire/steps.ts'
import { seededBytes } from '../../kit/content/make-torrent.ts'
import { fullTree, treeOver, treeRoot } from '../../kit/content/merkle-tree.ts'

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

/** `count` hashes that are not those of anything. */
function someHashes(count: number): Buffer[] {
  return Array.from({ length: count }, (_, i) => createHash('sha256').update(String(i)).digest())
}

test('heights and counts', () => {
  assert.deepEqual([1, 2, 3, 4, 5, 8, 9, 512, 513].map(layersAbove), [0, 1, 2, 2, 3, 3, 4, 9, 10])
  assert.deepEqual([1, LEAF_BYTES, LEAF_BYTES + 1, 10 * LEAF_BYTES].map(leafCount), [1, 1, 2, 10])
})

test('padding: zeroes at the leaves, then the hash of two of the layer below', () => {
  assert.equal(hex(paddingHash(0)), '00'.repeat(32))
  assert.ok(isZeroHash(paddingHash(0)))
  // SHA-256 of 64 zero bytes.
  assert.equal(hex(paddingHash(1)), 'f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b')
  let node = Buffer.alloc(32)
  for (let layer = 0; layer <= MAX_LAYERS; layer++) {
    assert.equal(hex(paddingHash(layer)), hex(node))
    node = createHash('sha256').update(node).update(node).digest()
  }
  assert.ok(!isZeroHash(paddingHash(1)))
  assert.throws(() => paddingHash(MAX_LAYERS + 1), RangeError)
  assert.throws(() => paddingHash(-1), RangeError)
})

test('the root of content of any number of leaves, the last one short', () => {
  for (let leaves = 1; leaves <= 9; leaves++) {
    for (const length of [leaves * LEAF_BYTES, (leaves - 1) * LEAF_BYTES + 1]) {
      const content = seededBytes(length, leaves)
      assert.equal(hex(rootOf(leavesOf(content), 0)), hex(treeRoot(content)), `${length} bytes`)
    }
  }
})

test('layers above leaves, and roots over a layer that is not that of the leaves', () => {
  for (const leaves of [1, 2, 3, 5, 8, 11, 16, 17]) {
    const layers = treeOver(someHashes(leaves))
    let mine: Uint8Array = Buffer.concat(someHashes(leaves))
    for (const [layer, whole] of layers.entries()) {
      assert.equal(hex(mine), hex(Buffer.concat(whole.slice(0, hashCount(mine)))))
      // What is beyond is padding of the layer.
      for (const node of whole.slice(hashCount(mine))) assert.equal(hex(node), hex(paddingHash(layer)))
      assert.equal(hex(rootOf(mine, layer)), hex((layers.at(-1) as Buffer[])[0] as Buffer))
      mine = parentsOf(mine, layer)
    }
  }
})

test('a piece at the end of a file has its root as high as other pieces', () => {
  // Pieces of four leaves; the second has one leaf.
  const content = seededBytes(4 * LEAF_BYTES + 9)
  const layer = fullTree(content)[2] as Buffer[]
  assert.equal(hex(rootOf(leavesOf(content.subarray(4 * LEAF_BYTES)), 0, 2)), hex(layer[1] as Buffer))
  assert.equal(hex(rootOf(Buffer.concat(layer), 2)), hex(treeRoot(content)))
})

test('a root over nothing, over part of a hash or over too much is a bug', () => {
  assert.throws(() => rootOf(new Uint8Array(0), 0, 1), RangeError)
  assert.throws(() => rootOf(new Uint8Array(33), 0, 1), RangeError)
  assert.throws(() => rootOf(new Uint8Array(96), 0, 1), RangeError)
})

test('every node is proved by its uncles, and by no others', () => {
  const layers = treeOver(someHashes(11))
  const root = hex((layers.at(-1) as Buffer[])[0] as Buffer)
  for (let layer = 0; layer < layers.length; layer++) {
    for (const [index, node] of (layers[layer] as Buffer[]).entries()) {
      const uncles: Buffer[] = []
      for (let up = layer; up < layers.length - 1; up++) {
        const at = Math.floor(index / 2 ** (up - layer))
        uncles.push((layers[up] as Buffer[])[at ^ 1] as Buffer)
      }
      assert.equal(hex(climb(node, index, Buffer.concat(uncles))), root)
      // Two nodes of padding may change places.
      if (uncles.length === 0 || hex(uncles[0] as Buffer) === hex(node)) continue
      assert.notEqual(hex(climb(node, index ^ 1, Buffer.concat(uncles))), root)
      const changed = Buffer.concat(uncles)
      changed[changed.length - 1] = (changed[changed.length - 1] as number) ^ 1
      assert.notEqual(hex(climb(node, index, changed)), root)
    }
  }
})

test('any node above a layer, padding included, also far up', () => {
  const hashes = someHashes(1500)
  const layers = treeOver(hashes)
  const nodes = new MerkleNodes(Buffer.concat(hashes), 0)
  for (const [up, whole] of layers.entries()) {
    for (const index of [0, 1, whole.length - 2, whole.length - 1]) {
      const node = whole[index]
      if (node !== undefined) assert.equal(hex(runSteps(nodes.node(up, index))), hex(node), `${index} of ${up}`)
    }
  }
  // The same above a layer whose padding is not zeroes.
  const above = layers[1] as Buffer[]
  const upper = new MerkleNodes(Buffer.concat(above.slice(0, 750)), 1)
  assert.equal(hex(runSteps(upper.node(10, 0))), hex((layers.at(-1) as Buffer[])[0] as Buffer))
  assert.equal(hex(runSteps(upper.node(0, 1023))), hex(paddingHash(1)))
  assert.equal(hex(runSteps(upper.node(0, 3))), hex(above[3] as Buffer))
})

test('a stream in parts of any size gives the leaves of the whole; what is beyond its length does not count', () => {
  const content = seededBytes(3 * LEAF_BYTES + 100)
  const padded = Buffer.concat([content, Buffer.alloc(2 * LEAF_BYTES)])
  for (const part of [1000, LEAF_BYTES - 1, LEAF_BYTES, LEAF_BYTES + 1, padded.length]) {
    const hasher = new LeafHasher(content.length)
    for (let at = 0; at < padded.length; at += part) hasher.take(padded.subarray(at, at + part))
    assert.equal(hex(hasher.leaves()), hex(leavesOf(content)))
    assert.equal(hex(hasher.root(2)), hex(treeRoot(content)))
  }
  const short = new LeafHasher(content.length)
  short.take(content.subarray(1))
  assert.throws(() => short.leaves(), RangeError)
  assert.throws(() => new LeafHasher(0), RangeError)
  const second = createHash('sha256')
    .update(content.subarray(LEAF_BYTES, 2 * LEAF_BYTES))
    .digest()
  assert.equal(hex(hashAt(leavesOf(content), 1)), hex(second))
})
