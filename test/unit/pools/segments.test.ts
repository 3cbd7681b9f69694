// Spans and segments: the arithmetic between pieces, files and slots.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runsOf, sliceSegments, wholePiece } from '../../../src/pools/segments.ts'
import { groupSpans, SpanMap } from '../../../src/pools/spans.ts'
import { SharedArena } from '../../../src/pools/arena.ts'
import { makeRigTorrent } from '../../kit/doubles/store-rig.ts'

const files = [
  { path: 't/a', length: 10 },
  { path: 't/empty', length: 0 },
  { path: 't/pad', length: 6, padding: true },
  { path: 't/b', length: 100 },
]
const { layout } = makeRigTorrent('/nowhere', files, 32)

test('a range over files, a zero-byte file and padding', () => {
  const map = new SpanMap(layout.files)
  assert.deepEqual(map.spans(4, 20), [
    { file: 0, position: 4, length: 6 },
    { file: -1, position: 0, length: 6 },
    { file: 3, position: 0, length: 8 },
  ])
  assert.deepEqual(map.spans(115, 1), [{ file: 3, position: 99, length: 1 }])
  assert.throws(() => map.spans(110, 10), RangeError)
})

test('groups hold at most so many files; padding is free', () => {
  const spans = [0, -1, 1, 2, -1].map(file => ({ file, position: 0, length: 1 }))
  assert.deepEqual(
    groupSpans(spans, 2).map(group => group.map(span => span.file)),
    [
      [0, -1, 1],
      [2, -1],
    ],
  )
})

test('blocks become runs in order; overlaps and blocks beyond their slot throw', () => {
  const arena = new SharedArena({ id: 'block', slotBytes: 16, bytes: 64 })
  const block = (begin: number, length: number) => ({ begin, length, slot: arena.lease()! })
  const [c, a, b] = [block(40, 8), block(0, 16), block(16, 16)]
  const runs = (blocks: Parameters<typeof runsOf>[0]) =>
    runsOf(blocks).map(run => [run.begin, run.length, run.segments])
  // Slots 1 and 2 are neighbours in memory too: one segment.
  assert.deepEqual(runs([c, a, b]), [
    [0, 32, [16, 32]],
    [40, 8, [0, 8]],
  ])
  assert.deepEqual(runs([b, { ...c, begin: 32 }]), [[16, 24, [32, 16, 0, 8]]])
  assert.throws(() => runsOf([a, { ...b, begin: 8 }]), /overlap/)
  assert.throws(() => runsOf([{ ...a, length: 17 }]), /does not fit/)
})

test('gaps of a piece become zeroes over padding and throw elsewhere', () => {
  const spans = new SpanMap(layout.files).spans(0, 32)
  const head = { begin: 0, length: 10, segments: [0, 10] }
  const tail = { begin: 16, length: 16, segments: [16, 16] }
  assert.deepEqual(wholePiece([head, tail], spans, 32), [0, 10, -1, 6, 16, 16])
  assert.throws(() => wholePiece([head, { begin: 17, length: 15, segments: [16, 15] }], spans, 32), /missing/)
  assert.throws(() => wholePiece([head], spans, 32), /missing/)
  assert.throws(() => wholePiece([head, { begin: 16, length: 17, segments: [16, 17] }], spans, 32), RangeError)
})

test('a slice of segments begins and ends inside them', () => {
  assert.deepEqual(sliceSegments([100, 10, -1, 6, 200, 10], 4, 15), [104, 6, -1, 6, 200, 3])
  assert.deepEqual(sliceSegments([100, 10], 10, 5), [])
})
