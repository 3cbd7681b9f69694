// What is taken for a segment is bounded while it is taken, whatever a film says of its samples.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Found, Gathering } from '../../../../../src/chapters/hls/core/gathering.ts'
import { MAX_SAMPLES, MAX_SEGMENT_BYTES } from '../../../../../src/chapters/hls/core/samples.ts'
import { madeOrder } from '../../kit/made-order.ts'

const order = madeOrder({ container: 'mp4' })
const sample = (track: number, item: number, isKey = true): Found<number> => ({ track, time: 5, isKey, item })

test('bytes: a picture of gigabytes, and many that lie over each other', () => {
  const one = new Gathering<number>(order, bytes => bytes)
  assert.throws(() => one.take(sample(1, 3 * 2 ** 30)), { name: 'DecodeError' })
  const many = new Gathering<number>(order, bytes => bytes)
  for (let left = 2 * MAX_SEGMENT_BYTES; left > 0; left -= 2 ** 20)
    many.take(sample(left % 2 ** 21 === 0 ? 1 : 2, 2 ** 20))
  assert.throws(() => many.take(sample(2, 1)), { name: 'DecodeError' })
})

test('pictures and frames of sound, however small', () => {
  for (const track of [1, 2]) {
    const found = new Gathering<number>(order, bytes => bytes)
    for (let count = 0; count < MAX_SAMPLES; count += 1) found.take(sample(track, 0))
    assert.throws(() => found.take(sample(track, 0)), { name: 'DecodeError' })
  }
})
