// The tree over the ids of records: walks that check, lies, trees kept over changes.

import { sameBytes } from '../../../../../src/base/same-bytes.ts'
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'

import { DecodeError } from '../../../../../src/base/errors.ts'
import {
  countOf,
  decodeTreeNode,
  encodeTreeNode,
  hashNode,
  isNodeOf,
  prefixesOf,
  type Subtree,
  sortedIdsSource,
  subtreeOf,
  type TreeSource,
  treeNode,
  treeRoot,
} from '../../../../../src/chapters/channels/wire/tree.ts'
import type { RecordId, TreeNode } from '../../../../../src/chapters/channels/wire/types.ts'

function drawn(count: number): RecordId[] {
  return Array.from({ length: count }, (_, at) => createHash('sha256').update(`${at}`).digest('hex') as RecordId)
}

/** Every id below a node, walking from above and checking each node. */
function walk(ids: readonly RecordId[], prefix: string, parent: Subtree): RecordId[] {
  const node = decodeTreeNode(encodeTreeNode(treeNode(ids, prefix) as TreeNode), prefix)
  assert.ok(isNodeOf(node, parent), prefix)
  if (node.kind === 'leaf') return [...node.ids]
  return node.children.flatMap(child => walk(ids, prefix + child.digit.toString(16), child))
}

test('a walk from the root, each node checked against its parent, gives the whole set', () => {
  for (const count of [0, 1, 32, 33, 600]) {
    const ids = drawn(count)
    assert.deepEqual(walk(ids, '', { count, hash: treeRoot(ids) }), [...ids].sort())
  }
})

test('the root does not depend on the order of ids, and on each of them', () => {
  const ids = drawn(100)
  assert.deepEqual(treeRoot([...ids].reverse()), treeRoot(ids))
  for (let at = 0; at < ids.length; at++)
    assert.ok(!sameBytes(treeRoot(ids.filter((_, other) => other !== at)), treeRoot(ids)))
})

test('a node that lies is not the one its parent tells of', () => {
  const ids = drawn(200)
  const root = treeNode(ids, '') as TreeNode
  const parent = { count: 200, hash: treeRoot(ids) }
  assert.ok(root.kind === 'inner')
  const fewer: TreeNode = { kind: 'inner', children: root.children.slice(1) }
  assert.equal(isNodeOf(fewer, parent), false)
  assert.equal(isNodeOf(root, parent), true)
  assert.equal(isNodeOf(root, { ...parent, count: 201 }), false, 'a head with another count')
  const [first, ...others] = root.children
  assert.ok(first !== undefined)
  const counts: TreeNode = { kind: 'inner', children: [{ ...first, count: first.count + 1 }, ...others] }
  assert.equal(isNodeOf(counts, { ...parent, count: countOf(counts) }), false)
})

test('nodes that cannot be there are refused', () => {
  const leaf = encodeTreeNode({ kind: 'leaf', ids: drawn(3).sort() })
  const inner = encodeTreeNode(treeNode(drawn(600), '') as TreeNode)
  assert.throws(() => decodeTreeNode(leaf, '0123'), DecodeError)
  assert.throws(() => decodeTreeNode(encodeTreeNode({ kind: 'leaf', ids: drawn(3).sort().reverse() }), ''), DecodeError)
  assert.throws(() => decodeTreeNode(encodeTreeNode({ kind: 'leaf', ids: drawn(33).sort() }), ''), DecodeError)
  for (const [at, value] of [
    [0, 2],
    [1, 0],
    [1, 17],
    [2, 1],
    [2, 16],
  ] as const) {
    const changed = Uint8Array.from(inner)
    changed[at] = value
    assert.throws(() => decodeTreeNode(changed, ''), DecodeError, `byte ${at}`)
  }
  for (let length = 0; length < inner.length; length++)
    assert.throws(() => decodeTreeNode(inner.subarray(0, length), ''), DecodeError)
  const few: TreeNode = { kind: 'inner', children: [{ digit: 0, count: 32, hash: new Uint8Array(32) }] }
  assert.throws(() => decodeTreeNode(encodeTreeNode(few), ''), DecodeError)
})

test('a tree kept over changes has the root of a new one', () => {
  const ids = drawn(700)
  const held = new Set(ids.slice(0, 400))
  const kept = new Map<string, Subtree>()
  let made = 0
  const source: TreeSource = {
    ids: (prefix, limit) => sortedIdsSource([...held]).ids(prefix, limit),
    known: prefix => kept.get(prefix),
    keep: (prefix, subtree) => {
      made++
      kept.set(prefix, subtree)
    },
  }
  subtreeOf(source, '')
  for (const [at, id] of ids.slice(300, 500).entries()) {
    made = 0
    if (!held.delete(id)) held.add(id)
    for (const prefix of prefixesOf(id, 8)) kept.delete(prefix)
    assert.deepEqual(subtreeOf(source, '')?.hash, treeRoot([...held]), `change ${at}`)
    assert.ok(made <= 20, `${made} nodes made for one change`)
  }
})

test('a million ids have nodes that fit a datagram', () => {
  const node = treeNode(drawn(5000), '') as TreeNode
  assert.ok(encodeTreeNode(node).length <= 1026)
  assert.equal(hashNode(node).length, 32)
})

test('a tree that goes on below the last digit is refused: its owner could sign one without end', () => {
  const children = [{ digit: 0, count: 40, hash: Buffer.alloc(32) }]
  const bytes = encodeTreeNode({ kind: 'inner', children })
  assert.equal(decodeTreeNode(bytes, 'a'.repeat(63)).kind, 'inner')
  assert.throws(() => decodeTreeNode(bytes, 'a'.repeat(64)), DecodeError)
})
