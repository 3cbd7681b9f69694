// Books that heard the same are the same, whatever came first: later and earlier statements, closings, frauds, more
// orders than there is room for. And books that heard different things at different times are the same once each has
// what the digests of the others cover. Another seed: SEED=number.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OrderBook } from '../../../../../src/chapters/market/core/order-book.ts'
import type { OrderStatement, Side } from '../../../../../src/chapters/market/wire/types.ts'
import { BTC, LTC, TestTrader } from '../../kit/market-orders.ts'
import { SeededRandom } from '../../../../kit/sim/seeded-random.ts'
import { SetClock } from '../../../../kit/doubles/set-clock.ts'

const SEED = Number(process.env['SEED'] ?? Date.now() % 1e6)
const RUNS = 12
const BOOKS = 10
const START_MS = 10_000_000
const PAIR = { quantityAsset: LTC, priceAsset: BTC }
const SIDES: readonly Side[] = ['ask', 'bid']

/** Anything that few traders can say of few orders within half a minute. */
function statementsOf(random: SeededRandom, count: number): OrderStatement[] {
  const traders = ['a', 'b', 'c', 'd', 'e'].map(name => new TestTrader(`${name} ${random.seed}`))
  return Array.from({ length: count }, () => {
    const trader = traders[random.below(traders.length)] as TestTrader
    const number = 1 + random.below(12)
    // One in twenty has other terms than the other statements of the order.
    const price = 1_000_000n + BigInt(number * 7 + (random.below(20) === 0 ? random.below(3) : 0))
    const timeoutS = random.below(20) === 0 ? 5 + random.below(40) : 40
    return trader.order({
      number,
      price,
      timeoutS,
      side: SIDES[number % 2] as Side,
      timeMs: START_MS + number * 100,
      sequence: random.below(4),
      remaining: BigInt(random.below(1000)),
      status: (['open', 'open', 'suspended', 'closed'] as const)[random.below(4)] as 'open',
    })
  })
}

function shuffled<T>(items: readonly T[], random: SeededRandom): T[] {
  const left = [...items]
  return items.map(() => left.splice(random.below(left.length), 1)[0] as T)
}

/** All that can be seen of a book. */
function viewOf(book: OrderBook): unknown {
  const hashesOf = (found: Iterable<OrderStatement>): string[] => Array.from(found, ({ hash }) => hash)
  return {
    digest: book.digest(''),
    size: book.size,
    kept: book.kept,
    hashes: book.hashes('', 10_000),
    ticks: SIDES.map(side => hashesOf(book.ticks(PAIR, side))),
  }
}

function withSeed(context: { diagnostic(text: string): void }, run: (random: SeededRandom) => void): void {
  context.diagnostic(`SEED=${SEED}`)
  for (let at = 0; at < RUNS; at++) {
    try {
      run(new SeededRandom(SEED + at))
    } catch (error) {
      throw new Error(`failed with SEED=${SEED + at}`, { cause: error })
    }
  }
}

for (const [name, room] of [
  ['room for all', { orders: 1000, ofTrader: 1000 }],
  ['few of each trader', { orders: 1000, ofTrader: 6 }],
  ['few in all', { orders: 17, ofTrader: 1000 }],
  ['few in all and of each', { orders: 17, ofTrader: 5 }],
] as const)
  test(`equal books from the same statements in any order, also twice: ${name}`, context =>
    withSeed(context, random => {
      const statements = statementsOf(random, 200)
      const clock = new SetClock(START_MS + 2000)
      const books = Array.from({ length: BOOKS }, () => {
        const book = new OrderBook(clock, room)
        for (const each of shuffled([...statements, ...statements.slice(0, 50)], random)) book.put(each)
        assert.ok(book.kept <= room.orders)
        return book
      })
      for (const book of books.slice(1)) assert.deepEqual(viewOf(book), viewOf(books[0] as OrderBook))
      const { count } = (books[0] as OrderBook).digest('')
      assert.ok(count >= Math.min(room.orders, 20))
      for (const each of statements)
        assert.notEqual((books[0] as OrderBook).put(each), 'newer', 'a replay did something')
      assert.deepEqual(viewOf(books[0] as OrderBook), viewOf(books[1] as OrderBook))
    }))

/** One book asks another for all that its digests cover. */
function learn(book: OrderBook, from: OrderBook): void {
  for (const hash of from.hashes('', 10_000)) book.put(from.statement(hash) as OrderStatement)
}

test('books that lived at different times and lost messages are equal after they told each other what they have', context =>
  withSeed(context, random => {
    const statements = statementsOf(random, 200)
    const clocks = Array.from({ length: BOOKS }, () => new SetClock(START_MS + 2000))
    const books = clocks.map(clock => new OrderBook(clock))
    for (const each of statements)
      for (const [at, book] of books.entries()) {
        const clock = clocks[at] as SetClock
        clock.ms += random.below(200)
        if (random.below(3) > 0) book.put(each)
        if (random.below(20) === 0) book.expire(clock.ms)
      }
    const endMs = Math.max(...clocks.map(({ ms }) => ms))
    for (const clock of clocks) clock.ms = endMs
    for (const book of books) book.expire(endMs)
    // Two rounds: a proof counts only where its order is known.
    for (let round = 0; round < 2; round++)
      for (const book of books) for (const other of books) if (other !== book) learn(book, other)
    for (const book of books.slice(1))
      assert.deepEqual(
        { ...(viewOf(book) as object), kept: 0 },
        { ...(viewOf(books[0] as OrderBook) as object), kept: 0 },
      )
  }))
