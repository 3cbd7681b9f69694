// Own orders on a disk that fails, and too many of them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../../../../src/base/errors.ts'
import { MAX_ORDERS_IN_TIME } from '../../../../../src/chapters/market/core/limits.ts'
import { MAX_OPEN_ORDERS } from '../../../../../src/chapters/market/core/order-placement.ts'
import { MAX_FINISHED_ORDERS, SEQUENCES_AHEAD } from '../../../../../src/chapters/market/core/own-orders.ts'
import { BTC, LTC } from '../../kit/market-orders.ts'
import { COIN, TradingFloor } from '../../kit/trading-floor.ts'

test('what is no order is refused, and nothing is kept of it', async () => {
  const floor = new TradingFloor()
  const ann = await floor.trader('ann')
  const refused = async (request: object, code = 'InvalidParameter'): Promise<void> => {
    await assert.rejects(
      ann.place(request),
      { code },
      JSON.stringify(request, (_key, value: unknown) => String(value)),
    )
  }
  await refused({ priceAsset: LTC })
  await refused({ quantity: 0n })
  await refused({ quantity: -1n })
  await refused({ quantity: 1n << 128n })
  await refused({ price: 0n })
  await refused({ price: -5n })
  await refused({ timeoutS: 0 })
  await refused({ timeoutS: 86_401 })
  await refused({ timeoutS: 1.5 })
  // Costs nothing; less than its fees on one chain or the other.
  await refused({ quantity: 99n, price: 1n })
  await refused({ quantity: 7n, price: 100n * COIN })
  await refused({ quantity: COIN, price: 7n })
  await refused({ quantityAsset: { coin: 'TLTC', chain: 'aa' } }, 'WalletNotCreated')
  await refused({ quantityAsset: { ...LTC, chain: '00000000' } }, 'WalletNotCreated')
  ann.funds.setUnlocked('BTC', false)
  await refused({}, 'WalletLocked')
  ann.funds.setUnlocked('BTC', true)
  await refused({ quantity: 1_001n * COIN }, 'InsufficientFunds')
  const wallet = ann.funds.wallets.get('BTC')
  assert.ok(wallet !== undefined)
  wallet.problem = 'no answer'
  await refused({}, 'WalletServerFailed')
  wallet.problem = ''
  assert.equal(ann.trader.orders().length, 0)
  assert.equal(ann.disk.texts.size, 0)
  assert.equal(ann.funds.reserved.size, 0)
  await ann.place({ quantity: 8n, price: 100n * COIN, priceAsset: BTC })
  await floor.stop()
})

test('a disk that is full: no order, no cancellation, and no statement', async () => {
  const floor = new TradingFloor()
  const [ann, bob] = [await floor.trader('ann'), await floor.trader('bob')]
  ann.disk.fails = new AppError('DiskFull')
  await assert.rejects(ann.place(), { code: 'DiskFull' })
  await floor.pass(1_000)
  assert.equal(bob.member.book.size, 0)
  assert.equal(ann.funds.reserved.size, 0)
  ann.disk.fails = null
  const { number } = (await ann.place()).terms
  ann.disk.fails = new AppError('DiskError')
  await assert.rejects(ann.trader.cancel(number), { code: 'DiskError' })
  assert.equal(ann.order(number).status, 'open')
  await floor.pass(1_000)
  assert.equal(bob.member.book.get({ trader: ann.id, number })?.state.status, 'open')
  // An end by itself is sent at once, and written when the disk takes it.
  ann.funds.setBalance('LTC', 0n)
  await floor.pass(15_000)
  assert.equal(ann.order(number).status, 'withdrawn')
  ann.disk.fails = null
  await floor.pass(10_000)
  ann.kill()
  await ann.restart()
  assert.equal(ann.order(number).status, 'withdrawn')
  await assert.rejects(ann.trader.cancel(number), { code: 'OrderNotOpen' })
  await assert.rejects(ann.trader.cancel(99), { code: 'OrderNotFound' })
  await floor.stop()
})

test('a disk that fails while a trade begins: the order trades no more, since the trade may have begun', async () => {
  const floor = new TradingFloor()
  const [ann, bob] = [await floor.trader('ann'), await floor.trader('bob')]
  await ann.place()
  await floor.pass(100)
  ann.disk.fails = new AppError('DiskError')
  await bob.place({ side: 'bid' })
  await floor.pass(2_000)
  ann.disk.fails = null
  assert.equal(ann.order(1).status, 'withdrawn')
  assert.match(ann.order(1).reason, /disk failed/)
  assert.equal(ann.trader.trades().length, 0)
  // A swapEngine that has it, though it could not say so: then it is a trade.
  await ann.place()
  ann.swapEngine.beginFailsLate = new AppError('DiskError')
  await floor.pass(60_000)
  assert.equal(ann.order(2).reserved, 10n * COIN)
  assert.equal(ann.trader.trades().length, 1)
  assert.equal(bob.trader.trades().length, 1)
  await floor.stop()
})

test('more open orders than there may be are refused; so are more than books keep of one trader', async () => {
  const floor = new TradingFloor()
  const ann = await floor.trader('ann')
  const request = { quantity: 1_000n, price: 10n * COIN }
  for (let count = 0; count < MAX_OPEN_ORDERS; count++) await ann.place(request)
  await assert.rejects(ann.place(request), { code: 'TooManyRequests' })
  for (let number = 1; number <= MAX_OPEN_ORDERS; number++) await ann.trader.cancel(number)
  for (let count = MAX_OPEN_ORDERS; count < MAX_ORDERS_IN_TIME; count++) await ann.place(request)
  await assert.rejects(ann.place(request), { code: 'TooManyRequests' })
  await floor.pass(3_601_000)
  await ann.place(request)
  await floor.stop()
})

test('orders that are over are forgotten, the oldest first, and their numbers never come again', async () => {
  const floor = new TradingFloor()
  const ann = await floor.trader('ann')
  const request = { quantity: 1_000n, price: 10n * COIN, timeoutS: 1 }
  const many = MAX_FINISHED_ORDERS + 150
  for (let count = 0; count < many; count += 50) {
    for (let at = 0; at < 50; at++) await ann.place(request)
    await floor.pass(3_000)
  }
  await floor.pass(5_000)
  const numbers = ann.trader.orders().map(({ terms }) => terms.number)
  assert.equal(numbers.length, MAX_FINISHED_ORDERS)
  assert.equal(numbers[0], many - MAX_FINISHED_ORDERS + 1)
  assert.ok(ann.disk.texts.size <= MAX_FINISHED_ORDERS + 1, `${ann.disk.texts.size} files`)
  // Even when every file of an order is gone, its number is not given again.
  ann.kill()
  for (const name of ann.disk.texts.keys()) if (name.startsWith('order-')) ann.disk.texts.delete(name)
  await ann.restart()
  ann.unlock()
  const { number } = (await ann.place(request)).terms
  assert.ok(number > many - 51, `${number}`)
  await floor.stop()
})

test('a damaged file: its order is not there, its number is not given again, and all else is', async () => {
  const floor = new TradingFloor()
  const ann = await floor.trader('ann')
  for (let count = 0; count < 3; count++) await ann.place()
  ann.kill()
  ann.disk.texts.set('order-3', '{"terms":{')
  ann.disk.texts.set('order-2', (ann.disk.texts.get('order-2') ?? '').replace('"ask"', '"gift"'))
  await ann.restart()
  ann.unlock()
  assert.deepEqual(
    ann.trader.orders().map(({ terms }) => terms.number),
    [1],
  )
  assert.equal((await ann.place()).terms.number, 4)
  await floor.stop()
})

test('sequences never come twice, however often a state is sent and the process is killed', async () => {
  const floor = new TradingFloor()
  const [ann, bob] = [await floor.trader('ann'), await floor.trader('bob')]
  const seen = new Set<number>()
  let twice = 0
  bob.member.book.watch(statement => {
    if (statement === null) return
    if (seen.has(statement.state.sequence)) twice++
    seen.add(statement.state.sequence)
  })
  await ann.place()
  for (let round = 0; round < 3; round++) {
    for (let flips = 0; flips < 2 * SEQUENCES_AHEAD; flips++) {
      if (flips % 2 === 0) ann.lock()
      else ann.unlock()
      await floor.pass(50)
    }
    ann.kill()
    await floor.pass(100)
    await ann.restart()
    await floor.pass(100)
  }
  assert.equal(twice, 0)
  assert.ok(seen.size > 6 * SEQUENCES_AHEAD - 10, `${seen.size} statements`)
  await floor.stop()
})
