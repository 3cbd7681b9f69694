// Piece lengths of new torrents: libtorrent's table, and beyond it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { choosePieceLength, isNewPieceLength, MAX_NEW_PIECE_LENGTH } from '../../../src/wire/metainfo/piece-length.ts'

const KIB = 1024
const MIB = 1024 * KIB

test('size decides as in libtorrent 2: the largest content of each piece length, and one byte more', () => {
  const table: readonly (readonly [number, number])[] = [
    [2_684_355, 16 * KIB],
    [10_737_418, 32 * KIB],
    [42_949_673, 64 * KIB],
    [171_798_692, 128 * KIB],
    [687_194_767, 256 * KIB],
    [2_748_779_069, 512 * KIB],
    [10_995_116_278, MIB],
    [43_980_465_111, 2 * MIB],
    [175_921_860_444, 4 * MIB],
    [703_687_441_777, 8 * MIB],
  ]
  for (const [most, length] of table) {
    assert.equal(choosePieceLength(most), length)
    assert.equal(choosePieceLength(most + 1), 2 * length)
  }
  assert.equal(choosePieceLength(1), 16 * KIB)
  assert.equal(choosePieceLength(2_000_000_000_000), 16 * MIB)
})

test('where the hashes of all pieces would not fit, pieces grow on, up to the largest', () => {
  assert.equal(choosePieceLength(5_000_000_000_000), 32 * MIB)
  assert.equal(choosePieceLength(Number.MAX_SAFE_INTEGER), MAX_NEW_PIECE_LENGTH)
})

test('a piece length is a power of two within bounds', () => {
  for (const fine of [16 * KIB, 32 * KIB, 4 * MIB, 128 * MIB]) assert.ok(isNewPieceLength(fine), String(fine))
  for (const wrong of [0, 1, 8 * KIB, 16 * KIB + 1, 48 * KIB, 256 * MIB, 2 ** 40, -16_384, 16_384.5, Number.NaN])
    assert.ok(!isNewPieceLength(wrong), String(wrong))
})
