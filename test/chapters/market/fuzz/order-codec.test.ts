// Statements of orders: any bytes are read or refused with a DecodeError, and what was read is written to the same
// bytes again: a second encoding of a statement would have a second hash. A book takes whatever was read and stays
// within its bounds.

import assert from 'node:assert/strict'

import { DecodeError } from '../../../../src/base/errors.ts'
import { OrderBook } from '../../../../src/chapters/market/core/order-book.ts'
import { COIN_DECIMALS, sameAsset } from '../../../../src/chapters/wallets/core/assets.ts'
import { costOf } from '../../../../src/chapters/market/wire/cost.ts'
import { decodeStatement, makeStatement, MAX_TIMEOUT_S } from '../../../../src/chapters/market/wire/order-codec.ts'
import { verifyStatement } from '../../../../src/chapters/market/wire/order-signature.ts'
import type { OrderStatement } from '../../../../src/chapters/market/wire/types.ts'
import { fakeCheck } from '../../overlay/kit/fake-keys.ts'
import { type Fuzz, fuzz } from '../../../kit/sim/fuzz.ts'
import { type OrderRequest, TestTrader } from '../kit/market-orders.ts'

const trader = new TestTrader('fuzz')
const requests: readonly OrderRequest[] = [
  {},
  { side: 'bid', status: 'suspended', sequence: 0xffff_ffff, remaining: 0n },
  { quantity: (1n << 128n) - 1n, price: 100_000_000n, timeMs: 2 ** 48 - 1, timeoutS: 1 },
  { quantityAsset: { coin: 'ETH', chain: '00000001' }, quantity: 10n ** 18n, price: 1n, status: 'closed' },
]
const encodings = requests.map(request => trader.order(request).bytes)

/** Some bytes changed in their places: the length stays, so that more of them are read. */
function scratched(source: Fuzz): Uint8Array {
  const bytes = Uint8Array.from(source.pick(encodings))
  for (let left = source.below(4); left >= 0; left--) bytes[source.below(bytes.length)] = source.below(256)
  return bytes
}

function read(bytes: Uint8Array): OrderStatement | null {
  try {
    return decodeStatement(bytes)
  } catch (error) {
    if (error instanceof DecodeError) return null
    throw error
  }
}

fuzz('statements are read to the bytes they were written as, or refused', 0.6, source => {
  const bytes = source.below(3) === 0 ? source.mutate(source.pick(encodings)) : scratched(source)
  const statement = read(bytes)
  if (statement === null) return
  const { terms, state, publicKey } = statement
  assert.deepEqual(
    makeStatement(terms, state, publicKey, () => bytes.subarray(-64)),
    statement,
  )
  assert.deepEqual(Buffer.from(statement.bytes), Buffer.from(bytes))
  assert.ok(terms.number > 0 && terms.timeoutS >= 1 && terms.timeoutS <= MAX_TIMEOUT_S)
  assert.ok(!sameAsset(terms.quantityAsset, terms.priceAsset) && state.remaining <= terms.quantity)
  assert.ok(costOf(terms.quantity, terms.price, COIN_DECIMALS[terms.quantityAsset.coin]) > 0n)
  const same = encodings.some(each => Buffer.compare(each, bytes) === 0)
  assert.equal(verifyStatement(statement, fakeCheck.verify), same, 'a forged statement passes')
})

fuzz('a book stays within its bounds whatever statements come', 0.4, source => {
  const clock = { ms: 1_000_000, wallMs: () => clock.ms }
  const book = new OrderBook(clock, { orders: 20, ofTrader: 8 })
  for (let step = 0; step < 60; step++) {
    const statement = read(scratched(source))
    if (statement !== null) book.put(statement)
    clock.ms += source.below(100_000)
    if (source.below(4) === 0) book.expire(clock.ms)
    assert.ok(book.size <= book.kept && book.kept <= 20 && book.digest('').count <= 40)
  }
  clock.ms = 2 ** 50
  book.expire(clock.ms)
  assert.deepEqual([book.size, book.kept, book.digest('').count, book.pairs()], [0, 0, 0, []])
})
