// The order in which pieces were read last.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyPieceSet, fullPieceSet, type PieceSet } from '../../../src/base/piece-set.ts'
import { ReadOrder } from '../../../src/torrent/streams/read-order.ts'

function setOf(...pieces: number[]) {
  const set = emptyPieceSet(20)
  for (const piece of pieces) set.set(piece, true)
  return set
}

test('those never read first, then by their last use; only what is had', () => {
  const order = new ReadOrder()
  for (const piece of [3, 7, 7, 7, 1, 3]) order.used(piece)
  assert.deepEqual([...order.oldest(setOf(0, 1, 3, 7, 12))], [0, 12, 7, 1, 3])
  assert.deepEqual([...order.oldest(setOf(3, 1))], [1, 3])
  order.gone(3)
  assert.deepEqual([...order.oldest(setOf(3, 1))], [3, 1], 'one that came back and was not read since')
  order.used(3)
  order.used(1)
  assert.deepEqual([...order.oldest(setOf(3, 1))], [3, 1])
})

test('one that goes while it is the newest is noted when it is read again', () => {
  const order = new ReadOrder()
  order.used(4)
  order.gone(4)
  order.used(5)
  order.used(4)
  order.gone(4)
  order.used(4)
  assert.deepEqual([...order.oldest(setOf(4, 5))], [5, 4])
})

test('of very many pieces that may go no more are looked at than are taken', () => {
  const pieces = 800_000
  const [order, all] = [new ReadOrder(), fullPieceSet(pieces)]
  for (let piece = 0; piece < pieces; piece += 2) order.used(piece)
  const read: number[] = []
  const gone: PieceSet = Object.assign(fullPieceSet(pieces), {
    get(piece: number): boolean {
      read.push(piece)
      return true
    },
  })
  const oldest = order.oldest(all)
  assert.deepEqual([oldest.next().value, oldest.next().value, oldest.next().value], [1, 3, 5])
  // The set itself is gone through by its bytes alone.
  const others = order.oldest(gone)
  for (let taken = 0; taken < 4096; taken += 1) others.next()
  assert.deepEqual(read, [])
})
