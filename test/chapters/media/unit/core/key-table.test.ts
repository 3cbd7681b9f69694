// The table of key frames: bounded, rising, and what was left out of it said.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KeyGathering, MAX_KEYS, risingKeys } from '../../../../../src/chapters/media/core/key-table.ts'

test('in any order, each time once, from 0 on, without what is no number', () => {
  const keys = new KeyGathering(7, 60)
  for (const [time, at] of [
    [5, 50],
    [-0.02, 10],
    [5, 51],
    [2.5, 25],
    [Number.NaN, 1],
    [3, Number.POSITIVE_INFINITY],
  ] as const)
    keys.add(time, at)
  assert.deepEqual(keys.table(), { track: 7, times: [0, 2.5, 5], bytes: [10, 25, 50], gap: 0 })
  assert.equal(new KeyGathering(1, 60).table(), null)
})

test('what lies before or behind the file, or is shown after four months, is none', () => {
  const keys = new KeyGathering(1, 100)
  for (const [time, at] of [
    [1, 99],
    [2, 100],
    [3, -1],
    [4, 2 ** 53],
    [1e8, 50],
  ] as const)
    keys.add(time, at)
  assert.deepEqual(keys.table(), { track: 1, times: [1], bytes: [99], gap: 0 })
})

test('of those whose bytes do not rise, the ones that lead back are left out', () => {
  const table = { track: 1, times: [0, 1, 2, 3, 4], bytes: [0, 50, 20, 50, 60], gap: 0 }
  assert.deepEqual(risingKeys(table), { times: [0, 1, 4], bytes: [0, 50, 60] })
})

test('of too many those that follow too closely are left out, and by how much is said', () => {
  for (const backwards of [false, true]) {
    const keys = new KeyGathering(1, 1_000_000_000)
    const count = 200_000
    for (let at = 0; at < count; at += 1) {
      const frame = backwards ? count - 1 - at : at
      keys.add(frame / 24, frame * 1000)
    }
    const table = keys.table()
    assert.ok(table !== null)
    const { times, bytes, gap } = table
    assert.ok(times.length <= MAX_KEYS && times.length > MAX_KEYS / 3, `${times.length}`)
    assert.ok(gap >= 0.5 && gap <= 1, `${gap}`)
    assert.ok(times.every((time, at) => at === 0 || time - (times[at - 1] ?? 0) >= gap - 1e-6))
    assert.ok(
      times.every((time, at) => Math.abs(time - (bytes[at] ?? 0) / 24_000) < 1e-5),
      'bytes stay with their times',
    )
    assert.ok((times.at(-1) ?? 0) > (count - 24) / 24 - 1, 'to the end')
  }
})
