// The events in memory: a reader gets everything it lacks, or is sent to the log.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RecentEvents } from '../../../src/services/recent-events.ts'

test('a reader gets what comes after its place, or null when something before that is gone', () => {
  const recent = new RecentEvents()
  assert.equal(recent.after(0), null)
  for (let id = 11; id <= 13; id++) recent.push({ id, type: 'x' })
  const ids = (cursor: number) => recent.after(cursor)?.map(record => record.id) ?? null
  assert.deepEqual([ids(9), ids(10), ids(12), ids(13)], [null, [11, 12, 13], [13], []])
  assert.deepEqual([recent.covers(9), recent.covers(10)], [false, true])
})

test('it is bounded, and holds at least one batch of the database', () => {
  const recent = new RecentEvents()
  let fewest = Number.POSITIVE_INFINITY
  for (let id = 1; id <= 10_000; id++) {
    recent.push({ id, type: 'x' })
    let held = 0
    while (held < id && recent.covers(id - held - 1)) held++
    assert.ok(held <= 1024, `${held} are held`)
    if (id >= 512) fewest = Math.min(fewest, held)
  }
  assert.equal(fewest, 512)
})
