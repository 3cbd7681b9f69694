// Items of the DHT by the vectors of BEP 44, with the signatures of Node's crypto module.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nodeEd25519 } from '../../../src/io/ed25519.ts'
import { immutableTarget, mutableTarget, signedBytes } from '../../../src/wire/dht/dht-item.ts'

const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'))
const hex = (value: Uint8Array): string => Buffer.from(value).toString('hex')

const KEY = bytes('77ff84905a91936367c01360803104f92432fcd904a43511876df5cdf3e7e548')
const VALUE = Uint8Array.from(Buffer.from('12:Hello World!'))
const NO_SALT = new Uint8Array(0)
const SALT = Uint8Array.from(Buffer.from('foobar'))

test('test 1: mutable', () => {
  const signed = signedBytes(NO_SALT, 1n, VALUE)
  assert.equal(Buffer.from(signed).toString('latin1'), '3:seqi1e1:v12:Hello World!')
  assert.equal(hex(mutableTarget(KEY, NO_SALT)), '4a533d47ec9c7d95b1ad75f576cffc641853b750')
  const signature = bytes(
    '305ac8aeb6c9c151fa120f120ea2cfb923564e11552d06a5d856091e5e853cff' +
      '1260d3f39e4999684aa92eb73ffd136e6f4f3ecbfda0ce53a1608ecd7ae21f01',
  )
  assert.equal(nodeEd25519.verify(signature, signed, KEY), true)
  assert.equal(nodeEd25519.verify(signature, signedBytes(NO_SALT, 2n, VALUE), KEY), false)
})

test('test 2: mutable with salt', () => {
  const signed = signedBytes(SALT, 1n, VALUE)
  assert.equal(Buffer.from(signed).toString('latin1'), '4:salt6:foobar3:seqi1e1:v12:Hello World!')
  assert.equal(hex(mutableTarget(KEY, SALT)), '411eba73b6f087ca51a3795d9c8c938d365e32c1')
  const signature = bytes(
    '6834284b6b24c3204eb2fea824d82f88883a3d95e8b4a21b8c0ded553d17d17d' +
      'df9a8a7104b1258f30bed3787e6cb896fca78c58f8e03b5f18f14951a87d9a08',
  )
  assert.equal(nodeEd25519.verify(signature, signed, KEY), true)
  assert.equal(nodeEd25519.verify(signature, signedBytes(NO_SALT, 1n, VALUE), KEY), false)
})

test('test 3: immutable', () => {
  assert.equal(hex(immutableTarget(VALUE)), 'e5f96f6f38320f0f33959cb4d3d656452117aadb')
})

test('what is signed here is verified here, and rubbish is not', () => {
  const seed = new Uint8Array(32).fill(9)
  const key = nodeEd25519.publicKey(seed)
  assert.equal(key.length, 32)
  const signature = nodeEd25519.sign(VALUE, seed)
  assert.equal(nodeEd25519.verify(signature, VALUE, key), true)
  assert.equal(nodeEd25519.verify(signature, SALT, key), false)
  assert.equal(nodeEd25519.verify(signature.subarray(1), VALUE, key), false)
  assert.equal(nodeEd25519.verify(signature, VALUE, new Uint8Array(32).fill(0xff)), false)
  assert.throws(() => nodeEd25519.sign(VALUE, new Uint8Array(31)), RangeError)
})
