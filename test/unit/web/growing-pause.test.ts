// Pauses between questions that are in vain.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GrowingPause } from '../../../src/web/model/growing-pause.ts'

test('each pause is twice as long as the one before, up to the longest; an answer begins the row again', () => {
  const pause = new GrowingPause(5000, 60_000)
  const row = (count: number) => Array.from({ length: count }, () => pause.next())
  assert.deepEqual(row(7), [5000, 10_000, 20_000, 40_000, 60_000, 60_000, 60_000])
  pause.restart()
  assert.deepEqual(row(2), [5000, 10_000])
})
