// The bloom filters of BEP 33 by its vector.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseIp } from '../../../src/wire/net/compact-address.ts'
import { addToFilter, FILTER_BYTES, filterCount, filterHas, mergeFilter } from '../../../src/wire/dht/dht-filter.ts'

/** 192.0.2.0 to 192.0.2.255 and 2001:db8:: to 2001:db8::3e7. */
const VECTOR = `
F6C3F5EA A07FFD91 BDE89F77 7F26FB2B FF37BDB8 FB2BBAA2 FD3DDDE7 BACFFF75 EE7CCBAE
FE5EEDB1 FBFAFF67 F6ABFF5E 43DDBCA3 FD9B9FFD F4FFD3E9 DFF12D1B DF59DB53 DBE9FA5B
7FF3B8FD FCDE1AFB 8BEDD7BE 2F3EE71E BBBFE93B CDEEFE14 8246C2BC 5DBFF7E7 EFDCF24F
D8DC7ADF FD8FFFDF DDFFF7A4 BBEEDF5C B95CE81F C7FCFF1F F4FFFFDF E5F7FDCB B7FD79B3
FA1FC77B FE07FFF9 05B7B7FF C7FEFEFF E0B8370B B0CD3F5B 7F2BD93F EB4386CF DD6F7FD5
BFAF2E9E BFFFFEEC D67ADBF7 C67F17EF D5D75EBA 6FFEBA7F FF47A91E B1BFBB53 E8ABFB57
62ABE8FF 237279BF EFBFEEF5 FFC5FEBF DFE5ADFF ADFEE1FB 737FFFFB FD9F6AEF FEEE76B6
FD8F72EF`

function ip(text: string): Uint8Array {
  const bytes = parseIp(text)
  assert.ok(bytes !== null, text)
  return bytes
}

test('the vector of BEP 33, made in two halves and joined', () => {
  const four = new Uint8Array(FILTER_BYTES)
  const six = new Uint8Array(FILTER_BYTES)
  for (let i = 0; i <= 255; i++) addToFilter(four, ip(`192.0.2.${i}`))
  for (let i = 0; i <= 0x3e7; i++) addToFilter(six, ip(`2001:db8::${i.toString(16)}`))
  assert.ok(filterHas(four, ip('192.0.2.7')))
  assert.ok(Math.abs(filterCount(four) - 256) < 20, `${filterCount(four)}`)
  mergeFilter(four, six)
  assert.equal(Buffer.from(four).toString('hex').toUpperCase(), VECTOR.replace(/\s/g, ''))
  assert.ok(Math.abs(filterCount(four) - 1224.9308) < 0.001, `${filterCount(four)}`)
})

test('an empty filter counts nothing, a full one stays finite', () => {
  assert.equal(filterCount(new Uint8Array(FILTER_BYTES)), 0)
  assert.ok(Number.isFinite(filterCount(new Uint8Array(FILTER_BYTES).fill(0xff))))
  assert.equal(filterHas(new Uint8Array(FILTER_BYTES), ip('1.2.3.4')), false)
})
