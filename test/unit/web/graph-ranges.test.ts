// What the axes of a graph reach, also before anything was measured.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasLine, timeRange, valueRange } from '../../../src/web/model/graph-ranges.ts'

const NOW = 1_790_000_000

test('no line is drawn of fewer than two samples', () => {
  assert.deepEqual(
    [
      [],
      [[]],
      [[NOW], [5]],
      [
        [NOW, NOW + 1],
        [5, 6],
      ],
    ].map(hasLine),
    [false, false, false, true],
  )
})

test('times are of now, a minute at least', () => {
  assert.deepEqual(timeRange(null, null, NOW), [NOW - 60, NOW])
  assert.deepEqual(timeRange(0, 0, NOW), [NOW - 60, NOW])
  assert.deepEqual(timeRange(NOW - 10, NOW, NOW), [NOW - 60, NOW])
  assert.deepEqual(timeRange(NOW - 500, NOW, NOW), [NOW - 500, NOW])
})

test('a line at nothing has the axis that it is given', () => {
  assert.deepEqual(valueRange(0, 4096), [0, 4096])
  assert.deepEqual(valueRange(null, 4096), [0, 4096])
  assert.equal(valueRange(10_000, 4096)[1], 11_000)
})
