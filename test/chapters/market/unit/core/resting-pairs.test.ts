// How long pairs of orders and traders are left alone.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TraderConduct } from '../../../../../src/chapters/market/core/conduct.ts'
import {
  MAX_REMEMBERED_TRADERS,
  FAULT_REST_MS,
  MAX_FAULT_REST_MS,
} from '../../../../../src/chapters/market/core/conduct.ts'
import {
  PAIR_REST_MS,
  MAX_PAIR_REST_MS,
  MAX_RESTING_PAIRS,
} from '../../../../../src/chapters/market/core/resting-pairs.ts'
import { RestingPairs } from '../../../../../src/chapters/market/core/resting-pairs.ts'
import { TestTrader } from '../../kit/market-orders.ts'
import { VirtualClock } from '../../../../kit/sim/virtual-clock.ts'

const own = { trader: 'aa'.repeat(20), number: 1 }

test('a passing reason rests for a time that doubles, a lasting one until the order says something new', async () => {
  const clock = new VirtualClock()
  const pairs = new RestingPairs(clock)
  const bob = new TestTrader('bob')
  const theirs = bob.order()
  assert.equal(pairs.resting(own, theirs), false)
  assert.equal(pairs.failed(own, theirs, 'busy'), PAIR_REST_MS)
  await clock.advance(PAIR_REST_MS - 1)
  assert.equal(pairs.resting(own, theirs), true)
  assert.equal(pairs.resting({ ...own, number: 2 }, theirs), false)
  await clock.advance(1)
  assert.equal(pairs.resting(own, theirs), false)
  assert.equal(pairs.failed(own, theirs, 'reserved'), 2 * PAIR_REST_MS)
  for (let count = 0; count < 30; count++) pairs.failed(own, theirs, 'other')
  assert.equal(pairs.failed(own, theirs, 'other'), MAX_PAIR_REST_MS)

  const later = bob.later(theirs, { remaining: 5n })
  assert.equal(pairs.resting(own, later), false)
  assert.equal(pairs.failed(own, later, 'price'), null)
  await clock.advance(10 * MAX_PAIR_REST_MS)
  assert.equal(pairs.resting(own, later), true)
  assert.equal(pairs.resting(own, bob.later(later, { remaining: 4n })), false)
  pairs.forget(own)
  assert.equal(pairs.resting(own, later), false)
})

test('pairs are remembered up to a bound, the oldest go first', () => {
  const pairs = new RestingPairs(new VirtualClock())
  const theirs = new TestTrader('bob').order()
  for (let number = 1; number <= MAX_RESTING_PAIRS + 10; number++) pairs.failed({ ...own, number }, theirs, 'busy')
  assert.equal(pairs.size, MAX_RESTING_PAIRS)
  assert.equal(pairs.resting({ ...own, number: 10 }, theirs), false)
  assert.equal(pairs.resting({ ...own, number: 11 }, theirs), true)
})

test('faults: twice as long each time, up to a day; a swap that went well makes the next one the first', async () => {
  const clock = new VirtualClock()
  const conduct = new TraderConduct(clock)
  conduct.fault('eve', clock.wallMs())
  await clock.advance(FAULT_REST_MS - 1)
  assert.equal(conduct.avoided('eve'), true)
  assert.equal(conduct.avoided('bob'), false)
  await clock.advance(1)
  assert.equal(conduct.avoided('eve'), false)
  conduct.fault('eve', clock.wallMs())
  await clock.advance(2 * FAULT_REST_MS - 1)
  assert.equal(conduct.avoided('eve'), true)
  for (let count = 0; count < 40; count++) conduct.fault('eve', clock.wallMs())
  await clock.advance(MAX_FAULT_REST_MS - 1)
  assert.equal(conduct.avoided('eve'), true)
  await clock.advance(1)
  assert.equal(conduct.avoided('eve'), false)
  conduct.completed('eve')
  conduct.fault('eve', clock.wallMs())
  await clock.advance(FAULT_REST_MS)
  assert.equal(conduct.avoided('eve'), false)
})

test('a crowd of names pushes nobody out who is left alone', () => {
  const clock = new VirtualClock()
  const conduct = new TraderConduct(clock)
  conduct.fault('eve', clock.wallMs())
  for (let count = 0; count < 3 * MAX_REMEMBERED_TRADERS; count++) conduct.admits(`name ${count}`)
  assert.equal(conduct.size, MAX_REMEMBERED_TRADERS)
  assert.equal(conduct.avoided('eve'), true)
})
