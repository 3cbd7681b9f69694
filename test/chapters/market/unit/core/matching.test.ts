// Matching, with orders, cancels, expiries, settled and failed trades in any order: whatever happens, the book is not
// crossed, the best price and then the oldest order is served, and neither quantity nor money appears or vanishes.
// Another seed: SEED=number.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fillsOf, tradePrice } from '../../../../../src/chapters/market/core/matching.ts'
import { isNewer } from '../../../../../src/chapters/market/core/priority.ts'
import { costOf } from '../../../../../src/chapters/market/wire/cost.ts'
import type { OrderStatement, Side } from '../../../../../src/chapters/market/wire/types.ts'
import { BTC, LTC, TestTrader } from '../../kit/market-orders.ts'
import { type EngineOrder, type EngineTrade, MatchingEngine } from '../../kit/matching-engine.ts'
import { SeededRandom } from '../../../../kit/sim/seeded-random.ts'
import { SetClock } from '../../../../kit/doubles/set-clock.ts'

const SEED = Number(process.env['SEED'] ?? Date.now() % 1e6)
const RUNS = 40
const STEPS = 120
const DECIMALS = 8
const PAIRS = [
  { quantityAsset: LTC, priceAsset: BTC },
  { quantityAsset: LTC, priceAsset: { coin: 'BTC', chain: '0000abcd' } },
] as const

/** A market in which anything happens, with what a model of one line each says of it. */
class AnyMarket {
  readonly clock = new SetClock(10_000_000)
  readonly engine = new MatchingEngine(this.clock)
  readonly random: SeededRandom
  readonly traders: readonly TestTrader[]

  constructor(seed: number) {
    this.random = new SeededRandom(seed)
    this.traders = ['a', 'b', 'c', 'd'].map(name => new TestTrader(`${name} ${seed}`))
  }

  step(): void {
    this.clock.ms += this.random.below(3000)
    const what = this.random.below(10)
    if (what < 6) this.#place()
    else if (what < 7) this.#cancel()
    else if (what < 9) this.#end()
    else this.engine.book.expire(this.clock.ms)
  }

  /** Orders that can be matched, by the naive model. */
  open(): EngineOrder[] {
    return [...this.engine.orders.values()].filter(
      ({ statement: { terms, state } }) =>
        state.status === 'open' && state.remaining > 0n && terms.timeMs + terms.timeoutS * 1000 > this.clock.ms,
    )
  }

  #place(): void {
    const side: Side = this.random.below(2) === 0 ? 'ask' : 'bid'
    const terms = {
      side,
      ...this.#pick(PAIRS),
      timeMs: this.clock.ms - this.random.below(4000),
      // Small and odd amounts, so that costs are rounded, often to nothing.
      quantity: 1n + BigInt(this.random.below(2_000)),
      price: 40_000_000n + 3_333_333n * BigInt(this.random.below(9)),
      timeoutS: 4 + this.random.below(200),
    }
    if (costOf(terms.quantity, terms.price, DECIMALS) === 0n) return
    const trader = this.#pick(this.traders)
    const expected = this.#expected(trader, terms)
    const { order, trades } = this.engine.place(trader, terms)
    assert.deepEqual(
      trades.map(({ older, quantity, price, cost }) => [older, quantity, price, cost]),
      expected,
    )
    assert.ok(trades.every(trade => trade.newer === order))
  }

  /** What an order should be filled with: all others in a row, sorted. */
  #expected(
    trader: TestTrader,
    request: { side: Side; quantity: bigint; price: bigint; timeMs: number; priceAsset: object },
  ) {
    const sign = request.side === 'ask' ? -1n : 1n
    const found = this.open().filter(
      ({ statement: { terms } }) =>
        terms.side !== request.side &&
        terms.trader !== trader.id &&
        terms.priceAsset.chain === (request.priceAsset as typeof BTC).chain &&
        sign * (request.price - terms.price) >= 0n,
    )
    found.sort(
      ({ statement: { terms: one } }, { statement: { terms: other } }) =>
        Number(sign * (one.price - other.price)) ||
        one.timeMs - other.timeMs ||
        (one.trader === other.trader ? one.number - other.number : one.trader < other.trader ? -1 : 1),
    )
    let left = request.quantity
    const fills: unknown[] = []
    for (const other of found) {
      const { terms, state } = other.statement
      const older = terms.timeMs < request.timeMs || (terms.timeMs === request.timeMs && terms.trader < trader.id)
      const price = older ? terms.price : request.price
      const quantity = state.remaining < left ? state.remaining : left
      const cost = (quantity * price) / 100_000_000n
      if (cost === 0n) continue
      fills.push([other, quantity, price, cost])
      left -= quantity
    }
    return fills
  }

  #cancel(): void {
    const orders = [...this.engine.orders.values()]
    if (orders.length > 0) this.engine.cancel(this.#pick(orders))
  }

  #end(): void {
    const trades = [...this.engine.pending]
    if (trades.length === 0) return
    const trade: EngineTrade = this.#pick(trades)
    if (this.random.below(3) === 0) this.engine.fail(trade)
    else this.engine.settle(trade)
  }

  #pick<T>(items: readonly T[]): T {
    return items[this.random.below(items.length)] as T
  }
}

function checkNotCrossed(market: AnyMarket): void {
  const open = market.open().map(({ statement }) => statement)
  for (const ask of open)
    for (const bid of open) {
      if (ask.terms.side !== 'ask' || bid.terms.side !== 'bid' || ask.terms.trader === bid.terms.trader) continue
      if (ask.terms.priceAsset.chain !== bid.terms.priceAsset.chain || ask.terms.price > bid.terms.price) continue
      const quantity = ask.state.remaining < bid.state.remaining ? ask.state.remaining : bid.state.remaining
      const price = isNewer(ask.terms, bid.terms) ? bid.terms.price : ask.terms.price
      assert.equal(costOf(quantity, price, DECIMALS), 0n, 'the book is crossed')
    }
}

function checkAmounts(market: AnyMarket): void {
  let [asks, bids, askCosts, bidCosts] = [0n, 0n, 0n, 0n]
  for (const { statement, reserved, traded, cost } of market.engine.orders.values()) {
    const { terms, state } = statement
    assert.ok(reserved >= 0n && traded >= 0n && reserved + traded <= terms.quantity)
    if (state.status !== 'closed') assert.equal(reserved + traded + state.remaining, terms.quantity)
    const whole = costOf(reserved + traded, terms.price, DECIMALS)
    if (terms.side === 'bid') {
      assert.ok(cost <= whole && cost <= costOf(terms.quantity, terms.price, DECIMALS), 'a bid pays more than it has')
      bids += reserved + traded
      bidCosts += cost
    } else {
      asks += reserved + traded
      askCosts += cost
    }
  }
  assert.equal(asks, bids)
  assert.equal(askCosts, bidCosts)
}

test('orders, cancels, expiries and trades that end in any way, in any order', context => {
  context.diagnostic(`SEED=${SEED}`)
  let trades = 0
  for (let run = 0; run < RUNS; run++) {
    const market = new AnyMarket(SEED + run)
    try {
      for (let step = 0; step < STEPS; step++) {
        market.step()
        checkNotCrossed(market)
        checkAmounts(market)
      }
    } catch (error) {
      throw new Error(`failed with SEED=${SEED + run}`, { cause: error })
    }
    trades += market.engine.pending.size
    const seen = new Set(
      [...PAIRS].flatMap(pair => [...market.engine.book.ticks(pair, 'ask'), ...market.engine.book.ticks(pair, 'bid')]),
    )
    for (const { statement } of market.open()) assert.ok(seen.has(statement), 'an open order is not in the book')
  }
  assert.ok(trades > RUNS, 'nothing was traded')
})

test('what is rounded off is less than the smallest unit for each fill, and falls to the bid', () => {
  const [seller, buyer] = [new TestTrader('seller'), new TestTrader('buyer')]
  const engine = new MatchingEngine(new SetClock())
  const ask = engine.place(seller, { quantity: 1_000_003n, price: 33_333_333n }).order
  const costs: bigint[] = []
  for (const quantity of [333_333n, 333_334n, 400_000n]) {
    const { trades } = engine.place(buyer, { side: 'bid', quantity, price: 99_000_000n, timeMs: 1_000_001 })
    costs.push(...trades.map(({ cost }) => cost))
  }
  assert.deepEqual(costs, [111_110n, 111_111n, 111_111n])
  assert.deepEqual([ask.reserved, ask.cost, ask.statement.state.remaining], [1_000_003n, 333_332n, 0n])
  assert.equal(costOf(1_000_003n, 33_333_333n, DECIMALS), 333_334n)
})

test('the price is that of the older order; of one moment the trader id decides, then the number', () => {
  const traders = [new TestTrader('one'), new TestTrader('two')].toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const [low, high] = traders as [TestTrader, TestTrader]
  const old = high.order({ timeMs: 999_999, price: 7n })
  const [first, second] = [low.order({ price: 8n }), high.order({ price: 9n })]
  assert.deepEqual([isNewer(first.terms, old.terms), isNewer(old.terms, first.terms)], [true, false])
  assert.deepEqual([isNewer(second.terms, first.terms), isNewer(first.terms, second.terms)], [true, false])
  const next = low.order({ price: 8n })
  assert.deepEqual([isNewer(next.terms, first.terms), isNewer(first.terms, first.terms)], [true, false])
  assert.equal(tradePrice(first.terms, old.terms), 7n)
  assert.equal(tradePrice(first.terms, second.terms), 8n)
})

test('fills under the least amounts, and own orders, are passed over; nothing is given beyond what is left', () => {
  const [one, other] = [new TestTrader('one'), new TestTrader('other')]
  const offers: OrderStatement[] = [
    one.order({ quantity: 100_000_000n }),
    other.order({ quantity: 1_000n }),
    other.order({ quantity: 5_000n, price: 3_000_000n }),
    other.order({ quantity: 100_000_000n, remaining: 70_000_000n }),
    other.order({ quantity: 100_000_000n }),
    other.order({ quantity: 100_000_000n }),
  ]
  const bid = one.order({
    side: 'bid',
    quantity: 200_000_000n,
    price: 3_000_000n,
    timeMs: 2_000_000,
    remaining: 90_000_000n,
  })
  const filled = (least?: { quantity: bigint; cost: bigint }) =>
    Array.from(fillsOf(bid, { crossing: () => offers }, least), fill => [
      offers.indexOf(fill.other),
      fill.quantity,
      fill.cost,
    ])
  assert.deepEqual(filled(), [
    [1, 1_000n, 10n],
    [2, 5_000n, 150n],
    [3, 70_000_000n, 700_000n],
    [4, 19_994_000n, 199_940n],
  ])
  assert.deepEqual(
    filled({ quantity: 5_000n, cost: 1n }).map(([at]) => at),
    [2, 3, 4],
  )
  assert.deepEqual(
    filled({ quantity: 1n, cost: 151n }).map(([at]) => at),
    [3, 4],
  )
})
