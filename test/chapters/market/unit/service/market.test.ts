// The market's service: requests that are read to the smallest unit, what it refuses, keys that place an order once,
// and what its records say.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../../../../src/base/errors.ts'
import { OrderBook } from '../../../../../src/chapters/market/core/order-book.ts'
import type { SwapChain } from '../../../../../src/chapters/market/ports/swap-chain.ts'
import type { NewOrder } from '../../../../../src/chapters/market/service/market-api.ts'
import { Market } from '../../../../../src/chapters/market/service/market.ts'
import { FakeTrader, OUR_ID, ownOrder, ownTrade, TBTC, TETH, TLTC } from '../../kit/fake-market.ts'
import { TestTrader } from '../../kit/market-orders.ts'
import { MemoryMarketFunds, memoryWallet } from '../../../wallets/kit/memory-market-funds.ts'
import { VirtualClock } from '../../../../kit/sim/virtual-clock.ts'

const ORDER: NewOrder = { price: 0.005, quantity: 2, price_type: 'tbtc', quantity_type: 'TLTC' }

class Funds extends MemoryMarketFunds {
  readonly admitted: [string, string | undefined][] = []
  spendKey: string | null = null

  admitOrder(coin: string, key: string | undefined): Promise<void> {
    this.admitted.push([coin, key])
    return this.spendKey === null || key === this.spendKey
      ? Promise.resolve()
      : Promise.reject(new AppError('SpendKeyMissing'))
  }

  override least(): bigint {
    return 546n
  }
}

function rig() {
  const clock = new VirtualClock()
  const [trader, book] = [new FakeTrader(), new OrderBook(clock)]
  const funds = new Funds([TBTC, TLTC, TETH].map(asset => memoryWallet(asset, 10n ** 12n, 200n)))
  const chain = (needs: { fund: bigint; claim: bigint }) =>
    ({ depositNeed: (role, amount) => Promise.resolve(role === 'fund' ? amount + needs.fund : needs.claim) }) as Pick<
      SwapChain,
      'depositNeed'
    > as SwapChain
  const market = new Market({
    trader,
    book,
    funds,
    peers: () => 3,
    standing: () => ({ state: 'connected', peers: 3, setting: '', problem: '' }),
    chain: coin => chain(coin === 'TETH' ? { fund: 9_000n, claim: 5_000n } : { fund: 700n, claim: 0n }),
  })
  const refusal = (order: Partial<NewOrder>, side: 'placeAsk' | 'placeBid' = 'placeAsk') =>
    market[side]({ ...ORDER, ...order }).then(
      () => 'nothing',
      (error: AppError) => error.code,
    )
  return { clock, trader, book, funds, market, refusal }
}

test('an order is read to the smallest unit, with the coins in any case and an hour to stand', async () => {
  const { market, trader, funds } = rig()
  assert.deepEqual(await market.placeAsk(ORDER), { created: true, order_number: 1 })
  assert.deepEqual(
    await market
      .placeBid({
        ...ORDER,
        quantity: '1.00000001',
        price_type: 'TETH',
        price: '0.000000000000000001',
        timeout: 86_400,
      })
      .catch((error: AppError) => error.code),
    'InvalidParameter',
  )
  assert.deepEqual(
    await market.placeBid({
      ...ORDER,
      quantity: '1.00000001',
      price_type: 'TETH',
      price: '0.100000000000000001',
      timeout: 86_400,
    }),
    { created: true, order_number: 2 },
  )
  assert.deepEqual(trader.placed, [
    {
      side: 'ask',
      quantityAsset: TLTC,
      priceAsset: TBTC,
      quantity: 200_000_000n,
      price: 500_000n,
      timeoutS: 3_600,
      key: '',
    },
    {
      side: 'bid',
      quantityAsset: TLTC,
      priceAsset: TETH,
      quantity: 100_000_001n,
      price: 100_000_000_000_000_001n,
      timeoutS: 86_400,
      key: '',
    },
  ])
  // The wallet that gives is the one whose spending is asked about.
  assert.deepEqual(funds.admitted, [
    ['TLTC', undefined],
    ['TETH', undefined],
  ])
})

test('what is wrong with an order is said before anything is asked of wallets or the trader', async () => {
  const { refusal, trader, funds } = rig()
  assert.equal(await refusal({ price_type: 'DOGE' }), 'UnknownWallet')
  assert.equal(await refusal({ price_type: 'TLTC' }), 'InvalidParameter')
  assert.equal(await refusal({ price_type: 'BTC' }), 'WalletNotCreated')
  for (const amount of [
    0,
    -1,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    '',
    '-1',
    '1e5',
    '0.000000001',
    0.1234567890123456,
    '1'.repeat(31),
  ]) {
    assert.equal(await refusal({ quantity: amount }), 'InvalidParameter', `quantity ${amount}`)
    assert.equal(await refusal({ price: amount }), 'InvalidParameter', `price ${amount}`)
  }
  for (const timeout of [0, -1, 1.5, 86_401, Number.NaN]) assert.equal(await refusal({ timeout }), 'InvalidParameter')
  assert.equal(await refusal({ quantity: '0.00000545' }), 'InvalidParameter', 'dust')
  assert.equal(await refusal({ price: '0.00000272' }), 'InvalidParameter', 'a price of 544 in all')
  assert.equal(
    await refusal({ price_type: 'TETH', price: '9'.repeat(30) }),
    'InvalidParameter',
    'no statement holds that',
  )
  assert.equal(await refusal({ price: '0.00000273' }), 'nothing')
  assert.equal(funds.admitted.length, 1)
  assert.equal(trader.placed.length, 1)
})

test('a locked wallet that gives refuses; one that takes only where it pays gas', async () => {
  const { refusal, funds } = rig()
  const lock = (coin: 'TBTC' | 'TLTC' | 'TETH', unlocked: boolean) => {
    const wallet = funds.wallets.get(coin)
    if (wallet !== undefined) wallet.unlocked = unlocked
  }
  lock('TLTC', false)
  assert.equal(await refusal({}), 'WalletLocked')
  assert.equal(await refusal({}, 'placeBid'), 'nothing')
  lock('TLTC', true)
  lock('TETH', false)
  assert.equal(await refusal({ price_type: 'TETH' }), 'WalletLocked')
  assert.equal(await refusal({ price_type: 'TETH' }, 'placeBid'), 'WalletLocked')
  assert.equal(await refusal({}), 'nothing')
})

test('a spend key is asked for, and what the trader refuses is passed on', async () => {
  const { refusal, funds, trader } = rig()
  funds.spendKey = 'battery staple'
  assert.equal(await refusal({}), 'SpendKeyMissing')
  assert.equal(await refusal({ spend_key: 'another' }), 'SpendKeyMissing')
  trader.failure = new AppError('InsufficientFunds')
  assert.equal(await refusal({ spend_key: 'battery staple' }), 'InsufficientFunds')
  assert.equal(await refusal({ spend_key: 'battery staple' }), 'nothing')
})

test('the same idempotency key is one order, also at once and after the wallet was locked; another order is refused', async () => {
  const { market, trader, funds, refusal } = rig()
  const order = { ...ORDER, idempotency_key: 'mine' }
  const answers = await Promise.all([market.placeAsk(order), market.placeAsk(order), market.placeAsk(order)])
  assert.deepEqual(
    answers.map(({ order_number }) => order_number),
    [1, 1, 1],
  )
  assert.equal(trader.placed.length, 1)
  for (const wallet of funds.wallets.values()) wallet.unlocked = false
  assert.deepEqual(await market.placeAsk({ ...order, quantity: '2.0' }), answers[0])
  const { idempotency_key } = order
  for (const other of [{ quantity: 3 }, { price: 0.006 }, { timeout: 60 }, { price_type: 'TETH' }]) {
    assert.equal(await refusal({ idempotency_key, ...other }), 'StateConflict', JSON.stringify(other))
  }
  assert.equal(await refusal({ idempotency_key }, 'placeBid'), 'StateConflict')
  // Without a key two requests are two orders.
  for (const wallet of funds.wallets.values()) wallet.unlocked = true
  await Promise.all([market.placeAsk(ORDER), market.placeAsk(ORDER)])
  assert.equal(trader.placed.length, 3)
})

test('ticks are grouped by coins, without empty groups and orders of other chains; asks and bids begin with the best', async () => {
  const { market, book, clock } = rig()
  const other = new TestTrader('other')
  const at = { timeMs: clock.wallMs(), quantityAsset: TLTC, priceAsset: TBTC } as const
  for (const price of [30n, 10n, 20n, 10n]) {
    for (const side of ['ask', 'bid'] as const)
      book.put(other.order({ ...at, side, price, quantity: 500_000_000n, remaining: 300_000_000n }))
  }
  book.put(other.order({ ...at, status: 'suspended', price: 15n }))
  book.put(other.order({ ...at, remaining: 0n, price: 1n }))
  book.put(other.order({ ...at, priceAsset: { coin: 'TBTC', chain: '00000000' }, price: 1n }))
  book.put(other.order({ ...at, side: 'bid', priceAsset: TETH, price: 7n }))
  const shown = (groups: Awaited<ReturnType<Market['asks']>>) =>
    groups.map(({ quantity_type, price_type, ticks }) => [
      quantity_type,
      price_type,
      ticks.map(({ price_exact, order_number }) => `${price_exact} ${order_number}`),
    ])
  assert.deepEqual(shown(await market.asks()), [
    ['TLTC', 'TBTC', ['0.0000001 3', '0.0000001 7', '0.00000015 9', '0.0000002 5', '0.0000003 1']],
  ])
  assert.deepEqual(shown(await market.bids()), [
    ['TLTC', 'TBTC', ['0.0000003 2', '0.0000002 6', '0.0000001 4', '0.0000001 8']],
    ['TLTC', 'TETH', ['0.000000000000000007 12']],
  ])
  const [tick] = (await market.asks())[0]?.ticks ?? []
  assert.deepEqual(tick, {
    trader_id: other.id,
    order_number: 3,
    message_id: `${other.id}.3`,
    price: 1e-7,
    price_exact: '0.0000001',
    price_type: 'TBTC',
    quantity_type: 'TLTC',
    timeout: 3600,
    timestamp: clock.wallMs() / 1000,
    quantity: 3,
    quantity_exact: '3',
    status: 'open',
  })
})

test('own orders, trades and payments as records', async () => {
  const { market, trader } = rig()
  const bid = ownOrder(
    { reserved: 50_000_000n, traded: 100_000_000n, status: 'completed', completedMs: 1_700_000_009_250 },
    { side: 'bid', number: 2 },
  )
  const ask = ownOrder({ status: 'cancelled' })
  trader.kept.push(ask, bid)
  const [first, second] = await market.orders()
  assert.deepEqual(
    [first?.cancelled, first?.status, first?.is_ask, first?.completed_timestamp],
    [true, 'cancelled', true, null],
  )
  assert.deepEqual(second, {
    trader_id: OUR_ID,
    order_number: 2,
    timestamp: 1_700_000_000.5,
    price: 0.005,
    price_exact: '0.005',
    quantity: 2,
    quantity_exact: '2',
    price_type: 'TBTC',
    quantity_type: 'TLTC',
    reserved_quantity: 0.5,
    traded_quantity: 1,
    reserved_quantity_exact: '0.5',
    traded_quantity_exact: '1',
    is_ask: false,
    timeout: 3600,
    status: 'completed',
    completed_timestamp: 1_700_000_009.25,
    cancelled: false,
  })
  const payment = {
    kind: 'fund',
    coin: 'TLTC',
    txid: '12'.repeat(32),
    amount: 100_000_000n,
    fee: 154n,
    timeMs: 1_700_000_002_000,
    theirs: false,
    confirmed: true,
  } as const
  trader.trading.push(
    ownTrade(ask, { given: 100_000_000n, taken: 1n, payments: [payment] }),
    ownTrade(bid, { given: 500_000n, taken: 100_000_000n, outcome: 'completed', waitsFor: '' }, 2),
    ownTrade(bid, null, 3),
  )
  const [selling, buying, agreed] = await market.transactions()
  assert.deepEqual(
    [
      selling?.transferred_quantity_exact,
      selling?.transferred_price_exact,
      selling?.status,
      selling?.payment_complete,
      selling?.waits_for,
    ],
    ['1', '0.00000001', 'pending', false, 'a block'],
  )
  assert.deepEqual(buying, {
    trader_id: OUR_ID,
    order_number: 2,
    partner_trader_id: 'bb'.repeat(20),
    transaction_number: 2,
    price: 0.005,
    price_type: 'TBTC',
    transferred_price: 0.005,
    quantity: 1,
    quantity_type: 'TLTC',
    transferred_quantity: 1,
    timestamp: 1_700_000_001.5,
    payment_complete: true,
    partner_order_number: 4,
    status: 'completed',
    step: 'funding',
    waits_for: '',
    price_exact: '0.005',
    quantity_exact: '1',
    transferred_price_exact: '0.005',
    transferred_quantity_exact: '1',
  })
  assert.deepEqual([agreed?.status, agreed?.step, agreed?.transferred_quantity], ['pending', 'agreed', 0])
  assert.deepEqual(await market.payments(OUR_ID.toUpperCase(), 1), [
    {
      trader_id: OUR_ID,
      transaction_number: 1,
      kind: 'fund',
      payment_id: payment.txid,
      currency: 'TLTC',
      amount: 1,
      amount_exact: '1',
      fee_exact: '0.00000154',
      timestamp: 1_700_000_002,
      theirs: false,
      success: true,
    },
  ])
  assert.deepEqual(await market.payments(OUR_ID, 3), [])
  for (const [id, number] of [
    ['bb'.repeat(20), 1],
    [OUR_ID, 4],
    [OUR_ID, -1],
  ] as const)
    await assert.rejects(market.payments(id, number), { code: 'TransactionNotFound' })
})

test('an order is cancelled and explained by its number', async () => {
  const { market, trader, book, clock } = rig()
  const order = ownOrder({ reserved: 100_000_000n, reason: '' })
  trader.kept.push(order)
  trader.trading.push(ownTrade(order, {}))
  await assert.rejects(market.cancel(2), { code: 'OrderNotFound' })
  await assert.rejects(market.explain(2), { code: 'OrderNotFound' })
  assert.deepEqual(await market.cancel(1), { cancelled: true })
  assert.deepEqual(trader.cancelled, [1])
  const told = await market.explain(1)
  assert.deepEqual(
    { ...told, reasons: told.reasons.length },
    {
      order_number: 1,
      status: 'open',
      reasons: 4,
      reserved_funds_exact: '0.00001',
      currency: 'TLTC',
      matching_orders: 0,
      peers: 3,
    },
  )
  assert.match(told.reasons.join(' '), /Transaction 1 is being swapped \(funding\)\. a block/)
  book.put(
    new TestTrader('other').order({
      side: 'bid',
      quantityAsset: TLTC,
      priceAsset: TBTC,
      price: 500_000n,
      timeMs: clock.wallMs(),
    }),
  )
  assert.equal((await market.explain(1)).matching_orders, 1)
  trader.kept[0] = ownOrder({ status: 'suspended', reason: 'The wallet of TLTC is locked.' })
  const suspended = await market.explain(1)
  assert.deepEqual([suspended.matching_orders, suspended.reasons[0]], [0, 'The wallet of TLTC is locked.'])
})

test('fees of both sides in both coins, and the least that is worth a trade', async () => {
  const { market } = rig()
  assert.deepEqual(
    await market.fees({ quantity_type: 'TLTC', price_type: 'TETH', quantity: '2', price: '0.000000000000001' }),
    {
      quantity_type: 'TLTC',
      price_type: 'TETH',
      ask_quantity_fee_exact: '0.000009',
      // The ask takes ether: paying the deposit, and gas.
      ask_price_fee_exact: '0.0000000000000052',
      // The bid takes TLTC: its claim.
      bid_quantity_fee_exact: '0.000002',
      bid_price_fee_exact: '0.0000000000000092',
      least_quantity_exact: '0.546',
    },
  )
  await assert.rejects(market.fees({ quantity_type: 'LTC', price_type: 'TETH' }), { code: 'WalletNotCreated' })
  await assert.rejects(market.fees({ quantity_type: 'X', price_type: 'TETH' }), { code: 'UnknownWallet' })
})
