// The tree over the ids of a channel's records: 16 branches by hexadecimal digit, leaves of at most 32 ids (types.ts).
// A node's hash is SHA-256 of its encoding, which holds count and hash of each child: with the root known, every node
// can be checked from above, from any sender. The hash of a subtree depends on nothing but the ids in it, so a database
// keeps those it has and forgets along changed ids.

import { sameBytes } from '../../../base/same-bytes.ts'
import { createHash } from 'node:crypto'

import { DecodeError } from '../../../base/errors.ts'
import { OverlayReader } from '../../overlay/wire/reader.ts'
import { OverlayWriter } from '../../overlay/wire/writer.ts'
import { RECORD_ID_BYTES, recordIdBytes, recordIdFromBytes } from './ids.ts'
import { MAX_CHANNEL_RECORDS, MAX_LEAF_IDS, type RecordId, type TreeNode } from './types.ts'

/** Most branches of a node. */
const BRANCHES = 16
/** Bytes of a node's hash. */
export const HASH_BYTES = 32
/** Digits of an id: the deepest prefix. */
const ID_DIGITS = 64
const LEAF = 0
const INNER = 1

/** How many ids lie in a subtree, and the hash of its topmost node. */
export interface Subtree {
  readonly count: number
  readonly hash: Uint8Array
}

/** Where the ids of a set lie, with the subtrees that are known already. Prefixes are hexadecimal, lower case. */
export interface TreeSource {
  /** The first ids that begin with `prefix`, in order, at most `limit` of them. */
  ids(prefix: string, limit: number): readonly RecordId[]
  /** What was kept for `prefix`. */
  known(prefix: string): Subtree | undefined
  /** Offers it for keeping; one of at most 32 ids is a leaf and quickly made again. */
  keep(prefix: string, subtree: Subtree): void
}

/** The node as bytes: what is hashed and travels, at most 1,026 bytes. */
export function encodeTreeNode(node: TreeNode): Uint8Array {
  const to = new OverlayWriter()
  if (node.kind === 'leaf') {
    to.u8(LEAF)
    to.u8(node.ids.length)
    for (const id of node.ids) to.put(recordIdBytes(id))
    return to.done()
  }
  to.u8(INNER)
  to.u8(node.children.length)
  for (const child of node.children) {
    to.u8(child.digit)
    to.u32(child.count)
    to.put(child.hash)
  }
  return to.done()
}

/** The node for `prefix` that `bytes` are, copied. Throws DecodeError, also for a node that cannot be there. */
export function decodeTreeNode(bytes: Uint8Array, prefix: string): TreeNode {
  const from = new OverlayReader(bytes)
  const kind = from.u8()
  if (kind > INNER) throw new DecodeError('a node of no kind')
  // A hostile owner could sign a tree without end.
  if (kind === INNER && prefix.length >= ID_DIGITS) throw new DecodeError('branches below the last digit')
  const count = from.u8()
  const node = kind === LEAF ? readLeaf(from, count, prefix) : readInner(from, count)
  from.finish()
  return node
}

function readLeaf(from: OverlayReader, count: number, prefix: string): TreeNode {
  if (count > MAX_LEAF_IDS) throw new DecodeError(`a leaf of ${count} ids`)
  const ids: RecordId[] = []
  for (let at = 0; at < count; at++) {
    const id = recordIdFromBytes(from.take(RECORD_ID_BYTES))
    if (!id.startsWith(prefix)) throw new DecodeError('an id of another leaf')
    if (at > 0 && id <= (ids[at - 1] as RecordId)) throw new DecodeError('ids out of order')
    ids.push(id)
  }
  return { kind: 'leaf', ids }
}

function readInner(from: OverlayReader, count: number): TreeNode {
  if (count < 1 || count > BRANCHES) throw new DecodeError(`${count} branches`)
  const children: { digit: number; count: number; hash: Uint8Array }[] = []
  for (let at = 0; at < count; at++) {
    const child = { digit: from.u8(), count: from.u32(), hash: Uint8Array.from(from.take(HASH_BYTES)) }
    const before = children.at(-1)?.digit ?? -1
    if (child.digit <= before || child.digit >= BRANCHES) throw new DecodeError('branches out of order')
    if (child.count < 1) throw new DecodeError('an empty branch')
    children.push(child)
  }
  const node: TreeNode = { kind: 'inner', children }
  const held = countOf(node)
  if (held <= MAX_LEAF_IDS || held > MAX_CHANNEL_RECORDS) throw new DecodeError(`an inner node of ${held} ids`)
  return node
}

/** How many ids lie at or below the node. */
export function countOf(node: TreeNode): number {
  return node.kind === 'leaf' ? node.ids.length : node.children.reduce((sum, child) => sum + child.count, 0)
}

/** The hash of a node, 32 bytes. */
export function hashNode(node: TreeNode): Uint8Array {
  return Uint8Array.from(createHash('sha256').update(encodeTreeNode(node)).digest())
}

/** Whether the node is the one that its parent, or the head for the root, tells of. */
export function isNodeOf(node: TreeNode, parent: Subtree): boolean {
  return countOf(node) === parent.count && sameBytes(hashNode(node), parent.hash)
}

/** The node for `prefix`; null: no id begins so, but the root is always there. */
export function treeNodeOf(source: TreeSource, prefix: string): TreeNode | null {
  const ids = source.ids(prefix, MAX_LEAF_IDS + 1)
  if (ids.length === 0 && prefix !== '') return null
  if (ids.length <= MAX_LEAF_IDS || prefix.length >= ID_DIGITS) return { kind: 'leaf', ids }
  const children: { digit: number; count: number; hash: Uint8Array }[] = []
  for (let digit = 0; digit < BRANCHES; digit++) {
    const child = subtreeOf(source, prefix + digit.toString(BRANCHES))
    if (child !== null) children.push({ digit, ...child })
  }
  return { kind: 'inner', children }
}

/** Count and hash of all that begins with `prefix`, from what is known and else from below; null: nothing does. */
export function subtreeOf(source: TreeSource, prefix: string): Subtree | null {
  const known = source.known(prefix)
  if (known !== undefined) return known
  const node = treeNodeOf(source, prefix)
  if (node === null) return null
  const subtree = { count: countOf(node), hash: hashNode(node) }
  source.keep(prefix, subtree)
  return subtree
}

/**
 * The prefixes whose subtrees hold `id`, the root's first: what to forget when it comes or goes. `deepest`: digits of
 * the longest one kept.
 */
export function prefixesOf(id: RecordId, deepest: number): string[] {
  const prefixes: string[] = []
  for (let digits = 0; digits <= deepest; digits++) prefixes.push(id.slice(0, digits))
  return prefixes
}

/** A set of ids in memory. */
export function sortedIdsSource(ids: readonly RecordId[]): TreeSource {
  const sorted = [...new Set(ids)].sort()
  const known = new Map<string, Subtree>()
  return {
    ids: (prefix, limit) => {
      const first = firstFrom(sorted, prefix)
      let end = first
      while (end < sorted.length && end - first < limit && (sorted[end] as RecordId).startsWith(prefix)) end++
      return sorted.slice(first, end)
    },
    known: prefix => known.get(prefix),
    keep: (prefix, subtree) => known.set(prefix, subtree),
  }
}

function firstFrom(sorted: readonly RecordId[], prefix: string): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] as RecordId) < prefix) low = middle + 1
    else high = middle
  }
  return low
}

/** The root's hash over `ids`, in any order, each counted once. */
export function treeRoot(ids: readonly RecordId[]): Uint8Array {
  return (subtreeOf(sortedIdsSource(ids), '') as Subtree).hash
}

/** The node for `prefix` of the tree over `ids`; null: there is none. */
export function treeNode(ids: readonly RecordId[], prefix: string): TreeNode | null {
  return treeNodeOf(sortedIdsSource(ids), prefix)
}
