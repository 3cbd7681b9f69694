// The due queue: order, replacing, cancelling, one timer.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DueQueue } from '../../../src/tracker/due-queue.ts'
import { SeededRandom } from '../../kit/sim/seeded-random.ts'
import { ManualClock } from './tracker-kit.ts'

test('entries run in the order of their times, whatever was set, replaced and cancelled before', async () => {
  const clock = new ManualClock()
  const queue = new DueQueue(clock)
  const random = new SeededRandom(3)
  const ran: number[] = []
  const startMs = clock.now()
  const want = new Map<number, number>()
  const entries = Array.from({ length: 500 }, (_, i) => queue.create(() => void ran.push(i)))
  for (let step = 0; step < 5_000; step++) {
    const i = random.below(500)
    const entry = entries[i]
    if (random.below(4) === 0) {
      entry?.cancel()
      want.delete(i)
    } else {
      const delayMs = random.below(100_000)
      entry?.set(delayMs)
      want.set(i, delayMs)
    }
    assert.equal(clock.pending, want.size === 0 ? 0 : 1)
    assert.equal(entry?.pending, want.has(i))
  }
  assert.equal(queue.size, want.size)
  await clock.advance(100_000)
  assert.equal(clock.now(), startMs + 100_000)
  assert.deepEqual(
    ran.map(i => want.get(i)),
    [...want.values()].sort((a, b) => a - b),
  )
  assert.equal(queue.size, 0)
  assert.equal(clock.pending, 0)
})

test('an entry that sets itself for now runs in the next turn, not for ever', async () => {
  const clock = new ManualClock()
  const queue = new DueQueue(clock)
  let runs = 0
  const entry = queue.create(() => {
    if (++runs < 3) entry.set(0)
  })
  entry.set(10)
  assert.equal(queue.nextInMs(), 10)
  await clock.advance(10)
  assert.equal(runs, 3)
})

test('a closed queue runs nothing and takes nothing', async () => {
  const clock = new ManualClock()
  const queue = new DueQueue(clock)
  let runs = 0
  const entry = queue.create(() => void runs++)
  entry.set(10)
  queue.close()
  entry.set(5)
  await clock.advance(100)
  assert.equal(runs, 0)
  assert.equal(clock.pending, 0)
})

test('long waits end together, never early and less than the step late; short ones end in their own moments', async () => {
  const clock = new ManualClock()
  const queue = new DueQueue(clock, 5000)
  const startMs = clock.now()
  const lateMs: number[] = []
  const moments = new Set<number>()
  for (let waitMs = 60_000; waitMs < 120_000; waitMs += 700) {
    const entry = queue.create(() => {
      moments.add(clock.now())
      lateMs.push(clock.now() - startMs - waitMs)
    })
    entry.set(waitMs)
  }
  let shortMs = 0
  queue.create(() => (shortMs = clock.now() - startMs)).set(59_999)
  await clock.advance(125_000)
  assert.equal(lateMs.length, 86)
  assert.ok(
    Math.min(...lateMs) >= 0 && Math.max(...lateMs) < 5000,
    `${Math.min(...lateMs)} to ${Math.max(...lateMs)} ms late`,
  )
  assert.equal(moments.size, 13)
  assert.equal(shortMs, 59_999)
})
