// Job pieces.digest against hashes made the plain way: pieces over several spans and within one, padding, trees.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { digestPieces } from '../../../src/pools/jobs/digest.ts'
import { JobFailure } from '../../../src/pools/jobs/failure.ts'
import { seededBytes } from '../../kit/content/make-torrent.ts'
import { pieceLayer, treeRoot } from '../../kit/content/merkle-tree.ts'

const PIECE = 32 * 1024

/** A descriptor of a file with this content. */
function fileOf(t: TestContext, content: Uint8Array): number {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-digest-'))
  writeFileSync(join(folder, 'file'), content)
  const fd = openSync(join(folder, 'file'), 'r')
  t.after(() => {
    closeSync(fd)
    rmSync(folder, { recursive: true })
  })
  return fd
}

/** SHA-1 of each piece of `content`. */
function sha1s(content: Uint8Array, pieceLength = PIECE): string {
  const hashes: string[] = []
  for (let at = 0; at < content.length; at += pieceLength)
    hashes.push(
      createHash('sha1')
        .update(content.subarray(at, at + pieceLength))
        .digest('hex'),
    )
  return hashes.join('')
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

test('SHA-1 of pieces that lie in one file, in two, and end short', t => {
  const [one, two] = [seededBytes(PIECE + 1000, 1), seededBytes(2 * PIECE, 2)]
  const spans = [
    { fd: fileOf(t, one), position: 0, length: one.length },
    { fd: fileOf(t, two), position: 0, length: two.length },
  ]
  const { hashes, roots } = digestPieces({ spans, pieceLength: PIECE, sha1: true, trees: [] })
  assert.equal(hex(hashes), sha1s(Buffer.concat([one, two])))
  assert.equal(roots.length, 0)
})

test('a run in the middle of a file', t => {
  const content = seededBytes(5 * PIECE, 3)
  const spans = [{ fd: fileOf(t, content), position: PIECE, length: 3 * PIECE }]
  const { hashes } = digestPieces({ spans, pieceLength: PIECE, sha1: true, trees: [] })
  assert.equal(hex(hashes), sha1s(content.subarray(PIECE, 4 * PIECE)))
})

test('trees of a long file are its piece layer; SHA-1 comes with them when asked for', t => {
  const content = seededBytes(2 * PIECE + 20_000, 4)
  const padding = PIECE - 20_000
  const spans = [
    { fd: fileOf(t, content), position: 0, length: content.length },
    { fd: -1, position: 0, length: padding },
  ]
  const trees = [PIECE, 1, PIECE, 1, 20_000, 1]
  const both = digestPieces({ spans, pieceLength: PIECE, sha1: true, trees })
  assert.equal(hex(both.roots), hex(pieceLayer(content, PIECE)))
  assert.equal(hex(both.hashes), sha1s(Buffer.concat([content, new Uint8Array(padding)])))
  const alone = digestPieces({ spans, pieceLength: PIECE, sha1: false, trees })
  assert.equal(hex(alone.roots), hex(both.roots))
  assert.equal(alone.hashes.length, 0)
})

test('trees of short files, of their own height each', t => {
  const contents = [seededBytes(1, 5), seededBytes(16 * 1024 + 1, 6), seededBytes(PIECE, 7)]
  const spans = contents.flatMap(content => [
    { fd: fileOf(t, content), position: 0, length: content.length },
    { fd: -1, position: 0, length: PIECE - content.length },
  ])
  const { roots } = digestPieces({ spans, pieceLength: PIECE, sha1: false, trees: [1, 0, 16 * 1024 + 1, 1, PIECE, 1] })
  assert.equal(hex(roots), contents.map(content => treeRoot(content).toString('hex')).join(''))
})

test('a piece longer than what is read at a time', t => {
  const content = seededBytes(700_000, 8)
  const spans = [{ fd: fileOf(t, content), position: 0, length: content.length }]
  const { hashes } = digestPieces({ spans, pieceLength: 1024 * 1024, sha1: true, trees: [] })
  assert.equal(hex(hashes), sha1s(content, 1024 * 1024))
})

test('a file that ends early is a failure that names its descriptor', t => {
  const fd = fileOf(t, seededBytes(100, 9))
  const request = { spans: [{ fd, position: 0, length: 101 }], pieceLength: PIECE, sha1: true, trees: [] }
  assert.throws(
    () => digestPieces(request),
    (error: unknown) => error instanceof JobFailure && error.code === 'SHORT' && error.fd === fd,
  )
})

test('trees that do not fit the pieces are a bug', t => {
  const spans = [{ fd: fileOf(t, seededBytes(100, 10)), position: 0, length: 100 }]
  const digest = (pieceLength: number, trees: number[]) => digestPieces({ spans, pieceLength, sha1: true, trees })
  assert.throws(() => digest(PIECE, [100, 0, 100, 0]), RangeError)
  assert.throws(() => digest(0, []), RangeError)
  // A tree over more bytes than the piece has.
  assert.throws(() => digest(PIECE, [101, 0]), RangeError)
})
