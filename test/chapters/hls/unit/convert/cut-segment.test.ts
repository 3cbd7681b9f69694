// What a cut for another program may be: it is held beside that program's own memory.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cutOf } from '../../../../../src/chapters/hls/convert/cut-segment.ts'
import type { SegmentSamples } from '../../../../../src/chapters/hls/core/samples.ts'
import { madeOrder } from '../../kit/made-order.ts'

const MIB = 1024 * 1024
const track = { codecId: 'V_MPEG2', config: null, width: 0, height: 0, rate: 0, channels: 0, bits: 0 }
const parts = { picture: 'mpeg2', sound: null }

function samplesOf(mib: number): SegmentSamples {
  const samples = Array.from({ length: mib }, (_, at) => ({ time: 4 + at, isKey: true, bytes: new Uint8Array(MIB) }))
  return { video: { config: new Uint8Array(0), frameSeconds: 1, samples }, sound: null }
}

test('a cut of 32 MiB is made, and no more', () => {
  assert.ok(cutOf(() => track, madeOrder(), parts, samplesOf(32)).length > 32 * MIB)
  assert.throws(() => cutOf(() => track, madeOrder(), parts, samplesOf(33)), { name: 'DecodeError', message: /33 MiB/ })
})
