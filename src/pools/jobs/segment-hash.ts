// The verdict on a piece that lies in an arena, by the machine code: one call over all its segments, which it fetches
// ahead, since another core has written them. The counterpart of piece-hash.ts.

import { LEAF_BYTES, sameHash } from '../../wire/metainfo/merkle.ts'
import type { CommitRequest, TreeCheck } from '../contract/jobs.ts'
import { CONTEXT_BYTES, digestBytes, type HashAlgorithm, type NativeHash } from './native-hash.ts'
import type { ArenaBytes } from './segments.ts'
import { treeRoot } from './tree-root.ts'

/**
 * As PieceHash.right() over the segments. Throws RangeError for segments outside the arena or bytes that are missing.
 */
export function segmentsRight(arenas: ArenaBytes, request: CommitRequest, sha: NativeHash): boolean {
  const { arena, segments, hash, tree } = request
  const bytes = arenas[arena]
  if (bytes === undefined) throw new RangeError(`there is no arena ${arena}`)
  if (hash.length === 0 && tree === null) return false
  if (hash.length > 0 && !sameHash(digests('sha1', bytes, wholeParts(segments), 1, sha), hash)) return false
  if (tree === null) return true
  const parts = leafParts(segments, tree)
  const leaves = digests('sha256', bytes, parts, Math.ceil(tree.length / LEAF_BYTES), sha)
  return sameHash(treeRoot(leaves, tree.height, sha), tree.root)
}

function digests(
  algorithm: HashAlgorithm,
  bytes: Uint8Array,
  parts: Float64Array,
  count: number,
  sha: NativeHash,
): Uint8Array {
  const contexts = new Uint8Array(count * CONTEXT_BYTES)
  const out = new Uint8Array(count * digestBytes[algorithm])
  sha.update(algorithm, contexts, bytes, parts)
  sha.finish(algorithm, contexts, count, out)
  return out
}

function wholeParts(segments: readonly number[]): Float64Array {
  const parts = new Float64Array((segments.length / 2) * 3)
  for (let from = 0, to = 0; from < segments.length; from += 2, to += 3) {
    parts[to + 1] = segments[from] as number
    parts[to + 2] = segments[from + 1] as number
  }
  return parts
}

/** The segments cut into leaves; what lies beyond the tree is padding. */
function leafParts(segments: readonly number[], { length }: TreeCheck): Float64Array {
  const parts: number[] = []
  let at = 0
  for (let i = 0; i < segments.length && at < length; i += 2) {
    const offset = segments[i] as number
    const end = Math.min(length - at, segments[i + 1] as number)
    for (let done = 0; done < end; ) {
      const count = Math.min(end - done, LEAF_BYTES - (at % LEAF_BYTES))
      parts.push(Math.floor(at / LEAF_BYTES), offset < 0 ? offset : offset + done, count)
      done += count
      at += count
    }
  }
  if (at < length || !(length > 0)) throw new RangeError(`${length - at} bytes of the tree are missing`)
  return Float64Array.from(parts)
}
