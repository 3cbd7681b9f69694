// donthave (BEP 54) and upload_only: bytes, round trips, wrong lengths.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DecodeError } from '../../../../src/base/errors.ts'
import { decodeDontHave, encodeDontHave } from '../../../../src/wire/peer/lt-donthave.ts'
import { decodeUploadOnly, encodeUploadOnly } from '../../../../src/wire/peer/upload-only.ts'

test('donthave carries a piece number, most significant byte first', () => {
  assert.equal(Buffer.from(encodeDontHave(0x01020304)).toString('hex'), '01020304')
  for (const piece of [0, 7, 2 ** 32 - 1]) assert.equal(decodeDontHave(encodeDontHave(piece)), piece)
  for (const length of [0, 3, 5]) assert.throws(() => decodeDontHave(new Uint8Array(length)), DecodeError)
})

test('upload_only carries one byte', () => {
  assert.deepEqual([...encodeUploadOnly(true), ...encodeUploadOnly(false)], [1, 0])
  assert.deepEqual([decodeUploadOnly(Uint8Array.of(1)), decodeUploadOnly(Uint8Array.of(0))], [true, false])
  assert.equal(decodeUploadOnly(Uint8Array.of(7)), true)
  for (const length of [0, 2]) assert.throws(() => decodeUploadOnly(new Uint8Array(length)), DecodeError)
})
