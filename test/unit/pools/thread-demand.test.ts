// When another worker thread is worth its start.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ThreadDemand } from '../../../src/pools/thread-demand.ts'

const little = { waitedMs: 99, silentMs: 1e6, spread: false }

test('one thread until jobs wait long or are for all threads; one start at a time', () => {
  const demand = new ThreadDemand(4)
  assert.equal(demand.batches(2), 1)
  assert.equal(demand.grow({ ...little, spread: true }), false, 'the first one is still starting')
  demand.came(1)
  assert.equal(demand.batches(2), 2)
  assert.equal(demand.grow(little), false)
  assert.equal(demand.grow({ ...little, waitedMs: 100 }), true)
  assert.equal(demand.batches(2), 2)
  assert.equal(demand.grow({ ...little, spread: true }), false, 'the second one is still starting')
  demand.came(2)
  assert.equal(demand.batches(2), 4)
  assert.equal(demand.grow({ waitedMs: 200, silentMs: 250, spread: false }), true)
  demand.came(3)
  assert.equal(demand.grow({ ...little, spread: true }), true)
  demand.came(4)
  assert.equal(demand.mayGrow, false)
  assert.equal(demand.grow({ waitedMs: 1e6, silentMs: 1e6, spread: true }), false)
})

test('threads that end are started again only when they are needed', () => {
  const demand = new ThreadDemand(2)
  demand.came(1)
  demand.grow({ ...little, spread: true })
  demand.came(2)
  demand.went(1)
  assert.equal(demand.batches(2), 2)
  assert.equal(demand.grow(little), false)
  // The next one dies while it starts: another may be started.
  assert.equal(demand.grow({ ...little, spread: true }), true)
  demand.went(1)
  assert.equal(demand.mayGrow, true)
  demand.went(0)
  assert.equal(demand.batches(2), 1)
  demand.reset()
  demand.came(1)
  assert.equal(demand.batches(2), 2)
})

test('waits while answers come are the load of the machine: no thread is started for them', () => {
  const demand = new ThreadDemand(2)
  demand.came(1)
  assert.equal(demand.grow({ waitedMs: 5000, silentMs: 249, spread: false }), false)
  assert.equal(demand.grow({ waitedMs: 5000, silentMs: 250, spread: false }), true, 'the only thread is held')
})
