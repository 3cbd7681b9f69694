// The commits of one batch are hashed by one call of the machine code, by every path, and end as they do alone.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { type ArenaNumber, type CommitRequest, jobs, type TreeCheck } from '../../../src/pools/contract/jobs.ts'
import { commitPiece } from '../../../src/pools/jobs/commit.ts'
import { PieceCommits } from '../../../src/pools/jobs/commits-side-by-side.ts'
import { type HashPathName, NativeHash, type NativeModule } from '../../../src/pools/jobs/native-hash.ts'
import { LeafHasher } from '../../../src/wire/metainfo/leaf-hasher.ts'
import { seededBytes } from '../../kit/content/make-torrent.ts'
import { nativeHashes, nativeMissing, nativeModule } from '../../kit/native-hashes.ts'

const PIECE = 50_000
const arenas = [1, 2].map(seed => {
  const bytes = new Uint8Array(new SharedArrayBuffer(20 * PIECE))
  bytes.set(seededBytes(bytes.length, seed))
  return bytes
})
const NO_SHA1 = new Uint8Array(0)

function segmentsOf(index: number): number[] {
  // Two parts, and zeroes behind them.
  return [index * PIECE, 16_384, index * PIECE + 16_384, PIECE - 16_384, -1, index * 10]
}

function bytesOf(index: number, arena: ArenaNumber): Uint8Array {
  const bytes = arenas[arena]?.subarray(index * PIECE, (index + 1) * PIECE) ?? NO_SHA1
  return Buffer.concat([bytes, new Uint8Array(index * 10)])
}

function piece(index: number, arena: ArenaNumber = 0, tree: TreeCheck | null = null): CommitRequest {
  const hash = createHash('sha1').update(bytesOf(index, arena)).digest()
  return { arena, segments: segmentsOf(index), hash, tree, spans: [] }
}

function treeOf(index: number): TreeCheck {
  const leaves = new LeafHasher(PIECE)
  leaves.take(bytesOf(index, 0).subarray(0, PIECE))
  return { root: leaves.root(2), length: PIECE, height: 2 }
}

/** Right ones, wrong ones, some of the other arena, of hybrid torrents, of v2 alone, and one with nothing. */
function mixed(): CommitRequest[] {
  const wrongRoot = { ...treeOf(12), root: new Uint8Array(32) }
  return [
    ...Array.from({ length: 9 }, (_, at) => piece(at)),
    { ...piece(9), hash: new Uint8Array(20) },
    piece(3, 1),
    piece(4, 1),
    { ...piece(5, 1), hash: piece(5).hash },
    piece(10, 0, treeOf(10)),
    piece(12, 0, wrongRoot),
    { ...piece(11, 0, treeOf(11)), hash: NO_SHA1 },
    { ...piece(13), hash: NO_SHA1 },
  ]
}

function batchOf(requests: readonly CommitRequest[]) {
  return requests.map(request => ({ job: jobs['piece.commit'].number, request }))
}

/** A path whose calls for several messages are counted. */
function counting(path: HashPathName): { sha: NativeHash; sizes: number[] } {
  const native = nativeModule()
  const sizes: number[] = []
  const noted: NativeModule = {
    ...native,
    update: (number, algorithm, contexts, data, parts) => {
      if (algorithm === 0) sizes.push(contexts.length / 104)
      native.update(number, algorithm, contexts, data, parts)
    },
  }
  return { sha: new NativeHash(noted, path), sizes }
}

test('every path: verdicts are those of node:crypto, one by one', { skip: nativeMissing }, () => {
  const requests = mixed()
  const alone = requests.map(request => commitPiece(arenas, request).verdict)
  assert.deepEqual(
    alone.map((verdict, at) => (verdict === 'ok' ? -1 : at)).filter(at => at >= 0),
    [9, 12, 14, 16],
  )
  for (const sha of nativeHashes()) {
    const commits = new PieceCommits(arenas, sha)
    for (const batch of [requests, requests.slice(0, 1), requests.slice(3, 5), [...requests].reverse()]) {
      commits.lookAhead(batchOf(batch))
      const verdicts = batch.map(request => commits.commit(request).verdict)
      assert.deepEqual(
        verdicts,
        batch.map(request => commitPiece(arenas, request).verdict),
        sha.path,
      )
    }
  }
})

test('one call for the pieces of an arena, none for each of them again', { skip: nativeMissing }, () => {
  const { sha, sizes } = counting(nativeHashes()[0]?.path ?? 'portable')
  const commits = new PieceCommits(arenas, sha)
  const requests = mixed().filter(({ hash, tree }) => hash.length > 0 && tree === null)
  commits.lookAhead([{ job: jobs['pieces.hash'].number, request: null }, ...batchOf(requests)])
  for (const request of requests) commits.commit(request)
  assert.deepEqual(sizes, [10, 3])
})

test('one that names what is no part of the arena fails alone', { skip: nativeMissing }, () => {
  for (const sha of nativeHashes()) {
    const commits = new PieceCommits(arenas, sha)
    const outside = { ...piece(2), segments: [0, 30 * PIECE] }
    const batch = [piece(0), outside, piece(1)]
    commits.lookAhead(batchOf(batch))
    assert.equal(commits.commit(batch[0] as CommitRequest).verdict, 'ok')
    assert.throws(() => commits.commit(outside), RangeError)
    assert.equal(commits.commit(batch[2] as CommitRequest).verdict, 'ok')
  }
})

test('what was found of a batch is not believed of the next one', { skip: nativeMissing }, () => {
  const [sha] = nativeHashes()
  const commits = new PieceCommits(arenas, sha ?? null)
  const batch = [piece(0), piece(1)]
  commits.lookAhead(batchOf(batch))
  const other = seededBytes(PIECE, 99)
  const before = arenas[0]?.slice(0, PIECE) ?? NO_SHA1
  arenas[0]?.set(other)
  commits.lookAhead(batchOf(batch))
  assert.equal(commits.commit(batch[0] as CommitRequest).verdict, 'bad-hash')
  arenas[0]?.set(before)
})
