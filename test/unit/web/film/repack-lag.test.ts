// How much later a film begins that the page repacks.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { repackLagSec } from '../../../../src/web/model/film/repack-lag.ts'

const grain = { missingBytes: 1000, rate: 0, bytesPerSecond: 128 * 1024, keySec: 1 }

test('a block, a cluster and the stretch between two key frames, up to a bound', () => {
  assert.equal(repackLagSec(grain), 2 + 5 + 1)
  assert.equal(repackLagSec({ ...grain, keySec: null }), 2 + 5 + 4)
  for (const bytesPerSecond of [1, 0, null]) assert.equal(repackLagSec({ ...grain, bytesPerSecond }), 20)
})

test('as much sooner as it comes in quicker than it is played; nothing where all is there', () => {
  assert.equal(repackLagSec({ ...grain, rate: 64 * 1024 }), 8)
  assert.equal(repackLagSec({ ...grain, rate: 512 * 1024 }), 2)
  assert.equal(repackLagSec({ ...grain, missingBytes: 0 }), 0)
})
