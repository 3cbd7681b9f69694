// How far ahead a track is held in a browser's buffer that is full at times.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HeldAhead } from '../../../../src/web/model/film/held-ahead.ts'

test('half of it at each refusal, once for those that follow each other at once, and 4 s at the least', () => {
  const held = new HeldAhead(30)
  assert.equal(held.sec, 30)
  const found = [0, 250, 4999, 5000, 10_000, 15_000, 20_000].map(atMs => {
    held.refused(atMs)
    return held.sec
  })
  assert.deepEqual(found, [15, 15, 15, 7.5, 4, 4, 4])
})

test('half a minute without a refusal gives a quarter more, up to what is usual', () => {
  const held = new HeldAhead(20)
  held.refused(0)
  held.took(29_999)
  assert.equal(held.sec, 10)
  const found = [30_000, 30_001, 60_000, 90_000, 120_000, 1e9].map(atMs => {
    held.took(atMs)
    return held.sec
  })
  assert.deepEqual(found, [12.5, 12.5, 15.625, 19.53125, 20, 20])
})

test('what is refused as soon as it grew goes back one step, and is tried half as often each time', () => {
  const held = new HeldAhead(32)
  held.refused(0)
  let atMs = 0
  const waits: number[] = []
  for (let turn = 0; turn < 6; turn += 1) {
    const since = atMs
    for (; held.sec === 16 && atMs - since < 1e6; atMs += 1000) held.took(atMs + 1000)
    waits.push((atMs - since) / 1000)
    held.refused(atMs)
    assert.equal(held.sec, 16)
  }
  assert.deepEqual(waits, [30, 60, 120, 240, 240, 240])
})
