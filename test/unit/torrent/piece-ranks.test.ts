// Priorities of files and the order of the torrent, as bands over the picker.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyPieceSet, forEachPiece, fullPieceSet, type PieceSet, setRange } from '../../../src/base/piece-set.ts'
import { PiecePicker } from '../../../src/torrent/pieces/piece-picker.ts'
import { priorityBands } from '../../../src/torrent/pieces/piece-ranks.ts'
import type { PickOptions } from '../../../src/torrent/pieces/picker-types.ts'
import type { TorrentFile } from '../../../src/wire/metainfo/torrent-types.ts'
import { SeededRandom } from '../../kit/sim/seeded-random.ts'

const BLOCK = 16_384
const NOW: PickOptions = { nowMs: 0, slow: false, allowedFast: null, onlyStarted: false }

function lengthsOf(pieceCount: number) {
  return { pieceCount, pieceLength: BLOCK, totalLength: pieceCount * BLOCK }
}

function listOf(set: PieceSet): number[] {
  const pieces: number[] = []
  forEachPiece(set, piece => pieces.push(piece))
  return pieces
}

function rangeSet(pieceCount: number, first: number, last: number): PieceSet {
  const set = emptyPieceSet(pieceCount)
  setRange(set, first, last, true)
  return set
}

/** Files of these lengths, one after the other. */
function filesOf(lengths: readonly number[]): TorrentFile[] {
  let offset = 0
  return lengths.map((length, index) => {
    const file = { index, path: [`${index}`], length, offset, padding: false }
    offset += length
    return file
  })
}

function picker(pieceCount: number, seed = 1): PiecePicker {
  const made = new PiecePicker(lengthsOf(pieceCount), new SeededRandom(seed), 1000)
  made.setWanted(fullPieceSet(pieceCount))
  return made
}

function picked(from: PiecePicker, peer: string, count: number): number[] {
  return from.pick(peer, count, NOW).map(({ piece }) => piece)
}

test('bands: highest first, a shared piece with the higher one, unselected files nowhere', () => {
  const files = filesOf([2 * BLOCK + 100, 2 * BLOCK - 100, 3 * BLOCK, BLOCK, 0])
  const bands = (selected: number[] | null, priorities: [number, number][]): number[][] =>
    priorityBands(lengthsOf(8), files, selected, new Map(priorities)).map(listOf)
  assert.deepEqual(bands(null, []), [])
  assert.deepEqual(bands(null, [[1, 7]]), [
    [2, 3],
    [0, 1, 4, 5, 6, 7],
  ])
  assert.deepEqual(
    bands(null, [
      [0, 1],
      [3, 6],
    ]),
    [[7], [2, 3, 4, 5, 6], [0, 1]],
  )
  assert.deepEqual(
    bands(
      [0, 3],
      [
        [3, 6],
        [1, 7],
      ],
    ),
    [[7], [0, 1, 2]],
  )
  // One level for all that is selected is no order.
  assert.deepEqual(bands([3], [[3, 6]]), [])
})

test('pieces of a higher band are begun first, by rarity within it', () => {
  const made = picker(40)
  made.setRanks([rangeSet(40, 20, 23), rangeSet(40, 0, 19), rangeSet(40, 24, 39)], false)
  made.addPeer('A', 'all')
  made.addPeer('B', rangeSet(40, 21, 39))
  const first = picked(made, 'A', 4)
  assert.equal(first[0], 20, 'the rarest of the band')
  assert.deepEqual(
    first.toSorted((a, b) => a - b),
    [20, 21, 22, 23],
  )
  const next = picked(made, 'A', 20)
  assert.ok(
    next.every(piece => piece < 20),
    `${next}`,
  )
  // A peer without pieces of the first bands gives what it has.
  assert.ok(picked(made, 'B', 3).every(piece => piece >= 24))
})

test('sequential: in order, also for peers that have a part', () => {
  const made = picker(30)
  made.setRanks([], true)
  made.addPeer('A', 'all')
  made.addPeer('B', rangeSet(30, 10, 20))
  assert.deepEqual(picked(made, 'A', 3), [0, 1, 2])
  assert.deepEqual(picked(made, 'B', 2), [10, 11])
  assert.deepEqual(picked(made, 'A', 3), [3, 4, 5])
  // A piece that failed comes first again.
  for (const piece of [0, 1, 2]) made.received('A', piece, 0)
  made.pieceDone(0)
  made.pieceFailed(1)
  assert.deepEqual(picked(made, 'A', 1), [1])
})

test('sequential within a priority', () => {
  const made = picker(12)
  made.setRanks([rangeSet(12, 6, 8), rangeSet(12, 0, 5), rangeSet(12, 9, 11)], true)
  made.addPeer('A', 'all')
  assert.deepEqual(picked(made, 'A', 12), [6, 7, 8, 0, 1, 2, 3, 4, 5, 9, 10, 11])
})

test('a band that is had is passed over, and counts again when a piece is lost', () => {
  const made = picker(20)
  made.setRanks([rangeSet(20, 15, 16), rangeSet(20, 0, 14), rangeSet(20, 17, 19)], true)
  made.addPeer('A', 'all')
  made.pieceDone(15)
  made.pieceDone(16)
  assert.deepEqual(picked(made, 'A', 1), [0])
  made.pieceLost(16)
  assert.deepEqual(picked(made, 'A', 1), [16])
  made.setHave(rangeSet(20, 15, 16))
  assert.deepEqual(picked(made, 'A', 1), [0])
})

test('pieces of no band come last, and are not forgotten', () => {
  const made = picker(6)
  made.setRanks([rangeSet(6, 3, 4)], false)
  made.addPeer('A', 'all')
  const all = picked(made, 'A', 6)
  assert.deepEqual(
    all.slice(0, 2).toSorted((a, b) => a - b),
    [3, 4],
  )
  assert.equal(new Set(all).size, 6)
})

test('streams come before priorities; without ranks everything is as before', () => {
  const made = picker(20)
  made.setRanks([rangeSet(20, 0, 4), rangeSet(20, 5, 19)], true)
  made.addPeer('A', 'all')
  made.setStream([{ first: 12, last: 13, kind: 'cursor' }])
  assert.deepEqual(picked(made, 'A', 3), [12, 13, 0])
  const firsts = new Set<number>()
  for (let seed = 1; seed <= 40; seed++) {
    const plain = picker(20, seed)
    plain.setRanks([], false)
    plain.addPeer('A', 'all')
    firsts.add(picked(plain, 'A', 1)[0] ?? -1)
  }
  assert.ok(firsts.size > 5)
})
