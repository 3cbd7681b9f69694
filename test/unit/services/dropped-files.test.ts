// Files of the watch folder that could not be started: when each is due again, and that the first time is marked.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DroppedFiles } from '../../../src/services/downloads/dropped-files.ts'
import { VirtualClock } from '../../kit/sim/virtual-clock.ts'

const records = { list: () => Promise.resolve([]), keep: () => Promise.resolve(), drop: () => Promise.resolve() }

test('a file that cannot be started is put off twice as long each time; only the first time is news', async () => {
  const clock = new VirtualClock()
  const files = new DroppedFiles(records, clock)
  const file = { path: '/watch/a.torrent', size: 10, mtimeMs: 1 }
  assert.equal(files.postpone(file), false, 'a file that nobody has seen')
  const isDue = (): boolean => files.due([file]).length === 1
  assert.ok(isDue())
  for (const [time, waitMs] of [5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000].entries()) {
    assert.equal(files.postpone(file), time === 0)
    await clock.advance(waitMs - 1)
    assert.ok(!isDue(), `due before ${waitMs} ms`)
    await clock.advance(1)
    assert.ok(isDue(), `not due after ${waitMs} ms`)
  }
})
