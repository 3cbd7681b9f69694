// Limits for a line: what others need stays free, and a way whose speed is not known gets no limit.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isService, limitsFor } from '../../../src/web/model/line-share.ts'

test('a share of each way; no limit where the speed is not known, and never one of nothing', () => {
  assert.deepEqual(limitsFor({ down: 12_500_000, up: 5_000_000 }), { down: 11_250_000, up: 4_000_000 })
  assert.deepEqual(limitsFor({ down: 0, up: 1 }), { down: null, up: 1 })
  assert.deepEqual(limitsFor({ down: Number.NaN, up: -1 }), { down: null, up: null })
})

test('a service keeps its state where services do', () => {
  assert.equal(isService('/var/lib/tributary/tributary.yaml'), true)
  assert.equal(isService('/home/a/.local/share/tributary/tributary.yaml'), false)
  assert.equal(isService('relative/var/lib/x.yaml'), false)
})
