// Statements of orders: what was said is read again, one byte changed is another statement, and what makes no sense is
// refused.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DecodeError } from '../../../../../src/base/errors.ts'
import { SystemRandom } from '../../../../../src/io/random.ts'
import { makeOverlayCrypto } from '../../../../../src/chapters/overlay/io/overlay-crypto.ts'
import {
  decodeStatement,
  makeStatement,
  STATEMENT_BYTES,
  sameTerms,
} from '../../../../../src/chapters/market/wire/order-codec.ts'
import { verifyStatement } from '../../../../../src/chapters/market/wire/order-signature.ts'
import { midOf } from '../../../../../src/chapters/overlay/wire/public-key.ts'
import { fakeCheck } from '../../../overlay/kit/fake-keys.ts'
import { BTC, LTC, type OrderRequest, TestTrader } from '../../kit/market-orders.ts'

const trader = new TestTrader('one')
const U128 = (1n << 128n) - 1n

test('a statement is read as it was made, of 219 bytes', () => {
  const request = { side: 'bid', sequence: 7, status: 'suspended', remaining: 5n, timeMs: 1_800_000_000_000 } as const
  const made = trader.order({ ...request, number: 0xffff_ffff })
  const read = decodeStatement(made.bytes)
  assert.deepEqual(read, made)
  assert.equal(made.bytes.length, STATEMENT_BYTES)
  assert.equal(read.terms.trader, Buffer.from(midOf(trader.identity.publicKey)).toString('hex'))
  assert.deepEqual(read.state, { sequence: 7, status: 'suspended', remaining: 5n })
  const { side, timeMs, number, quantityAsset, priceAsset } = read.terms
  assert.deepEqual([side, timeMs, number], ['bid', 1_800_000_000_000, 0xffff_ffff])
  assert.deepEqual([quantityAsset, priceAsset], [LTC, BTC])
})

test('it is a copy, with a hash of all of it', () => {
  const { bytes } = trader.order()
  const given = Uint8Array.from(bytes)
  const read = decodeStatement(given)
  given.fill(0)
  assert.deepEqual(read.bytes, bytes)
  const other = Uint8Array.from(bytes)
  other[bytes.length - 1] = (other[bytes.length - 1] as number) ^ 1
  assert.notEqual(decodeStatement(other).hash, read.hash)
})

test('terms are the same in all states of an order, and only there', () => {
  const first = trader.order()
  assert.ok(sameTerms(first, trader.later(first, { status: 'closed', remaining: 0n })))
  for (const change of [
    { timeoutS: 3601 },
    { side: 'bid' },
    { price: 1_000_001n },
    { quantity: 100_000_001n },
  ] as const)
    assert.ok(!sameTerms(first, trader.order({ ...first.terms, ...change })))
})

test('the largest amounts fit', () => {
  const { terms, state } = trader.order({ quantity: U128, price: 100_000_000n })
  assert.deepEqual([terms.quantity, terms.price, state.remaining], [U128, 100_000_000n, U128])
})

test('what makes no sense is refused', () => {
  const requests: OrderRequest[] = [
    { quantity: 0n },
    { price: 0n },
    { quantity: 1n, price: 1n },
    { quantity: U128, price: U128 },
    { timeoutS: 0 },
    { timeoutS: 86_401 },
    { priceAsset: LTC },
    { remaining: 100_000_001n },
    { timeMs: 2 ** 48 },
    { number: 0 },
  ]
  for (const request of requests)
    assert.throws(() => trader.order(request), DecodeError, JSON.stringify(Object.keys(request)))
  assert.throws(() => trader.order({ quantity: U128 + 1n }), RangeError)
  assert.throws(() => trader.order({ priceAsset: { coin: 'BTC', chain: 'abc' } }), RangeError)
  assert.throws(() => trader.order({ trader: 'ab'.repeat(20) }), RangeError)
})

test('bytes that are no statement are refused', () => {
  const { bytes } = trader.order()
  const changed: [number, number][] = [
    [0, 2], // version
    [1, 2], // side
    [2, 0x4d], // form of the key
    [80, 6], // coin
    [138, 3], // status
  ]
  for (const [at, value] of changed) {
    const other = Uint8Array.from(bytes)
    other[at] = value
    assert.throws(() => decodeStatement(other), DecodeError, `byte ${at}`)
  }
  assert.throws(() => decodeStatement(bytes.subarray(1)), DecodeError)
  assert.throws(() => decodeStatement(Uint8Array.of(...bytes, 0)), DecodeError)
})

test('its signature is checked by the key in it', () => {
  const made = trader.order()
  assert.ok(verifyStatement(made, fakeCheck.verify))
  for (const at of [77, 137, 218]) {
    const forged = Uint8Array.from(made.bytes)
    forged[at] = (forged[at] as number) ^ 1
    assert.ok(!verifyStatement(decodeStatement(forged), fakeCheck.verify), `byte ${at}`)
  }
})

test('what is signed begins with a line that nothing else has', () => {
  const { terms, state, bytes } = trader.order()
  const signed: Uint8Array[] = []
  const { publicKey } = trader.identity
  makeStatement(terms, state, publicKey, message => {
    signed.push(message)
    return new Uint8Array(64)
  })
  const line = Buffer.from('tributary market order 1\n', 'latin1')
  assert.deepEqual(
    signed.map(each => Buffer.from(each)),
    [Buffer.concat([line, bytes.subarray(0, -64)])],
  )
})

test('with real keys too; a signature of the bytes alone is none', async () => {
  const crypto = makeOverlayCrypto(new SystemRandom())
  const own = crypto.generate()
  const verify: typeof crypto.verify = (key, message, signature) => crypto.verify(key, message, signature)
  const { terms, state } = trader.order()
  const mine = { ...terms, trader: Buffer.from(midOf(own.publicKey)).toString('hex') }
  const made = makeStatement(mine, state, own.publicKey, message => own.sign(message))
  assert.ok(verifyStatement(made, verify))
  assert.equal(await verifyStatement(made, async (...all) => verify(...all)), true)
  const bare = makeStatement(mine, state, own.publicKey, message => own.sign(message.subarray(25)))
  assert.ok(!verifyStatement(bare, verify))
})
