// Padding at the end of pieces (BEP 47): what of a piece peers are asked for.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BLOCK_BYTES, blockBytes, blockCount, contentBytes, pieceBytes } from '../../../src/base/lengths.ts'
import { piecePadding } from '../../../src/torrent/pieces/file-pieces.ts'
import type { TorrentFile } from '../../../src/wire/metainfo/torrent-types.ts'

/** Files by length; negative ones are padding. */
function filesOf(lengths: readonly number[]): TorrentFile[] {
  let offset = 0
  return lengths.map((signed, index) => {
    const length = Math.abs(signed)
    const file = { index, path: [String(index)], length, offset, padding: signed < 0 }
    offset += length
    return file
  })
}

function measure(lengths: readonly number[], pieceLength: number) {
  const files = filesOf(lengths)
  const totalLength = lengths.reduce((sum, length) => sum + Math.abs(length), 0)
  const padding = piecePadding({ pieceLength, totalLength }, files)
  return { totalLength, pieceLength, pieceCount: Math.ceil(totalLength / pieceLength), padding }
}

test('padding that ends a piece is not asked for, other padding is', () => {
  const pairs = (lengths: readonly number[]) => [...measure(lengths, 100).padding]
  assert.deepEqual(pairs([30, -70, 200, 50, -50]), [
    [0, 70],
    [3, 50],
  ])
  // Behind the last piece's content, also where the piece is short.
  assert.deepEqual(pairs([100, 30, -20]), [[1, 20]])
  // In the middle of a piece, over a whole piece, and over its end.
  assert.deepEqual(pairs([30, -20, 50]), [])
  assert.deepEqual(pairs([100, -100, 100]), [])
  assert.deepEqual(pairs([50, -150, 100]), [[0, 50]])
  assert.deepEqual(pairs([50, -100, 50]), [[0, 50]])
  assert.deepEqual(pairs([50, 0, -50, 0, 10]), [[0, 50]])
})

test('blocks of a piece end where its padding begins', () => {
  const lengths = measure([BLOCK_BYTES + 5, -(3 * BLOCK_BYTES - 5), 10], 4 * BLOCK_BYTES)
  assert.equal(pieceBytes(lengths, 0), 4 * BLOCK_BYTES)
  assert.equal(contentBytes(lengths, 0), BLOCK_BYTES + 5)
  assert.deepEqual([blockCount(lengths, 0), blockBytes(lengths, 0, 0), blockBytes(lengths, 0, 1)], [2, BLOCK_BYTES, 5])
  assert.deepEqual([blockCount(lengths, 1), blockBytes(lengths, 1, 0)], [1, 10])
})
