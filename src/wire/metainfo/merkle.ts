// The hash trees of BEP 52: SHA-256, two children a node, leaves of 16 KiB. Pure arithmetic on flat arrays of hashes,
// 32 bytes each, in order. Layers count from the leaves (layer 0) upwards. A tree is as wide as the next power of two:
// leaves beyond the end of the file are zeroes, and a node over nothing else is the padding hash of its layer.

import { hash } from 'node:crypto'
import { asBuffer } from '../bencode-value.ts'
import { runSteps, type Steps } from '../steps.ts'

/** Bytes of a hash. */
export const HASH_BYTES = 32

/** Bytes of content below a leaf; the last leaf of a file may have fewer (BEP 52). */
export const LEAF_BYTES = 16 * 1024

/** Layers above the leaves of the largest file that can be counted (2^53 bytes). */
export const MAX_LAYERS = 39

/** Pairs hashed in one step: about two milliseconds. */
const PAIRS_A_STEP = 2048

/** The SHA-256 of `bytes`. */
export function sha256(bytes: Uint8Array): Uint8Array {
  return hash('sha256', bytes, 'buffer')
}

/** The node above two children. */
export function pairHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  const pair = new Uint8Array(2 * HASH_BYTES)
  pair.set(left, 0)
  pair.set(right, HASH_BYTES)
  return sha256(pair)
}

const paddings: Uint8Array[] = [new Uint8Array(HASH_BYTES)]

/** The node of `layer` that covers nothing but padding. Throws RangeError above MAX_LAYERS. */
export function paddingHash(layer: number): Uint8Array {
  if (!Number.isInteger(layer) || layer < 0 || layer > MAX_LAYERS) throw new RangeError(`there is no layer ${layer}`)
  for (let below = paddings.length - 1; below < layer; below++) {
    const node = paddings[below] as Uint8Array
    paddings.push(pairHash(node, node))
  }
  return paddings[layer] as Uint8Array
}

/** Layers above a layer of `count` nodes (at least 1) up to their root: 0 for one node. */
export function layersAbove(count: number): number {
  let layers = 0
  while (2 ** layers < count) layers++
  return layers
}

/** Leaves of a file, or part of a file that begins at a leaf, of `length` bytes. */
export function leafCount(length: number): number {
  return Math.ceil(length / LEAF_BYTES)
}

/** Number of hashes in a flat array. */
export function hashCount(hashes: Uint8Array): number {
  return hashes.length / HASH_BYTES
}

/** Hash `index` of a flat array, as a view. */
export function hashAt(hashes: Uint8Array, index: number): Uint8Array {
  return hashes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES)
}

/** True when both hold the same bytes. */
export function sameHash(a: Uint8Array, b: Uint8Array): boolean {
  return asBuffer(a).equals(b)
}

/** A hash as text, e.g. as the key of a map: hexadecimal. */
export function hashText(hashBytes: Uint8Array): string {
  return asBuffer(hashBytes).toString('hex')
}

/** True for 32 zero bytes: not the SHA-256 of anything, so it means "not known". */
export function isZeroHash(hashBytes: Uint8Array): boolean {
  return sameHash(hashBytes, paddings[0] as Uint8Array)
}

/**
 * The layer above `hashes`, nodes of `layer` from an even index on; a last one alone gets padding to its right. In
 * steps.
 */
export function* parentsInSteps(hashes: Uint8Array, layer: number): Steps<Uint8Array> {
  const count = hashCount(hashes)
  const pairs = Math.ceil(count / 2)
  const parents = new Uint8Array(pairs * HASH_BYTES)
  for (let pair = 0; pair < pairs; pair++) {
    const whole = 2 * pair + 1 < count
    // Children lie side by side, so that a pair is read where it is.
    const parent = whole
      ? sha256(hashes.subarray(2 * pair * HASH_BYTES, (2 * pair + 2) * HASH_BYTES))
      : pairHash(hashAt(hashes, 2 * pair), paddingHash(layer))
    parents.set(parent, pair * HASH_BYTES)
    if (pair % PAIRS_A_STEP === PAIRS_A_STEP - 1) yield
  }
  return parents
}

/** As parentsInSteps, at once. */
export function parentsOf(hashes: Uint8Array, layer: number): Uint8Array {
  return runSteps(parentsInSteps(hashes, layer))
}

/**
 * The root `height` layers above `hashes`, which are the first nodes of `layer` below it; the others are padding. In
 * steps. Throws RangeError for no hashes, or more than such a root has below it.
 */
export function* rootInSteps(hashes: Uint8Array, layer: number, height: number): Steps<Uint8Array> {
  const count = hashCount(hashes)
  if (count < 1 || !Number.isInteger(count) || count > 2 ** height) {
    throw new RangeError(`${count} hashes do not fit below ${height} layers`)
  }
  let nodes = hashes
  for (let up = 0; up < height; up++) nodes = yield* parentsInSteps(nodes, layer + up)
  return nodes
}

/** As rootInSteps, at once. `height` is that of the smallest tree when left out. */
export function rootOf(hashes: Uint8Array, layer: number, height: number = layersAbove(hashCount(hashes))): Uint8Array {
  return runSteps(rootInSteps(hashes, layer, height))
}

/** The node that `node`, at `index` of its layer, and `uncles` lead to: its own sibling first, one a layer upwards. */
export function climb(node: Uint8Array, index: number, uncles: Uint8Array): Uint8Array {
  let at = index
  let present = node
  for (let up = 0; up < hashCount(uncles); up++) {
    const uncle = hashAt(uncles, up)
    present = at % 2 === 1 ? pairHash(uncle, present) : pairHash(present, uncle)
    at = Math.floor(at / 2)
  }
  return present
}

/** The leaf hashes of `bytes`, which begin at a leaf. */
export function leavesOf(bytes: Uint8Array): Uint8Array {
  const leaves = new Uint8Array(leafCount(bytes.length) * HASH_BYTES)
  for (let leaf = 0; leaf * LEAF_BYTES < bytes.length; leaf++) {
    leaves.set(sha256(bytes.subarray(leaf * LEAF_BYTES, (leaf + 1) * LEAF_BYTES)), leaf * HASH_BYTES)
  }
  return leaves
}
