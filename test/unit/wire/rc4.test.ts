// RC4 against the published vectors, and cut into pieces.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Rc4 } from '../../../src/wire/mse/rc4.ts'
import { naiveRc4 } from '../../kit/peers/naive-mse.ts'

const hex = (text: string): Buffer => Buffer.from(text, 'hex')

function keystream(cipher: Rc4, count: number): string {
  const bytes = new Uint8Array(count)
  cipher.apply(bytes, bytes)
  return Buffer.from(bytes).toString('hex')
}

/** RFC 6229: key -> the 16 bytes of keystream at 1024. */
const AT_1024: readonly (readonly [string, string])[] = [
  ['0102030405', '30abbcc7c20b01609f23ee2d5f6bb7df'],
  ['0102030405060708090a0b0c0d0e0f10', 'bdf0324e6083dcc6d3cedd3ca8c53c16'],
]

test('the keystream is that of RFC 6229, from its beginning and after what is thrown away', () => {
  const whole = keystream(new Rc4(hex('0102030405'), 0), 1040)
  assert.equal(whole.slice(0, 32), 'b2396305f03dc027ccc3524a0a1118a8')
  assert.equal(whole.slice(2 * 768, 2 * 784), 'eb62638d4f0ba1fe9fca20e05bf8ff2b')
  for (const [key, expected] of AT_1024) assert.equal(keystream(new Rc4(hex(key)), 16), expected)
})

test('bytes come out the same however they are cut, in place or not, and the source stays as it was', () => {
  const key = hex('00112233445566778899aabbccddeeff00112233')
  const source = Uint8Array.from({ length: 5000 }, (_, at) => (at * 7) & 255)
  const expected = naiveRc4(key)(source)
  for (const step of [1, 13, 255, 256, 257, 5000]) {
    const cipher = new Rc4(key)
    const there = new Uint8Array(source.length)
    for (let at = 0; at < source.length; at += step) {
      cipher.apply(source.subarray(at, at + step), there.subarray(at, at + step))
    }
    assert.ok(expected.equals(there), `in steps of ${step}`)
  }
  assert.ok(source.every((byte, at) => byte === ((at * 7) & 255)))
  const inPlace = source.slice()
  new Rc4(key).apply(inPlace, inPlace)
  assert.ok(expected.equals(inPlace))
})

test('a longer target keeps its tail; a shorter one, an empty key and a long one are refused', () => {
  const target = new Uint8Array(10).fill(9)
  new Rc4(hex('01')).apply(new Uint8Array(4), target)
  assert.deepEqual([...target.subarray(4)], [9, 9, 9, 9, 9, 9])
  assert.throws(() => new Rc4(hex('01')).apply(new Uint8Array(4), new Uint8Array(3)), RangeError)
  assert.throws(() => new Rc4(new Uint8Array(0)), RangeError)
  assert.throws(() => new Rc4(new Uint8Array(257)), RangeError)
})
