// Numbers that wrap.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { microsBefore, microsBetween, microsOf, seqAdd, seqDiff } from '../../../src/utp/sequence.ts'

test('sequence numbers go round', () => {
  assert.equal(seqAdd(65_535, 1), 0)
  assert.equal(seqAdd(0, -1), 65_535)
  assert.equal(seqDiff(0, 65_535), 1)
  assert.equal(seqDiff(65_535, 0), -1)
  assert.equal(seqDiff(5, 65_500), 41)
  assert.equal(seqDiff(7, 7), 0)
  assert.equal(seqDiff(32_767, 0), 32_767)
  assert.equal(seqDiff(32_768, 0), -32_768)
})

test('microseconds go round every 71 minutes', () => {
  const wrapMs = 2 ** 32 / 1000
  assert.equal(microsOf(1.5), 1500)
  assert.equal(microsOf(wrapMs + 1), 1000)
  assert.equal(microsBetween(microsOf(wrapMs + 1), microsOf(wrapMs - 1)), 2000)
  assert.ok(microsBefore(microsOf(wrapMs - 1), microsOf(wrapMs + 1)))
  assert.ok(!microsBefore(microsOf(wrapMs + 1), microsOf(wrapMs - 1)))
  assert.ok(!microsBefore(9, 9))
})
