// Delays above the lowest of the last minutes.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DelayHistory } from '../../../src/utp/delay-history.ts'

const MINUTE_MS = 60_000

test('a delay counts from the lowest seen', () => {
  const history = new DelayHistory()
  assert.equal(history.known, false)
  assert.equal(history.add(5000, 0), 0)
  assert.equal(history.add(7000, 1), 2000)
  assert.equal(history.add(4000, 2), 0)
  assert.equal(history.add(7000, 3), 3000)
  assert.equal(history.base, 4000)
})

test('the clocks of both sides differ by anything, also across the wrap', () => {
  const history = new DelayHistory()
  const low = 2 ** 32 - 1000
  assert.equal(history.add(low, 0), 0)
  assert.equal(history.add(500, 1), 1500)
  assert.equal(history.add(low - 500, 2), 0)
  assert.equal(history.add(500, 3), 2000)
})

test('a base is forgotten after twenty minutes: the path may have become longer', () => {
  const history = new DelayHistory()
  history.add(1000, 0)
  for (let minute = 1; minute <= 19; minute++) history.add(50_000, minute * MINUTE_MS)
  assert.equal(history.add(50_000, 19 * MINUTE_MS + 1), 49_000)
  for (let minute = 20; minute <= 21; minute++) history.add(50_000, minute * MINUTE_MS)
  assert.equal(history.add(50_000, 21 * MINUTE_MS + 1), 0)
})

test('drift of the clocks raises the base', () => {
  const history = new DelayHistory()
  history.raise(100)
  assert.equal(history.known, false)
  history.add(1000, 0)
  history.raise(200)
  assert.equal(history.base, 1200)
  assert.equal(history.add(1500, 1), 300)
  assert.equal(history.add(1100, 2), 0)
})
