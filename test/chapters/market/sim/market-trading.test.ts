// Traders that meet: orders are matched, halves made, swaps begun and ended; what each side has afterwards. Negotiation
// and orders are real, chains are not.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SHORTAGE_MS } from '../../../../src/chapters/market/core/order-watch.ts'
import { FUND_FEE } from '../kit/fake-swap-engine.ts'
import { BTC, LTC } from '../kit/market-orders.ts'
import { memoryWallet } from '../../wallets/kit/memory-market-funds.ts'
import { COIN, ETH, type FloorTrader, GAS, TradingFloor } from '../kit/trading-floor.ts'

/** Fees of a trade in the coin that is given: of the deposit, and of bringing the money there. */
const FEE = FUND_FEE + 10n

/** The two swaps of each trade come to their ends. */
async function complete(floor: TradingFloor, ...traders: FloorTrader[]): Promise<void> {
  for (const { swapEngine } of traders) {
    for (const { agreement, outcome } of swapEngine.list()) {
      if (outcome !== null) continue
      await swapEngine.fund(agreement.id)
      await swapEngine.complete(agreement.id)
    }
  }
  await floor.pass(100)
}

/** What the book of somebody says of an order. */
function told(
  by: FloorTrader,
  owner: FloorTrader,
  number: number,
): { status?: string; remaining?: bigint; sequence?: number } {
  const { status, remaining, sequence } = by.member.book.get({ trader: owner.id, number })?.state ?? {}
  return {
    ...(status && { status }),
    ...(remaining !== undefined && { remaining }),
    ...(sequence !== undefined && { sequence }),
  }
}

test('an ask here, a bid there: one trade at the price of the older, and both are completed', async () => {
  const floor = new TradingFloor()
  const [ann, bob] = [await floor.trader('ann'), await floor.trader('bob')]
  await ann.place({ side: 'ask', price: 1_000_000n })
  await floor.pass(1_000)
  await bob.place({ side: 'bid', price: 1_200_000n })
  await floor.pass(1_000)

  const [trade] = bob.trader.trades()
  assert.equal(bob.trader.trades().length, 1)
  assert.equal(ann.trader.trades().length, 1)
  assert.deepEqual(trade?.agreement, ann.trader.trades()[0]?.agreement)
  assert.equal(trade?.agreement.price, 1_000_000n)
  assert.equal(trade?.agreement.quantity, 10n * COIN)
  assert.equal(trade?.swap?.role, 'initiator')
  assert.equal(ann.order(1).reserved, 10n * COIN)
  // Nothing is set aside for the orders any more; for the swaps, what they pay.
  assert.equal(ann.trader.fundsOf(1), 10n * COIN + FEE)
  assert.equal(bob.trader.fundsOf(1), 10_000_000n + FEE)

  await complete(floor, ann, bob)
  for (const one of [ann, bob]) {
    assert.equal(one.order(1).status, 'completed')
    assert.equal(one.order(1).traded, 10n * COIN)
    assert.equal(one.order(1).reserved, 0n)
    assert.notEqual(one.order(1).completedMs, null)
    assert.equal(one.funds.reserved.size, 0)
    assert.equal(one.trader.trades()[0]?.swap?.outcome, 'completed')
    assert.deepEqual([told(ann, one, 1).status, told(bob, one, 1).status], ['closed', 'closed'])
    assert.equal(one.events.filter(event => event.kind === 'order' && event.created).length, 1)
    assert.equal(one.events.filter(event => event.kind === 'trade' && event.created).length, 1)
  }
  // 10 LTC against 0.1 BTC, and the fees of the deposit on each side.
  assert.equal(ann.funds.of('LTC')?.available, 990n * COIN - FEE)
  assert.equal(ann.funds.of('BTC')?.available, 1_000n * COIN + 10_000_000n)
  assert.equal(bob.funds.of('BTC')?.available, 1_000n * COIN - 10_000_000n - FEE)
  assert.equal(bob.funds.of('LTC')?.available, 1_010n * COIN)
  await floor.stop()
  assert.equal(floor.clock.pending, 0)
})

test('the best price first, of one price the oldest; what is left stands; an ask that is newer takes the price of the bid', async () => {
  const floor = new TradingFloor()
  const [ann, bob, cat, dan] = [
    await floor.trader('ann'),
    await floor.trader('bob'),
    await floor.trader('cat'),
    await floor.trader('dan'),
  ]
  await ann.place({ side: 'bid', price: 1_000_000n, quantity: 3n * COIN })
  await floor.pass(500)
  await bob.place({ side: 'bid', price: 1_100_000n, quantity: 3n * COIN })
  await floor.pass(500)
  await cat.place({ side: 'bid', price: 1_000_000n, quantity: 3n * COIN })
  await floor.pass(500)
  await dan.place({ side: 'ask', price: 900_000n, quantity: 7n * COIN })
  await floor.pass(1_000)
  const found = dan.trader
    .trades()
    .map(({ partner, agreement }) => [partner.trader, agreement.quantity, agreement.price])
  found.sort((a, b) => Number((b[2] as bigint) - (a[2] as bigint)) || Number((b[1] as bigint) - (a[1] as bigint)))
  assert.deepEqual(found, [
    [bob.id, 3n * COIN, 1_100_000n],
    [ann.id, 3n * COIN, 1_000_000n],
    [cat.id, COIN, 1_000_000n],
  ])
  assert.deepEqual(told(dan, cat, 1), { status: 'open', remaining: 2n * COIN, sequence: told(dan, cat, 1).sequence })
  await complete(floor, ann, bob, cat, dan)
  assert.equal(dan.order(1).status, 'completed')
  assert.equal(cat.order(1).status, 'open')
  assert.equal(cat.order(1).traded, COIN)
  // What cat has set aside is what is left, and fees of three trades.
  assert.equal(cat.trader.fundsOf(1), 2_000_000n + 3n * FEE)
  await floor.stop()
})

test('an order with less left than its last statement says gets a counter, and so much is traded', async () => {
  const floor = new TradingFloor()
  const [ann, bob, cat] = [await floor.trader('ann'), await floor.trader('bob'), await floor.trader('cat')]
  await ann.place()
  await floor.pass(500)
  // Cat never hears that ann has only 4 left.
  floor.market.losesStatement = (statement, to) => to === cat.id && statement.state.remaining === 4n * COIN
  await bob.place({ side: 'bid', quantity: 6n * COIN })
  await floor.pass(1_000)
  assert.equal(told(cat, ann, 1).remaining, 10n * COIN)
  await cat.place({ side: 'bid' })
  await floor.pass(2_000)
  assert.equal(floor.market.sent.filter(({ message }) => message.kind === 'counter').length, 1)
  assert.equal(cat.trader.trades()[0]?.agreement.quantity, 4n * COIN)
  assert.equal(ann.order(1).reserved, 10n * COIN)
  assert.equal(cat.order(1).reserved, 4n * COIN)
  await floor.stop()
})

test('orders placed in the same millisecond on both sides: exactly one trade', async () => {
  for (const [first, second] of [
    ['ask', 'bid'],
    ['bid', 'ask'],
  ] as const) {
    const floor = new TradingFloor()
    const [ann, bob] = [await floor.trader('ann'), await floor.trader('bob')]
    await Promise.all([ann.place({ side: first }), bob.place({ side: second })])
    await floor.pass(60_000)
    assert.equal(ann.order(1).terms.timeMs, bob.order(1).terms.timeMs)
    assert.equal(ann.trader.trades().length, 1)
    assert.equal(bob.trader.trades().length, 1)
    assert.deepEqual(ann.trader.trades()[0]?.agreement, bob.trader.trades()[0]?.agreement)
    await floor.stop()
  }
})

test('own orders do not trade with each other', async () => {
  const floor = new TradingFloor()
  const ann = await floor.trader('ann')
  await ann.place({ side: 'ask' })
  await floor.pass(100)
  await ann.place({ side: 'bid', price: 2_000_000n })
  await floor.pass(60_000)
  assert.equal(floor.market.sent.length, 0)
  assert.equal(ann.trader.trades().length, 0)
  await floor.stop()
})

test('messages that are lost: proposals are sent again, acceptances given again; when nothing arrives all comes back', async () => {
  const floor = new TradingFloor()
  const [ann, bob] = [await floor.trader('ann'), await floor.trader('bob')]
  const lost = { propose: 2, accept: 2 }
  floor.market.loses = ({ message: { kind } }) => (kind === 'propose' || kind === 'accept') && lost[kind]-- > 0
  await ann.place()
  await floor.pass(100)
  await bob.place({ side: 'bid' })
  await floor.pass(25_000)
  assert.equal(bob.trader.trades().length, 1)
  assert.equal(ann.trader.trades().length, 1)

  floor.market.loses = () => true
  await ann.place()
  await floor.pass(100)
  await bob.place({ side: 'bid' })
  await floor.pass(1_000)
  assert.equal(bob.order(2).reserved, 10n * COIN)
  await floor.pass(31_000)
  assert.equal(bob.order(2).reserved, 0n)
  assert.equal(bob.swapEngine.prepared.size, 0)
  floor.market.loses = () => false
  await floor.pass(60_000)
  assert.equal(bob.order(2).reserved, 10n * COIN)
  assert.equal(bob.trader.trades().length, 2)
  await floor.stop()
})

test('a trader that cannot be reached rests, and is tried again', async () => {
  const floor = new TradingFloor()
  const [ann, bob] = [await floor.trader('ann'), await floor.trader('bob')]
  await ann.place()
  await floor.pass(100)
  ann.member.gone = true
  await bob.place({ side: 'bid' })
  await floor.pass(9_000)
  assert.equal(bob.order(1).reserved, 0n)
  ann.member.gone = false
  await floor.pass(60_000)
  assert.equal(bob.trader.trades().length, 1)
  await floor.stop()
})

test('a trader that missed an order gets a hint from the owner of the older one', async () => {
  const floor = new TradingFloor()
  const [ann, bob] = [await floor.trader('ann'), await floor.trader('bob')]
  floor.market.losesStatement = (statement, to) => to === bob.id && statement.terms.trader === ann.id
  await ann.place()
  await floor.pass(100)
  await bob.place({ side: 'bid' })
  await floor.pass(10_000)
  assert.equal(bob.trader.trades().length, 0)
  await floor.pass(10_000)
  assert.equal(floor.market.sent.filter(({ message }) => message.kind === 'match').length, 1)
  assert.equal(bob.trader.trades().length, 1)
  await floor.stop()
})

test('what is funded is sent to the other side as a hint, once, and handed to the swapEngine', async () => {
  const floor = new TradingFloor()
  const [ann, bob] = [await floor.trader('ann'), await floor.trader('bob')]
  await ann.place()
  await floor.pass(100)
  await bob.place({ side: 'bid' })
  await floor.pass(1_000)
  const id = bob.swapEngine.list()[0]?.agreement.id ?? ''
  await bob.swapEngine.fund(id)
  await floor.pass(100)
  assert.deepEqual(ann.swapEngine.hints, [`${id} fund-${id}`])
  // Said again by the swapEngine, told once.
  await bob.swapEngine.fund(id)
  await floor.pass(100)
  assert.equal(ann.swapEngine.hints.length, 1)
  // The deposit is paid: it is not set aside any more.
  assert.equal(bob.trader.fundsOf(1), 0n)
  await bob.swapEngine.complete(id)
  await floor.pass(100)
  assert.equal(ann.swapEngine.hints.length, 1)
  // Another trader knows nothing of this swap.
  const cat = await floor.trader('cat')
  await cat.member.send(ann.id, { kind: 'funded', id, txid: 'ff' })
  await floor.pass(100)
  assert.equal(ann.swapEngine.hints.length, 1)
  await floor.stop()
})

test('a swap that is refunded or abandoned gives its quantity back, and the order is matched again', async () => {
  const floor = new TradingFloor()
  const [ann, bob, cat] = [await floor.trader('ann'), await floor.trader('bob'), await floor.trader('cat')]
  await ann.place()
  await floor.pass(100)
  await bob.place({ side: 'bid', quantity: 4n * COIN })
  await floor.pass(1_000)
  await cat.place({ side: 'bid' })
  await floor.pass(1_000)
  assert.equal(ann.order(1).reserved, 10n * COIN)
  const id = bob.swapEngine.list()[0]?.agreement.id ?? ''
  await bob.swapEngine.fund(id)
  await ann.swapEngine.fund(id)
  await bob.swapEngine.refund(id)
  await ann.swapEngine.refund(id)
  await floor.pass(60_000)
  // Bob is at fault in the eyes of ann and the other way round; cat gets what came back.
  assert.equal(bob.order(1).traded, 0n)
  assert.equal(bob.order(1).reserved, 0n)
  assert.equal(bob.order(1).status, 'open')
  assert.equal(cat.order(1).reserved, 10n * COIN)
  assert.equal(ann.order(1).reserved, 10n * COIN)
  assert.equal(ann.funds.of('LTC')?.available, 1_000n * COIN - FEE)
  await floor.stop()
})

test('locked wallets suspend orders, which say so; unlocked they go on', async () => {
  const floor = new TradingFloor()
  const [ann, bob] = [await floor.trader('ann'), await floor.trader('bob')]
  await ann.place()
  await floor.pass(100)
  ann.funds.setUnlocked('BTC', false)
  await floor.pass(100)
  assert.equal(ann.order(1).status, 'suspended')
  assert.match(ann.order(1).reason, /BTC is locked/)
  assert.equal(told(bob, ann, 1).status, 'suspended')
  await bob.place({ side: 'bid' })
  await floor.pass(60_000)
  assert.equal(bob.trader.trades().length, 0)
  // What was set aside stays.
  assert.equal(ann.trader.fundsOf(1), 10n * COIN + 3n * FEE)
  ann.funds.setUnlocked('BTC', true)
  await floor.pass(1_000)
  assert.equal(ann.order(1).status, 'open')
  assert.equal(bob.trader.trades().length, 1)
  await floor.stop()
})

test('cancelling ends proposals too: an acceptance that comes late begins nothing', async () => {
  const floor = new TradingFloor()
  const [ann, bob] = [await floor.trader('ann'), await floor.trader('bob')]
  await ann.place()
  await floor.pass(100)
  await bob.place({ side: 'bid' })
  await floor.clock.advance(25)
  assert.equal(bob.order(1).reserved, 10n * COIN)
  await bob.trader.cancel(1)
  assert.equal(bob.order(1).reserved, 0n)
  assert.equal(bob.swapEngine.prepared.size, 0)
  assert.equal(bob.funds.reserved.size, 0)
  await floor.pass(5_000)
  assert.equal(bob.trader.trades().length, 0)
  await floor.stop()
})

test('locking ends proposals that nobody has accepted', async () => {
  const floor = new TradingFloor()
  const [ann, bob] = [await floor.trader('ann'), await floor.trader('bob')]
  await ann.place()
  await floor.pass(100)
  floor.market.loses = ({ message }) => message.kind === 'accept'
  await bob.place({ side: 'bid' })
  await floor.pass(1_000)
  assert.equal(bob.order(1).reserved, 10n * COIN)
  bob.lock()
  await floor.pass(1_000)
  assert.equal(bob.order(1).reserved, 0n)
  assert.equal(bob.order(1).status, 'suspended')
  assert.equal(bob.swapEngine.prepared.size, 0)
  await floor.stop()
})

test('an order whose funds vanish is withdrawn, the newest first, and not before they are surely gone', async () => {
  const floor = new TradingFloor()
  const [ann, bob] = [await floor.trader('ann'), await floor.trader('bob')]
  for (let count = 0; count < 3; count++) {
    await ann.place({ price: 5_000_000n })
    await floor.pass(100)
  }
  // Gone for a moment, as while a payment is half seen.
  ann.funds.setBalance('LTC', 25n * COIN)
  await floor.pass(SHORTAGE_MS / 2)
  ann.funds.setBalance('LTC', 1_000n * COIN)
  await floor.pass(2 * SHORTAGE_MS)
  assert.deepEqual(
    ann.trader.orders().map(({ status }) => status),
    ['open', 'open', 'open'],
  )
  // A chain that cannot be read says nothing about funds; a locked wallet neither.
  const wallet = ann.funds.wallets.get('LTC')
  assert.ok(wallet !== undefined)
  wallet.problem = 'no answer'
  ann.funds.setBalance('LTC', 25n * COIN)
  await floor.pass(3 * SHORTAGE_MS)
  assert.deepEqual(
    ann.trader.orders().map(({ status }) => status),
    ['suspended', 'suspended', 'suspended'],
  )
  wallet.problem = ''
  ann.funds.setBalance('LTC', 25n * COIN)
  await floor.pass(SHORTAGE_MS + 2_000)
  assert.deepEqual(
    ann.trader.orders().map(({ status }) => status),
    ['open', 'open', 'withdrawn'],
  )
  assert.match(ann.order(3).reason, /funds are not there any more in the wallet LTC/)
  assert.equal(told(bob, ann, 3).status, 'closed')
  assert.ok(ann.funds.refreshes > 0)
  await floor.stop()
})

test('funds are set aside before an order is sent, with fees; without them there is no order', async () => {
  const floor = new TradingFloor()
  const ann = await floor.trader('ann', [memoryWallet(LTC, 10n * COIN + FEE - 1n), memoryWallet(BTC, 0n)])
  await assert.rejects(ann.place(), { code: 'InsufficientFunds' })
  assert.equal(ann.funds.reserved.size, 0)
  assert.equal(ann.disk.texts.size, 0)
  ann.funds.setBalance('LTC', 10n * COIN + FEE)
  await ann.place()
  assert.equal(ann.trader.fundsOf(2), 10n * COIN + FEE)
  await assert.rejects(ann.place({ quantity: COIN }), { code: 'InsufficientFunds' })
  await floor.stop()
})

test('who takes a coin of Ethereum’s kind sets gas money aside there too', async () => {
  const floor = new TradingFloor()
  const [ann, bob] = [await floor.trader('ann'), await floor.trader('bob')]
  const pair = { quantityAsset: LTC, priceAsset: ETH }
  await ann.place(pair)
  assert.equal(ann.funds.reserved.get('order-1-gas')?.amount, 3n * (GAS + 10n))
  await floor.pass(100)
  await bob.place({ ...pair, side: 'bid' })
  await floor.pass(1_000)
  const id = bob.swapEngine.list()[0]?.agreement.id ?? ''
  assert.equal(ann.funds.reserved.get(`order-1-${id.slice(0, 16)}-gas`)?.amount, GAS + 10n)
  assert.equal(ann.funds.reserved.has('order-1-gas'), false)
  await complete(floor, ann, bob)
  assert.equal(ann.funds.reserved.size, 0)

  // Without gas money no order that takes the coin; with a wallet that gives it none is needed.
  const poor = await floor.trader('poor', [memoryWallet(LTC, 100n * COIN), memoryWallet(ETH, GAS)])
  await assert.rejects(poor.place(pair), { code: 'InsufficientFunds' })
  await floor.stop()
})

test('a restart: orders stand, suspended until the wallets are unlocked, with higher sequences; numbers go on; time ends them', async () => {
  const floor = new TradingFloor()
  const [ann, bob] = [await floor.trader('ann'), await floor.trader('bob')]
  await ann.place()
  await ann.place({ timeoutS: 60, price: 3_000_000n })
  await ann.place({ price: 3_000_000n })
  await ann.trader.cancel(3)
  await floor.pass(1_000)
  await bob.place({ side: 'bid', quantity: 4n * COIN })
  await floor.pass(1_000)
  const before = told(bob, ann, 1)
  ann.kill()
  await floor.pass(120_000)
  await ann.restart()
  await floor.pass(1_000)
  assert.deepEqual(
    ann.trader.orders().map(({ status }) => status),
    ['suspended', 'expired', 'cancelled'],
  )
  assert.equal(ann.order(1).reserved, 4n * COIN)
  const after = told(bob, ann, 1)
  assert.equal(after.status, 'suspended')
  assert.ok((after.sequence ?? 0) > (before.sequence ?? 0))
  // A swap under way has its money set aside again, also while the wallet is locked.
  assert.equal(ann.trader.fundsOf(1), 6n * COIN + 3n * FEE + 4n * COIN + FEE)
  ann.unlock()
  await floor.pass(1_000)
  assert.equal(ann.order(1).status, 'open')
  assert.equal((await ann.place({ price: 4_000_000n })).terms.number, 4)
  await complete(floor, ann, bob)
  assert.equal(ann.order(1).traded, 4n * COIN)
  ann.kill()
  await ann.restart()
  assert.equal(ann.order(1).traded, 4n * COIN)
  assert.equal(ann.trader.trades()[0]?.swap?.outcome, 'completed')
  assert.equal(ann.trader.trades()[0]?.number, 1)
  // What has ended is kept with its trade, also when the swapEngine has forgotten the swap.
  ann.kill()
  for (const name of ann.disk.texts.keys()) if (name.startsWith('swap-')) ann.disk.texts.delete(name)
  await ann.restart()
  assert.equal(ann.order(1).traded, 4n * COIN)
  assert.equal(ann.order(1).status, 'suspended')
  await floor.stop()
})

test('a key of an order is the same order for ever; with another order it is refused', async () => {
  const floor = new TradingFloor()
  const ann = await floor.trader('ann')
  const [one, two] = await Promise.all([ann.place({ key: 'k' }), ann.place({ key: 'k' })])
  assert.equal(one.terms.number, two.terms.number)
  ann.kill()
  await ann.restart()
  assert.equal((await ann.place({ key: 'k' })).terms.number, one.terms.number)
  await assert.rejects(ann.place({ key: 'k', quantity: COIN }), { code: 'StateConflict' })
  assert.equal(ann.trader.orders().length, 1)
  await floor.stop()
})

test('what is left and can never be traded ends its order', async () => {
  const floor = new TradingFloor()
  const [ann, bob] = [await floor.trader('ann'), await floor.trader('bob')]
  await ann.place({ quantity: 10n * COIN + 3n })
  await floor.pass(100)
  await bob.place({ side: 'bid' })
  await floor.pass(1_000)
  await complete(floor, ann, bob)
  assert.equal(ann.order(1).status, 'withdrawn')
  assert.match(ann.order(1).reason, /less than can be traded/)
  assert.equal(ann.funds.reserved.size, 0)
  await floor.stop()
})

test('a swap whose journal is lost: its order trades no more', async () => {
  const floor = new TradingFloor()
  const [ann, bob] = [await floor.trader('ann'), await floor.trader('bob')]
  await ann.place()
  await floor.pass(100)
  await bob.place({ side: 'bid', quantity: 4n * COIN })
  await floor.pass(1_000)
  ann.kill()
  for (const name of ann.disk.texts.keys()) if (name.startsWith('swap-')) ann.disk.texts.delete(name)
  await ann.restart()
  assert.equal(ann.order(1).status, 'withdrawn')
  assert.match(ann.order(1).reason, /not known any more/)
  assert.equal(ann.trader.trades()[0]?.swap?.step, 'lost')
  await floor.stop()
})
