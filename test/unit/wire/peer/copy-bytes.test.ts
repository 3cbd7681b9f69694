// Copies into private and shared memory, for every mixture of offsets and lengths around a block's size.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { copyBytes } from '../../../../src/wire/peer/copy-bytes.ts'
import { seededBytes } from '../../../kit/content/make-torrent.ts'

test('copies exactly the bytes asked for, at every offset', () => {
  const source = seededBytes(40_000)
  for (const memory of [new ArrayBuffer(50_016), new SharedArrayBuffer(50_016)]) {
    for (const length of [0, 1, 7, 8, 16_383, 16_384, 16_385, 33_000]) {
      for (let shift = 0; shift < 9; shift++) {
        const all = new Uint8Array(memory).fill(0xee)
        copyBytes(source.subarray(3, 3 + length), new Uint8Array(memory, 8, 50_000), 8 + shift)
        const expected = Buffer.alloc(50_016, 0xee)
        expected.set(source.subarray(3, 3 + length), 16 + shift)
        assert.ok(expected.equals(new Uint8Array(all)), `${length} bytes, shift ${shift}`)
      }
    }
  }
})

test('takes nothing that does not fit, and an empty block touches nothing', () => {
  const target = new Uint8Array(new SharedArrayBuffer(16)).fill(0xee)
  assert.throws(() => copyBytes(new Uint8Array(9), target, 8), RangeError)
  copyBytes(new Uint8Array(0), target, 4)
  assert.ok(target.every(byte => byte === 0xee))
})
