// Rates as a page shows them: which range, columns, what they come to, rows of a table.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rangeIn, rateColumns, rateRows, totalsOf } from '../../../../src/web/model/detail/rate-ranges.ts'

const rates = (down: number[], up: number[] = down.map(() => 0)) =>
  ({ infohash: 'ab'.repeat(20), range: 'day', start: 6000, step: 600, speed_down: down, speed_up: up }) as const

test('a device has kept one of the ranges, or the last hour is shown', () => {
  assert.deepEqual(['live', 'day', 'month', 'year', 'toString', null, 5].map(rangeIn), [
    'live',
    'day',
    'month',
    'hour',
    'hour',
    'hour',
    'hour',
  ])
})

test('each average stands where its step ends', () => {
  assert.deepEqual(rateColumns(rates([1, 2], [3, 4])), [
    [6600, 7200],
    [1, 2],
    [3, 4],
  ])
})

test('the fastest step, and the bytes of all', () => {
  assert.deepEqual(totalsOf([0, 5, 2], 600), { most: 5, bytes: 4200 })
  assert.deepEqual(totalsOf([], 600), { most: 0, bytes: 0 })
})

test('a table has few rows, averages of as many steps each, the newest first', () => {
  const rows = rateRows(rates(Array.from({ length: 144 }, (_, at) => (at < 12 ? 60 : 0))), 12)
  assert.equal(rows.length, 12)
  assert.deepEqual(rows.at(-1), { from: 6000, down: 60, up: 0 })
  assert.deepEqual(rows[0], { from: 6000 + 132 * 600, down: 0, up: 0 })
  assert.deepEqual(rateRows(rates([4, 8, 3]), 2), [
    { from: 7200, down: 3, up: 0 },
    { from: 6000, down: 6, up: 0 },
  ])
})
