// Round trips and the waits that follow from them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FIRST_TIMEOUT_MS, MAX_TIMEOUT_MS, MIN_TIMEOUT_MS, RttEstimator } from '../../../src/utp/rtt.ts'

test('the wait is mean and four deviations, never under the least', () => {
  const rtt = new RttEstimator()
  assert.equal(rtt.timeoutMs, FIRST_TIMEOUT_MS)
  rtt.sample(400)
  assert.equal(rtt.smoothedMs, 400)
  assert.equal(rtt.timeoutMs, 400 + 4 * 200)
  for (let count = 0; count < 100; count++) rtt.sample(400)
  assert.equal(rtt.timeoutMs, MIN_TIMEOUT_MS)
  rtt.sample(800)
  assert.equal(rtt.smoothedMs, 450)
})

test('waits double from the second on while nothing comes back, up to the longest', () => {
  const rtt = new RttEstimator()
  rtt.sample(10)
  const waits = Array.from({ length: 10 }, () => {
    rtt.backOff()
    return rtt.timeoutMs
  })
  assert.deepEqual(waits.slice(0, 4), [500, 1000, 2000, 4000])
  assert.equal(waits.at(-1), MAX_TIMEOUT_MS)
  rtt.progress()
  assert.equal(rtt.timeoutMs, MIN_TIMEOUT_MS)
})

test('the last packet is repeated after two round trips, later when it is alone, never before the first sample', () => {
  const rtt = new RttEstimator()
  assert.equal(rtt.probeMs(2), Number.POSITIVE_INFINITY)
  for (let count = 0; count < 100; count++) rtt.sample(200)
  assert.equal(Math.round(rtt.probeMs(2)), 400)
  assert.equal(Math.round(rtt.probeMs(1)), 500)
  for (let count = 0; count < 200; count++) rtt.sample(0.5)
  assert.equal(rtt.probeMs(2), 20)
})
