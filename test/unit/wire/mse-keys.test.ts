// The key agreement against OpenSSL, and the keys that no honest peer sends.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DecodeError } from '../../../src/base/errors.ts'
import { makeExponent, mseKeys } from '../../../src/wire/mse/mse-keys.ts'
import { naiveKeys, PRIME_HEX } from '../../kit/peers/naive-mse.ts'
import { SeededRandom } from '../../kit/sim/seeded-random.ts'

const random = new SeededRandom(7)
const exponents = [
  Buffer.from('0102030405060708090a0b0c0d0e0f1011121314', 'hex'),
  Buffer.alloc(20, 255),
  Buffer.from('8000000000000000000000000000000000000000', 'hex'),
  makeExponent(random),
  makeExponent(random),
]
const pairs = exponents.map(exponent => ({ exponent, naive: naiveKeys(exponent) }))

test('public keys are those of OpenSSL, 96 bytes each', () => {
  for (const { exponent, naive } of pairs) {
    assert.equal(Buffer.from(mseKeys.publicKey(exponent)).toString('hex'), naive.publicKey.toString('hex'))
  }
})

test('secrets are those of OpenSSL, and the same on both sides', () => {
  for (const { exponent, naive } of pairs) {
    for (const other of pairs) {
      const secret = Buffer.from(mseKeys.secret(exponent, other.naive.publicKey)).toString('hex')
      assert.equal(secret, naive.secret(other.naive.publicKey).toString('hex'))
      assert.equal(secret, Buffer.from(mseKeys.secret(other.exponent, naive.publicKey)).toString('hex'))
    }
  }
})

test('a small public key keeps its zeros in front', () => {
  const one = Buffer.alloc(20)
  one[19] = 1
  const two = Buffer.alloc(96)
  two[95] = 2
  assert.ok(two.equals(mseKeys.publicKey(one)))
  assert.ok(two.equals(mseKeys.secret(one, two)))
})

test('keys that give the secret away are refused: 0, 1, -1, the prime and above, and other lengths', () => {
  const prime = BigInt(`0x${PRIME_HEX}`)
  const key = (value: bigint): Buffer => Buffer.from(value.toString(16).padStart(192, '0'), 'hex')
  for (const value of [0n, 1n, prime - 1n, prime, prime + 1n, 2n ** 768n - 1n]) {
    assert.throws(() => mseKeys.secret(Buffer.alloc(20, 3), key(value)), DecodeError, `${value}`)
  }
  assert.throws(() => mseKeys.secret(Buffer.alloc(20, 3), Buffer.alloc(95, 5)), DecodeError)
  mseKeys.secret(Buffer.alloc(20, 3), key(prime - 2n))
})

test('an exponent is never small, whatever chance gives, and chance keeps its bytes', () => {
  const zeros = new Uint8Array(20)
  const exponent = makeExponent({ bytes: () => zeros, below: () => 0 })
  assert.equal(exponent.length, 20)
  assert.equal(exponent[0], 0x80)
  assert.equal(zeros[0], 0)
})
