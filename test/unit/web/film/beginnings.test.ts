// When something of a download begins to come in.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Beginnings } from '../../../../src/web/model/film/beginnings.ts'

test('what comes in for the first time is a beginning, what goes on or ends is none', () => {
  const beginnings = new Beginnings()
  const row = [false, false, true, true, true, false, false]
  assert.deepEqual(
    row.map((coming, second) => beginnings.note(coming, second * 1000)),
    [0, 0, 1, 1, 1, 1, 1],
  )
  assert.equal(beginnings.note(true, 60_000), 2)
})

test('a rate that comes and goes every second is a beginning ever more rarely', () => {
  const beginnings = new Beginnings()
  const at: number[] = []
  let count = 0
  for (let second = 0; second < 300; second += 1) {
    const now = beginnings.note(second % 2 === 1, second * 1000)
    if (now > count) at.push(second)
    count = now
  }
  assert.deepEqual(at, [1, 7, 17, 37, 77, 137, 197, 257])
})

test('after a while in which it did not change the next beginning counts as the first did', () => {
  const beginnings = new Beginnings()
  const begins = (ms: number): number => {
    beginnings.note(false, ms)
    return beginnings.note(true, ms)
  }
  assert.deepEqual([0, 5000, 15_000, 35_000].map(begins), [1, 2, 3, 4])
  assert.deepEqual([74_999, 136_000, 140_999, 141_000].map(begins), [4, 5, 5, 6])
})
