// The events in memory: a reader gets everything it lacks, or is sent to the log.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RecentEvents } from '../../../src/services/events/recent-events.ts'

const lineOf = (id: number) => `{"id":${id}}\n`

test('a reader gets what comes after its place, or null when something before that is gone', () => {
  const recent = new RecentEvents()
  assert.equal(recent.after(0), null)
  for (let id = 11; id <= 13; id++) recent.push(id, lineOf(id))
  const ids = (cursor: number) => recent.after(cursor)?.ids ?? null
  assert.deepEqual([ids(9), ids(10), ids(12), ids(13)], [null, [11, 12, 13], [13], null])
  assert.deepEqual(recent.after(12)?.lines, [lineOf(13)])
  assert.deepEqual([recent.covers(9), recent.covers(10)], [false, true])
})

test('a run that was shown stays as it is', () => {
  const recent = new RecentEvents()
  recent.push(1, lineOf(1))
  const first = recent.after(0)
  recent.push(2, lineOf(2))
  recent.push(3, lineOf(3))
  assert.equal(recent.after(0), first)
  assert.deepEqual([first?.ids, recent.after(1)?.ids], [[1], [2, 3]])
})

test('runs are bounded in events and in text', () => {
  const recent = new RecentEvents()
  for (let id = 1; id <= 300; id++) recent.push(id, lineOf(id))
  for (let id = 301; id <= 310; id++) recent.push(id, 'x'.repeat(30_000))
  const lengths: number[] = []
  for (let run = recent.after(0); run !== null; run = recent.after(run.ids.at(-1) ?? 0)) lengths.push(run.ids.length)
  assert.deepEqual(lengths, [128, 128, 47, 3, 3, 1])
})

test('it is bounded, and holds at least one batch of the database', () => {
  const recent = new RecentEvents()
  let fewest = Number.POSITIVE_INFINITY
  for (let id = 1; id <= 10_000; id++) {
    recent.push(id, lineOf(id))
    let held = 0
    while (held < id && recent.covers(id - held - 1)) held++
    assert.ok(held < 512 + 128, `${held} are held`)
    if (id >= 512) fewest = Math.min(fewest, held)
  }
  assert.equal(fewest, 512)
})
