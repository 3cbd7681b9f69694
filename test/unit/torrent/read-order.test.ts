// The order in which pieces were read last.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyPieceSet } from '../../../src/base/piece-set.ts'
import { ReadOrder } from '../../../src/torrent/streams/read-order.ts'

function setOf(...pieces: number[]) {
  const set = emptyPieceSet(20)
  for (const piece of pieces) set.set(piece, true)
  return set
}

test('those never read first, then by their last use; only what is had', () => {
  const order = new ReadOrder()
  for (const piece of [3, 7, 7, 7, 1, 3]) order.used(piece)
  assert.deepEqual(order.oldest(setOf(0, 1, 3, 7, 12)), [0, 12, 7, 1, 3])
  assert.deepEqual(order.oldest(setOf(3, 1)), [1, 3])
  order.gone(3)
  assert.deepEqual(order.oldest(setOf(3, 1)), [3, 1], 'one that came back and was not read since')
  order.used(3)
  order.used(1)
  assert.deepEqual(order.oldest(setOf(3, 1)), [3, 1])
})

test('one that goes while it is the newest is noted when it is read again', () => {
  const order = new ReadOrder()
  order.used(4)
  order.gone(4)
  order.used(5)
  order.used(4)
  order.gone(4)
  order.used(4)
  assert.deepEqual(order.oldest(setOf(4, 5)), [5, 4])
})
