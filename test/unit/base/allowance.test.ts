// Buckets of tokens: bursts, refill, no saving beyond the capacity.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Allowance } from '../../../src/base/allowance.ts'

test('a burst is allowed, then one each time the bucket refills', () => {
  const allowance = new Allowance(3, 1000)
  const taken = (nowMs: number): boolean => allowance.take(nowMs)
  assert.deepEqual([taken(500), taken(500), taken(500), taken(500)], [true, true, true, false])
  assert.equal(taken(1499), false)
  assert.equal(taken(1500), true)
  assert.equal(taken(1500), false)
  assert.equal(taken(3499), true, 'one token of the second that has passed whole')
  assert.equal(taken(3499), false)
  assert.equal(taken(3500), true, 'the part of a second was kept')
})

test('nothing is saved beyond the capacity', () => {
  const allowance = new Allowance(2, 1000)
  assert.equal(allowance.take(0), true)
  assert.equal(allowance.available(1_000_000), 2)
  assert.deepEqual(
    [allowance.take(1_000_000), allowance.take(1_000_000), allowance.take(1_000_000)],
    [true, true, false],
  )
  assert.equal(allowance.take(1_000_999), false)
  assert.equal(allowance.take(1_001_000), true)
})
