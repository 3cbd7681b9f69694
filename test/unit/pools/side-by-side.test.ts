// What the jobs find by the machine code is what they find by node:crypto: the same requests, over files, padding and
// files that end too soon, by every path.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import type { HashRequest, Span, TreeCheck } from '../../../src/pools/contract/jobs.ts'
import { commitPiece } from '../../../src/pools/jobs/commit.ts'
import { digestPieces } from '../../../src/pools/jobs/digest.ts'
import { JobFailure } from '../../../src/pools/jobs/failure.ts'
import { hashLeaves, hashPieces } from '../../../src/pools/jobs/hash.ts'
import { seededBytes } from '../../kit/content/make-torrent.ts'
import { nativeHashes, nativeMissing } from '../../kit/native-hashes.ts'
import { SeededRandom } from '../../kit/sim/seeded-random.ts'

const KIB = 1024

/** A folder of files for a test; each is open. */
function files(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-side-'))
  const open: number[] = []
  t.after(() => {
    for (const fd of open) closeSync(fd)
    rmSync(folder, { recursive: true })
  })
  return (content: Uint8Array, flags = 'r'): { fd: number; path: string } => {
    const path = join(folder, String(open.length))
    writeFileSync(path, content)
    open.push(openSync(path, flags))
    return { fd: open.at(-1) as number, path }
  }
}

/** Runs both ways and compares what they answer, or throw. */
function same(native: () => unknown, plain: () => unknown, what: string): void {
  const outcome = (call: () => unknown): unknown => {
    try {
      return call()
    } catch (error) {
      if (error instanceof JobFailure) return { code: error.code, fd: error.fd }
      if (error instanceof RangeError) return 'RangeError'
      throw error
    }
  }
  assert.deepEqual(outcome(native), outcome(plain), what)
}

function drawn(random: SeededRandom, make: (content: Uint8Array) => { fd: number }) {
  const below = (count: number): number => random.below(count)
  const span = (): Span => {
    const length = [1, below(40 * KIB), 64 * KIB, below(700 * KIB)][below(4)] ?? 0
    if (below(4) === 0) return { fd: -1, position: 0, length }
    const content = below(5) === 0 ? new Uint8Array(length + 5) : seededBytes(length + 5, below(1000))
    // Some files end before their span.
    const { fd } = make(below(6) === 0 ? content.subarray(0, below(length + 1)) : content)
    return { fd, position: below(2) * 5, length }
  }
  return { below, spans: (most: number) => Array.from({ length: 1 + below(most) }, span) }
}

test('verdicts on pieces, v1: any length of pieces, right and wrong hashes', { skip: nativeMissing }, t => {
  const { below, spans } = drawn(new SeededRandom(3), files(t))
  for (let round = 0; round < 60; round++) {
    const pieceLength = [1000, 16 * KIB, 64 * KIB, 65 * KIB, 256 * KIB][below(5)] ?? 1
    const all = spans(6)
    const length = all.reduce((sum, span) => sum + span.length, 0)
    const count = Math.max(1, Math.ceil(length / pieceLength))
    let hashes: Uint8Array
    try {
      hashes = digestPieces({ spans: all, pieceLength, sha1: true, trees: [] }).hashes
    } catch {
      hashes = new Uint8Array(count * 20)
    }
    if (below(3) === 0 && hashes.length > 0) hashes.fill(1, below(hashes.length))
    const request: HashRequest = { hashes, trees: [], pieceLength, spans: all }
    for (const sha of nativeHashes()) {
      same(
        () => hashPieces(request, sha),
        () => hashPieces(request),
        `${sha.path} round ${round}`,
      )
      const digest = { spans: all, pieceLength, sha1: true, trees: [] }
      same(
        () => digestPieces(digest, sha),
        () => digestPieces(digest),
        `${sha.path} digest of round ${round}`,
      )
      same(
        () => hashLeaves({ spans: all }, sha),
        () => hashLeaves({ spans: all }),
        `${sha.path} leaves of ${round}`,
      )
    }
  }
})

test('trees of v2 and of both: pieces, padding, and what is wrong with them', { skip: nativeMissing }, t => {
  const make = files(t)
  const lengths = [1, 16 * KIB, 100 * KIB + 1, 256 * KIB, 300 * KIB]
  for (const [i, length] of lengths.entries()) {
    const pieceLength = 64 * KIB
    const { fd } = make(seededBytes(length, i))
    const padding = (pieceLength - (length % pieceLength)) % pieceLength
    const spans = [{ fd, position: 0, length }, ...(padding > 0 ? [{ fd: -1, position: 0, length: padding }] : [])]
    const count = Math.ceil(length / pieceLength)
    const flat = Array.from({ length: count }, (_, piece) => [Math.min(pieceLength, length - piece * pieceLength), 2])
    for (const sha1 of [true, false]) {
      const digest = { spans, pieceLength, sha1, trees: flat.flat() }
      const { hashes, roots } = digestPieces(digest)
      const trees = flat.map(([below = 0, height = 0], piece): TreeCheck => {
        return { root: roots.subarray(piece * 32, piece * 32 + 32), length: below, height }
      })
      const wrong = trees.map((tree, piece) => (piece === 0 ? { ...tree, root: new Uint8Array(32) } : tree))
      const long = trees.map(tree => ({ ...tree, length: pieceLength + 1 }))
      for (const sha of nativeHashes()) {
        same(
          () => digestPieces(digest, sha),
          () => digestPieces(digest),
          `${sha.path} ${length}`,
        )
        for (const each of [trees, wrong, long, trees.map(() => null)]) {
          const request = { hashes, trees: each, pieceLength, spans }
          same(
            () => hashPieces(request, sha),
            () => hashPieces(request),
            `${sha.path} ${length} ${sha1}`,
          )
        }
      }
    }
  }
})

test('requests whose numbers do not agree, and descriptors that are not open, end alike', {
  skip: nativeMissing,
}, t => {
  const { fd } = files(t)(seededBytes(100 * KIB))
  const spans = [{ fd, position: 0, length: 100 * KIB }]
  const hashes = new Uint8Array(40)
  for (const sha of nativeHashes()) {
    for (const pieceLength of [0, -1, NaN, 10 * KIB]) {
      const request = { hashes, trees: [], pieceLength, spans }
      same(
        () => hashPieces(request, sha),
        () => hashPieces(request),
        `${sha.path} pieces of ${pieceLength}`,
      )
    }
    const closed = {
      hashes,
      trees: [],
      pieceLength: 50 * KIB,
      spans: [{ fd: 1_000_000, position: 0, length: 100 * KIB }],
    }
    same(
      () => hashPieces(closed, sha),
      () => hashPieces(closed),
      sha.path,
    )
    const trees = { spans, pieceLength: 50 * KIB, sha1: true, trees: [0, 0, 0, 0] }
    same(
      () => digestPieces(trees, sha),
      () => digestPieces(trees),
      sha.path,
    )
  }
})

test('a piece in the arena is judged and written alike', { skip: nativeMissing }, t => {
  const make = files(t)
  const arena = new Uint8Array(new SharedArrayBuffer(512 * KIB))
  arena.set(seededBytes(arena.length, 9))
  // Blocks out of order, one of odd length, and padding.
  const segments = [300 * KIB, 16 * KIB, 16 * KIB, 16 * KIB, 5, 16 * KIB - 3, -1, 3]
  const bytes = Buffer.concat([
    arena.subarray(300 * KIB, 316 * KIB),
    arena.subarray(16 * KIB, 32 * KIB),
    arena.subarray(5, 16 * KIB + 2),
    new Uint8Array(3),
  ])
  const hash = createHash('sha1').update(bytes).digest()
  const { fd: content } = make(bytes)
  const { roots } = digestPieces({
    spans: [{ fd: content, position: 0, length: bytes.length }],
    pieceLength: 64 * KIB,
    sha1: false,
    trees: [48 * KIB - 3, 2],
  })
  const tree = { root: roots, length: 48 * KIB - 3, height: 2 }
  const wrong = { ...tree, root: new Uint8Array(32) }
  const { fd, path } = make(new Uint8Array(0), 'w+')
  const spans = [{ fd, position: 0, length: bytes.length }]
  for (const sha of nativeHashes()) {
    assert.deepEqual(commitPiece([arena], { arena: 0, segments, hash, tree, spans }, sha), { verdict: 'ok' })
    assert.ok(readFileSync(path).equals(bytes))
    for (const request of [
      { hash, tree: null },
      { hash, tree: wrong },
      { hash: new Uint8Array(0), tree },
      { hash: new Uint8Array(0), tree: null },
      { hash: new Uint8Array(20), tree },
      { hash: new Uint8Array(0), tree: { ...tree, length: 64 * KIB } },
      { hash, tree: null, segments: [512 * KIB, 1] },
      { hash, tree: null, segments: [0, 512 * KIB + 1] },
    ]) {
      const whole = { arena: 0 as const, segments, spans: [], ...request }
      same(
        () => commitPiece([arena], whole, sha),
        () => commitPiece([arena], whole),
        sha.path,
      )
    }
  }
})
