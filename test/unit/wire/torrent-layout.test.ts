// Where the files of new torrents lie, and which pieces are hashed together with which trees.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runSteps } from '../../../src/wire/steps.ts'
import {
  estimateMetainfoBytes,
  layTorrent,
  newPieceRuns,
  type NewTorrentLayout,
  type TorrentFormat,
} from '../../../src/wire/metainfo/torrent-layout.ts'

const PIECE = 32 * 1024

function lay(format: TorrentFormat, lengths: readonly number[], pieceLength = PIECE): NewTorrentLayout {
  const files = lengths.map((length, i) => ({ path: ['folder', `file${i}`], length }))
  return layTorrent({ format, name: 'folder', multiFile: true, pieceLength, files })
}

/** `length@offset` a file, padding in brackets. */
function shape({ files }: NewTorrentLayout): string[] {
  return files.map(({ length, offset, padding }) => (padding ? `[${length}@${offset}]` : `${length}@${offset}`))
}

test('v1 files follow each other', () => {
  const layout = lay('v1', [5, 0, PIECE, 7])
  assert.deepEqual(shape(layout), ['5@0', '0@5', `${PIECE}@5`, `7@${PIECE + 5}`])
  assert.equal(layout.totalLength, PIECE + 12)
  assert.equal(layout.pieceCount, 2)
  assert.deepEqual([...newPieceRuns(layout)], [{ first: 0, count: 2, trees: [] }])
})

test('files of v2 and hybrid begin at pieces; padding stands behind each that ends within one, the last one too', () => {
  for (const format of ['v2', 'hybrid'] as const) {
    const layout = lay(format, [5, 0, 2 * PIECE, 7])
    const rest = PIECE - 5
    assert.deepEqual(shape(layout), [
      '5@0',
      `[${rest}@5]`,
      `0@${PIECE}`,
      `${2 * PIECE}@${PIECE}`,
      `7@${3 * PIECE}`,
      `[${PIECE - 7}@${3 * PIECE + 7}]`,
    ])
    assert.deepEqual(layout.files[1]?.path, ['folder', '.pad', String(rest)])
    assert.deepEqual(
      layout.files.map(file => file.index),
      [0, 1, 2, 3, 4, 5],
    )
    assert.equal(layout.pieceCount, 4)
  }
})

test('a file alone has no padding', () => {
  const layout = lay('hybrid', [PIECE + 1])
  assert.deepEqual(shape(layout), [`${PIECE + 1}@0`])
  assert.equal(layout.pieceCount, 2)
})

test('trees: bytes of each piece, and the height of a file of one piece or of a piece among others', () => {
  // 5 bytes: one leaf. 20,000 bytes: two. Two pieces of 32 KiB: two leaves each. 32 KiB + 1: a piece and one byte.
  const layout = lay('v2', [5, 20_000, 2 * PIECE, 0, PIECE + 1])
  const trees = [...newPieceRuns(layout)].flatMap(run => run.trees)
  assert.deepEqual(trees, [5, 0, 20_000, 1, PIECE, 1, PIECE, 1, PIECE, 1, 1, 1])
})

test('runs follow each other and are bounded in bytes and pieces', () => {
  for (const [pieceLength, most] of [
    [16 * 1024, 256],
    [1024 * 1024, 16],
    [16 * 1024 * 1024, 1],
  ] as const) {
    const layout = lay('v2', [pieceLength * 1000 + 1], pieceLength)
    let next = 0
    for (const { first, count, trees } of newPieceRuns(layout)) {
      assert.equal(first, next)
      assert.ok(count >= 1 && count <= most)
      assert.equal(trees.length, 2 * count)
      next += count
    }
    assert.equal(next, 1001)
  }
})

test('the estimate of a metainfo file counts hashes of both kinds, and names', () => {
  const pieces = 10_000
  const bytes = (format: TorrentFormat) => runSteps(estimateMetainfoBytes(lay(format, [pieces * PIECE])))
  assert.ok(bytes('v1') >= pieces * 20 && bytes('v1') < pieces * 20 + 1000)
  assert.ok(bytes('v2') >= pieces * 32 && bytes('v2') < pieces * 32 + 1000)
  assert.ok(bytes('hybrid') >= pieces * 52 && bytes('hybrid') < pieces * 52 + 1000)
})
