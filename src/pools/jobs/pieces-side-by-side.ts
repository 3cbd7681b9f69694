// The jobs that hash what is on disk, by the machine code: verdicts on pieces, hashes of new ones, leaves of trees.
// They answer what hash.ts and digest.ts answer by node:crypto.

import { LEAF_BYTES, sameHash } from '../../wire/metainfo/merkle.ts'
import type { DigestReply, DigestRequest, HashRequest, HashVerdict, Span, TreeCheck } from '../contract/jobs.ts'
import { digestBytes, type NativeHash } from './native-hash.ts'
import { JobFailure } from './failure.ts'
import { type HashedPiece, hashSideBySide } from './side-by-side.ts'
import { SpanReader } from './span-reader.ts'
import { treeRoot } from './tree-root.ts'

const { sha1: SHA1_BYTES, sha256: ROOT_BYTES } = digestBytes
/** Leaves are made of that many bytes at a time. */
const LEAVES_RUN_BYTES = 4 * LEAF_BYTES

/** A verdict a piece. Throws JobFailure of a failed read, RangeError when spans and pieces do not agree. */
export function verdictsSideBySide(request: HashRequest, sha: NativeHash): HashVerdict[] {
  const { hashes, trees, pieceLength } = request
  const stream = new SpanReader(request.spans)
  const count = trees.length > 0 ? trees.length : hashes.length / SHA1_BYTES
  if (hashes.length > 0 && hashes.length !== count * SHA1_BYTES)
    throw new RangeError(`${hashes.length} bytes of hashes for ${count} trees`)
  checkCount(stream, pieceLength, count)
  const verdicts: HashVerdict[] = []
  const wanted = { pieceLength, sha1: hashes.length > 0, treeBytes: (piece: number) => trees[piece]?.length ?? 0 }
  hashSideBySide(stream, wanted, sha, found => {
    const expected = hashes.subarray(found.piece * SHA1_BYTES, (found.piece + 1) * SHA1_BYTES)
    if (found.missing !== null) verdicts.push('missing')
    else if (isRight(found, expected, trees[found.piece] ?? null, sha)) verdicts.push('ok')
    else verdicts.push(found.blank ? 'zeros' : 'bad-hash')
  })
  return verdicts
}

function isRight(found: HashedPiece, expected: Uint8Array, tree: TreeCheck | null, sha: NativeHash): boolean {
  if (expected.length === 0 && tree === null) return false
  if (expected.length > 0 && !sameHash(found.sha1, expected)) return false
  return tree === null || sameHash(treeRoot(found.leaves, tree.height, sha), tree.root)
}

/**
 * The hashes of new pieces. Throws as verdictsSideBySide does, JobFailure `SHORT` where a file ends before its span.
 */
export function digestsSideBySide({ spans, pieceLength, sha1, trees }: DigestRequest, sha: NativeHash): DigestReply {
  const stream = new SpanReader(spans)
  const count = Math.ceil(stream.length / pieceLength)
  checkCount(stream, pieceLength, trees.length > 0 ? trees.length / 2 : count)
  const hashes = new Uint8Array(sha1 ? count * SHA1_BYTES : 0)
  const roots = new Uint8Array(trees.length > 0 ? count * ROOT_BYTES : 0)
  const treeBytes = (piece: number): number => {
    const length = trees[2 * piece] ?? 0
    if (trees.length > 0 && !(length > 0)) throw new RangeError(`no tree has ${length} bytes`)
    return length
  }
  hashSideBySide(stream, { pieceLength, sha1, treeBytes }, sha, found => {
    if (found.missing !== null) throw new JobFailure('SHORT', 'the file is shorter than it was', found.missing)
    if (sha1) hashes.set(found.sha1, found.piece * SHA1_BYTES)
    if (roots.length > 0)
      roots.set(treeRoot(found.leaves, trees[2 * found.piece + 1] ?? 0, sha), found.piece * ROOT_BYTES)
  })
  return { hashes, roots }
}

/** The leaf hashes of all bytes; empty when a file ends before its span does. Throws as verdictsSideBySide does. */
export function leavesSideBySide(spans: readonly Span[], sha: NativeHash): Uint8Array {
  const stream = new SpanReader(spans)
  const { length } = stream
  if (!(length > 0)) throw new RangeError(`no tree has ${length} bytes`)
  const leaves = new Uint8Array(Math.ceil(length / LEAF_BYTES) * ROOT_BYTES)
  const treeBytes = (run: number): number => Math.min(LEAVES_RUN_BYTES, length - run * LEAVES_RUN_BYTES)
  let missing = false
  hashSideBySide(stream, { pieceLength: LEAVES_RUN_BYTES, sha1: false, treeBytes }, sha, found => {
    missing ||= found.missing !== null
    leaves.set(found.leaves, found.piece * 4 * ROOT_BYTES)
  })
  return missing ? new Uint8Array(0) : leaves
}

function checkCount(stream: SpanReader, pieceLength: number, count: number): void {
  if (!(pieceLength > 0)) throw new RangeError(`pieces of ${pieceLength} bytes`)
  if (Math.ceil(stream.length / pieceLength) !== count)
    throw new RangeError(`bytes of ${Math.ceil(stream.length / pieceLength)} pieces, hashes of ${count}`)
}
