// CRC32-C by the vectors of RFC 3720.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32c } from '../../../src/wire/dht/crc32c.ts'

test('the vectors of RFC 3720, B.4, and the check value of the polynomial', () => {
  assert.equal(crc32c(Buffer.from('123456789')), 0xe3069283)
  assert.equal(crc32c(new Uint8Array(32)), 0x8a9136aa)
  assert.equal(crc32c(new Uint8Array(32).fill(0xff)), 0x62a8ab43)
  assert.equal(crc32c(Uint8Array.from({ length: 32 }, (_, index) => index)), 0x46dd794e)
  assert.equal(crc32c(Uint8Array.from({ length: 32 }, (_, index) => 31 - index)), 0x113fdb5c)
  assert.equal(crc32c(new Uint8Array(0)), 0)
})
