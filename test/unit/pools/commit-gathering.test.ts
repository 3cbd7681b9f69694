// When commits wait for each other: only while they come so fast that it pays, never for long, never for more than fit.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CommitGathering } from '../../../src/pools/commit-gathering.ts'

const MIB = 1024 * 1024

/** After so many commits, so far apart. */
function after(count: number, gapUs: number, fullBytes = 16 * MIB): { gathering: CommitGathering; nowUs: number } {
  const gathering = new CommitGathering(fullBytes)
  let nowUs = 1_000_000
  for (let i = 0; i < count; i++) gathering.came((nowUs += gapUs))
  return { gathering, nowUs }
}

test('those that follow each other quickly wait, up to 40 ms from the first one', () => {
  const { gathering, nowUs } = after(60, 2500)
  const held = { count: 3, bytes: 3 * MIB, sinceUs: nowUs }
  assert.equal(gathering.leftUs(held, nowUs), 40_000)
  assert.equal(gathering.leftUs(held, nowUs + 15_000), 25_000)
  assert.equal(gathering.leftUs(held, nowUs + 40_000), 0)
  assert.equal(gathering.leftUs(held, nowUs + 50_000), 0)
})

test('enough for all lanes, or as many bytes as may wait, go at once', () => {
  const { gathering, nowUs } = after(60, 100)
  assert.ok(gathering.leftUs({ count: 15, bytes: 15, sinceUs: nowUs }, nowUs) > 0)
  assert.equal(gathering.leftUs({ count: 16, bytes: 16, sinceUs: nowUs }, nowUs), 0)
  assert.equal(gathering.leftUs({ count: 2, bytes: 16 * MIB, sinceUs: nowUs }, nowUs), 0)
  assert.equal(gathering.leftUs({ count: 0, bytes: 0, sinceUs: nowUs }, nowUs), 0)
})

test('the first ones, and those that come too slowly for company, wait for nothing', () => {
  const one = (rig: { gathering: CommitGathering; nowUs: number }): number =>
    rig.gathering.leftUs({ count: 1, bytes: MIB, sinceUs: rig.nowUs }, rig.nowUs)
  assert.equal(one(after(1, 100)), 0)
  assert.equal(one(after(8, 100)), 0)
  assert.equal(one(after(200, 9000)), 0)
  assert.ok(one(after(200, 7500)) > 0)
  const slower = after(60, 100)
  for (let i = 0; i < 30; i++) slower.gathering.came((slower.nowUs += 20_000))
  assert.equal(one(slower), 0)
})

test('where nothing may wait nothing does', () => {
  const { gathering, nowUs } = after(60, 100, 0)
  assert.equal(gathering.leftUs({ count: 1, bytes: 1, sinceUs: nowUs }, nowUs), 0)
})
