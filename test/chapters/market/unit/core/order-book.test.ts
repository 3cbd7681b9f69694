// The order book: what a statement comes to, what is seen of it, how long it is kept, and who has to go when it is
// full.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BookChange } from '../../../../../src/chapters/market/core/book.ts'
import { MAX_AHEAD_MS } from '../../../../../src/chapters/market/core/limits.ts'
import { BOOK_SLACK_MS, MAX_EXPIRED_AT_ONCE } from '../../../../../src/chapters/market/core/order-book.ts'
import { OrderBook } from '../../../../../src/chapters/market/core/order-book.ts'
import type { OrderStatement, OrderTerms } from '../../../../../src/chapters/market/wire/types.ts'
import { BTC, LTC, TestTrader } from '../../kit/market-orders.ts'
import { SetClock } from '../../../../kit/doubles/set-clock.ts'

const PAIR = { quantityAsset: LTC, priceAsset: BTC }
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

function setup(room?: { orders: number; ofTrader: number }) {
  const clock = new SetClock()
  return { clock, book: new OrderBook(clock, room), one: new TestTrader('one'), other: new TestTrader('other') }
}

const numbersOf = (found: Iterable<OrderStatement>): number[] => Array.from(found, ({ terms }) => terms.number)

test('a statement is taken once, a later one in its place, an earlier one not', () => {
  const { book, one } = setup()
  const first = one.order()
  const second = one.later(first, { remaining: 5n })
  const third = one.later(second, { remaining: 7n })
  assert.equal(book.put(first), 'new')
  assert.equal(book.put(first), 'known')
  assert.equal(book.put(third), 'newer')
  assert.equal(book.put(second), 'older')
  assert.equal(book.get(first.terms), third)
  assert.equal(book.size, 1)
})

test('of two with one sequence the smaller hash stays', () => {
  const { book, one } = setup()
  const first = one.order()
  const both = [one.later(first, { remaining: 5n }), one.later(first, { remaining: 6n })]
  const [small, large] = both.toSorted((a, b) => (a.hash < b.hash ? -1 : 1)) as [OrderStatement, OrderStatement]
  assert.deepEqual(
    [first, large, small, large].map(each => book.put(each)),
    ['new', 'newer', 'newer', 'older'],
  )
  assert.equal(book.get(first.terms), small)
})

test('a closed order stays closed, whatever sequence is said', () => {
  const { book, one } = setup()
  const first = one.order()
  const closed = one.later(first, { status: 'closed' })
  assert.equal(book.put(closed), 'new')
  assert.equal(book.put(first), 'older')
  assert.equal(book.put(one.later(first, { sequence: 9 })), 'older')
  assert.equal(book.size, 0)
  assert.equal(book.get(first.terms), closed)
  assert.deepEqual([...book.ticks(PAIR, 'ask')], [])
})

test('the future, and what is over, are refused', () => {
  const { book, clock, one } = setup()
  clock.ms += HOUR_MS
  assert.equal(book.put(one.order({ timeMs: clock.ms + MAX_AHEAD_MS })), 'new')
  assert.equal(book.put(one.order({ timeMs: clock.ms + MAX_AHEAD_MS + 1 })), 'future')
  assert.equal(book.put(one.order({ timeMs: clock.ms - HOUR_MS + 1 })), 'new')
  assert.equal(book.put(one.order({ timeMs: clock.ms - HOUR_MS })), 'expired')
})

test('what is over is out of sight at once, told when the caller says, and forgotten later', () => {
  const { book, clock, one, other } = setup()
  const first = one.order()
  book.put(first)
  const told: BookChange[] = []
  book.watch((_, change) => told.push(change))
  clock.ms += HOUR_MS
  assert.equal(book.get(first.terms), null)
  assert.deepEqual([...book.ticks(PAIR, 'ask')], [])
  assert.deepEqual([...book.crossing(other.order({ side: 'bid', price: 2_000_000n }).terms)], [])
  assert.equal(book.size, 1)
  book.expire(clock.ms)
  book.expire(clock.ms)
  assert.deepEqual(told, ['expired'])
  assert.deepEqual([book.size, book.kept, book.digest('').count], [0, 1, 0])
  assert.equal(book.put(first), 'known')
  assert.equal(book.put(one.later(first, {})), 'expired')
  clock.ms += BOOK_SLACK_MS
  book.expire(clock.ms)
  assert.equal(book.kept, 0)
  assert.equal(book.put(first), 'expired')
})

test('many that are over at one moment go in several turns, and none is seen meanwhile', () => {
  const { book, clock, one } = setup({ orders: 10_000, ofTrader: 10_000 })
  const count = MAX_EXPIRED_AT_ONCE + 100
  for (let number = 1; number <= count; number++) book.put(one.order({ number }))
  clock.ms += HOUR_MS
  assert.deepEqual(numbersOf(book.ticks(PAIR, 'ask')), [])
  book.expire(clock.ms)
  assert.equal(book.size, 100)
  book.expire(clock.ms)
  assert.deepEqual([book.size, book.kept, book.digest('').count], [0, count, 0])
  clock.ms += BOOK_SLACK_MS
  book.expire(clock.ms)
  book.expire(clock.ms)
  assert.equal(book.kept, 0)
})

test('other terms under the same name close an order for ever, and both statements prove it', () => {
  const { book, clock, one } = setup()
  const first = one.order({ number: 1 })
  const lie = one.order({ number: 1, price: 999n })
  book.put(first)
  assert.deepEqual(book.proofs(first.terms), [])
  assert.equal(book.put(lie), 'fraud')
  assert.deepEqual([book.size, book.kept, book.get(first.terms)], [0, 1, null])
  assert.deepEqual(new Set(book.proofs(first.terms)), new Set([first, lie]))
  for (const again of [first, lie]) assert.equal(book.put(again), 'known')
  book.put(one.later(first, {}))
  assert.equal(book.size, 0)
  assert.equal(book.digest('').count, 2)
  for (const proof of book.proofs(first.terms)) assert.equal(book.statement(proof.hash), proof)
  clock.ms += HOUR_MS
  book.expire(clock.ms)
  assert.equal(book.digest('').count, 0)
})

test('an order that is over proves a fraud for as long as one of its name can stand, and not for ever', () => {
  const { book, clock, one } = setup()
  const old = one.order({ number: 1 })
  clock.ms += HOUR_MS + 1000
  const next = one.order({ number: 1, timeMs: clock.ms, timeoutS: 86_400 })
  assert.equal(book.put(old), 'expired')
  assert.equal(book.put(next), 'new')
  clock.ms += DAY_MS - 1
  assert.equal(book.put(old), 'fraud')
  const later = setup()
  later.clock.ms = 1_000_000 + HOUR_MS + 3 * DAY_MS
  assert.equal(later.book.put(one.order({ number: 1, timeMs: later.clock.ms })), 'new')
  assert.equal(later.book.put(old), 'expired')
})

test('a fraud is kept until nothing that was said of the order can stand', () => {
  const { book, clock, one } = setup()
  const short = one.order({ number: 1, timeoutS: 10 })
  const long = one.order({ number: 1, timeoutS: 100 })
  const shortest = one.order({ number: 1, timeoutS: 5 })
  assert.deepEqual(
    [long, short, shortest].map(each => book.put(each)),
    ['new', 'fraud', 'known'],
  )
  clock.ms += 99_000
  book.expire(clock.ms)
  assert.equal(book.put(long), 'known')
  clock.ms += 1_000 + BOOK_SLACK_MS
  book.expire(clock.ms)
  assert.deepEqual([book.kept, book.put(long)], [0, 'expired'])
})

test('ticks and crossing orders: the best price first, of one price the oldest; suspended ones are seen only', () => {
  const { book, one, other } = setup()
  const ask = (number: number, price: bigint, timeMs: number) => one.order({ number, price, timeMs })
  for (const order of [ask(1, 30n, 1_000_000), ask(2, 20n, 1_000_000), ask(3, 20n, 999_999), ask(4, 25n, 1_000_000)])
    book.put(order)
  book.put(one.order({ number: 5, price: 19n, status: 'suspended' }))
  book.put(one.order({ number: 6, price: 18n, remaining: 0n }))
  book.put(other.order({ number: 7, price: 17n }))
  book.put(one.order({ number: 8, side: 'bid', price: 16n }))
  book.put(one.order({ number: 9, side: 'bid', price: 17n }))
  assert.deepEqual(numbersOf(book.ticks(PAIR, 'ask')), [7, 6, 5, 3, 2, 4, 1])
  assert.deepEqual(numbersOf(book.ticks(PAIR, 'bid')), [9, 8])
  const bid = other.order({ side: 'bid', price: 25n }).terms
  assert.deepEqual(numbersOf(book.crossing(bid)), [3, 2, 4])
  assert.deepEqual(numbersOf(book.crossing(other.order({ price: 17n }).terms)), [9])
  assert.deepEqual(numbersOf(book.crossing({ ...bid, priceAsset: { coin: 'BTC', chain: '00000000' } })), [])
  assert.deepEqual(book.pairs(), [PAIR])
})

test('the book may change while somebody goes through it', () => {
  const { book, one } = setup()
  const orders = Array.from({ length: 1000 }, (_, at) => one.order({ number: at + 1, price: BigInt(1000 + at) }))
  for (const order of orders) book.put(order)
  const seen: number[] = []
  for (const { terms } of book.ticks(PAIR, 'ask')) {
    seen.push(terms.number)
    // What was seen goes, and so does the one behind the next.
    for (const order of [orders[terms.number - 1], orders[terms.number + 1]] as OrderStatement[])
      if (order !== undefined) book.put(one.later(order, { status: 'closed' }))
  }
  const expected: number[] = []
  for (let number = 1; number <= 1000; number += 1) if (number % 4 === 1 || number % 4 === 2) expected.push(number)
  assert.deepEqual(seen, expected)
})

test('a trader who has too many keeps those with the smallest numbers', () => {
  const { book, one, other } = setup({ orders: 100, ofTrader: 3 })
  const orders = [5, 2, 9, 1, 7].map(number => one.order({ number }))
  assert.deepEqual(
    orders.map(each => book.put(each)),
    ['new', 'new', 'new', 'new', 'full'],
  )
  assert.deepEqual(
    [1, 2, 5, 7, 9].map(number => book.get({ trader: one.id, number }) !== null),
    [true, true, true, false, false],
  )
  assert.deepEqual([book.size, book.kept, book.digest('').count], [3, 3, 3])
  assert.equal(book.put(other.order()), 'new')
})

test('in a full book whoever has most makes room for whoever has less', () => {
  const { book, one, other } = setup({ orders: 4, ofTrader: 100 })
  for (let number = 1; number <= 4; number++) book.put(one.order({ number }))
  assert.equal(book.put(one.order({ number: 5 })), 'full')
  assert.deepEqual(
    [1, 2].map(number => book.put(other.order({ number }))),
    ['new', 'new'],
  )
  const third = new TestTrader('third')
  assert.equal(book.put(third.order()), 'new')
  const shares = [one, other, third].map(
    ({ id }) => Array.from({ length: 5 }, (_, at) => book.get({ trader: id, number: at + 1 })).filter(Boolean).length,
  )
  assert.deepEqual(shares.toSorted(), [1, 1, 2])
  assert.deepEqual([book.size, book.kept], [4, 4])
})

test('of an order that is over nothing is a fraud any more, unless something said of it still stands', () => {
  const { book, clock, one } = setup()
  const first = one.order({ number: 1, timeoutS: 10 })
  book.put(first)
  clock.ms += 11_000
  book.expire(clock.ms)
  assert.equal(book.put(one.order({ number: 1, timeoutS: 9 })), 'expired')
  assert.deepEqual([book.proofs(first.terms), book.digest('').count], [[], 0])
  assert.equal(book.put(one.order({ number: 1, timeoutS: 100 })), 'fraud')
  clock.ms += 50_000
  book.expire(clock.ms)
  assert.deepEqual([book.proofs(first.terms).length, book.digest('').count], [2, 2])
  clock.ms += 39_000
  book.expire(clock.ms)
  assert.deepEqual([book.kept, book.digest('').count], [1, 0])
})

test('what comes and goes leaves nothing behind', () => {
  const { book, clock, one, other } = setup({ orders: 10, ofTrader: 100 })
  for (let number = 1; number <= 5; number++) book.put(other.order({ number }))
  for (let round = 3000; round > 10; round--) book.put(one.order({ number: round }))
  assert.equal(book.kept, 10)
  assert.ok(book.notes <= 1000 + 2 * 10 + 1 + 2 * 10 + 1, `${book.notes}`)
  clock.ms += 2 * HOUR_MS
  // Notes of orders that are gone already count too.
  for (let turn = 0; turn < 4; turn++) book.expire(clock.ms)
  assert.equal(book.kept, 0)
})

test('watchers hear when an order had to go', () => {
  const { book, one, other } = setup({ orders: 2, ofTrader: 2 })
  const told: unknown[] = []
  book.watch((statement, change) => told.push([statement?.terms.number ?? null, change]))
  for (let number = 1; number <= 3; number++) book.put(one.order({ number }))
  book.put(other.order({ number: 9 }))
  assert.deepEqual(told, [
    [1, 'new'],
    [2, 'new'],
    [null, 'full'],
    [9, 'new'],
  ])
})

test('a watcher hears of each change, until it ends', () => {
  const { book, clock, one } = setup()
  const told: [OrderTerms['number'] | null, BookChange][] = []
  const end = book.watch((statement, change) => told.push([statement?.terms.number ?? null, change]))
  const first = one.order({ number: 1 })
  for (const each of [
    first,
    first,
    one.later(first, {}),
    one.order({ number: 1, price: 5n }),
    one.order({ number: 2 }),
  ])
    book.put(each)
  clock.ms += HOUR_MS
  book.expire(clock.ms)
  end()
  book.put(one.order({ number: 3, timeMs: clock.ms }))
  assert.deepEqual(told, [
    [1, 'new'],
    [1, 'newer'],
    [1, 'fraud'],
    [2, 'new'],
    [null, 'expired'],
  ])
})
