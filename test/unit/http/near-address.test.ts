// Which addresses are of this machine or a local network.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isNear } from '../../../src/http/near-address.ts'

const v4 = (text: string): Uint8Array => Uint8Array.from(text.split('.').map(Number))
const mapped = (text: string): Uint8Array => Uint8Array.from([...new Array<number>(10).fill(0), 255, 255, ...v4(text)])
const v6 = (...words: number[]): Uint8Array =>
  Uint8Array.from([...words, ...new Array<number>(8 - words.length).fill(0)].flatMap(word => [word >> 8, word & 255]))

test('loopback, private, link-local, shared and unique local addresses are near; all others are not', () => {
  const near = ['127.0.0.1', '127.255.0.1', '10.0.0.0', '172.16.0.1', '172.31.255.255', '192.168.1.7', '169.254.9.9']
  for (const text of [...near, '100.64.0.1', '100.127.255.255']) {
    assert.equal(isNear(v4(text)), true, text)
    assert.equal(isNear(mapped(text)), true, text)
  }
  const far = ['126.255.255.255', '128.0.0.1', '11.0.0.1', '172.15.0.1', '172.32.0.1', '192.167.1.1', '192.169.0.1']
  for (const text of [...far, '100.63.255.255', '100.128.0.0', '0.0.0.0', '8.8.8.8', '255.255.255.255']) {
    assert.equal(isNear(v4(text)), false, text)
    assert.equal(isNear(mapped(text)), false, text)
  }
  for (const address of [v6(0, 0, 0, 0, 0, 0, 0, 1), v6(0xfe80, 1), v6(0xfebf), v6(0xfc00), v6(0xfdff, 2)])
    assert.equal(isNear(address), true, address.join('.'))
  for (const address of [v6(), v6(0x2001, 0xdb8), v6(0xfec0), v6(0xfe00), v6(0xff02), v6(0, 0, 0, 0, 0, 0, 0, 2)])
    assert.equal(isNear(address), false, address.join('.'))
  assert.equal(isNear(new Uint8Array(0)), false, 'a client that is gone')
})
