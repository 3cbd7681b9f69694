// What must hold at every instant, whatever happens: no order trades or reserves more than it has, no number and no
// quantity is used twice, money is set aside for what is promised. Tried with kills between any two writes, and with
// chance.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sameAsset } from '../../../../src/chapters/wallets/core/assets.ts'
import { FUND_FEE } from '../kit/fake-swap-engine.ts'
import { BTC, LTC } from '../kit/market-orders.ts'
import { SeededRandom } from '../../../kit/sim/seeded-random.ts'
import { COIN, type FloorTrader, TradingFloor } from '../kit/trading-floor.ts'

/** What holds for a trader by itself. */
function checkTrader(one: FloorTrader): void {
  for (const order of one.trader.orders()) {
    const { terms, reserved, traded, status } = order
    const name = `${one.name} ${terms.number} ${status}`
    assert.ok(reserved >= 0n && traded >= 0n, name)
    assert.ok(reserved + traded <= terms.quantity, `${name}: ${reserved} + ${traded} > ${terms.quantity}`)
    const trades = one.trader.trades().filter(trade => trade.order.number === terms.number)
    const sum = (found: typeof trades): bigint => found.reduce((all, { agreement }) => all + agreement.quantity, 0n)
    assert.equal(sum(trades.filter(({ swap }) => swap?.outcome === 'completed')), traded, name)
    const running = sum(trades.filter(({ swap }) => (swap?.outcome ?? null) === null))
    assert.ok(running <= reserved, name)
    assert.equal(status === 'completed', traded === terms.quantity, name)
    if (status === 'open') {
      // What is left is paid for, whatever becomes of it: give of what is left and of what is spoken for, less what was
      // paid.
      const left = terms.quantity - traded - reserved
      const give = terms.side === 'ask' ? left : (left * terms.price) / COIN
      assert.ok(one.trader.fundsOf(terms.number) >= give, `${name}: funds`)
    }
  }
  // Every swap is a trade, and no swap is two.
  const ids = one.trader.trades().map(({ agreement }) => agreement.id)
  assert.equal(new Set(ids).size, ids.length)
  for (const { agreement } of one.swapEngine.list())
    assert.ok(ids.includes(agreement.id), `${one.name}: a swap without a trade`)
  const numbers = one.trader.trades().map(({ number }) => number)
  assert.equal(new Set(numbers).size, numbers.length)
}

/** Both sides of a swap hold the same agreement, and none trades at a price that one of the orders does not allow. */
function checkPairs(traders: readonly FloorTrader[]): void {
  const terms = new Map(
    traders.flatMap(one => one.trader.orders().map(order => [`${one.id}.${order.terms.number}`, order.terms] as const)),
  )
  const seen = new Map<string, unknown>()
  for (const one of traders) {
    for (const { agreement } of one.trader.trades()) {
      const [ask, bid] = [agreement.ask, agreement.bid].map(({ trader, number }) => terms.get(`${trader}.${number}`))
      assert.ok(ask !== undefined && bid !== undefined && ask.side === 'ask' && bid.side === 'bid')
      assert.ok(sameAsset(ask.quantityAsset, bid.quantityAsset) && sameAsset(ask.priceAsset, bid.priceAsset))
      assert.ok(ask.price <= agreement.price && agreement.price <= bid.price)
      if (seen.has(agreement.id)) assert.deepEqual(agreement, seen.get(agreement.id))
      seen.set(agreement.id, agreement)
    }
  }
}

/** Money of a coin, in all wallets and in swaps that are funded and not over. */
function moneyIn(traders: readonly FloorTrader[], coin: 'LTC' | 'BTC'): bigint {
  let sum = 0n
  for (const { funds, swapEngine } of traders) {
    sum += funds.wallets.get(coin)?.balance ?? 0n
    for (const { payments, outcome, given } of swapEngine.list()) {
      const fund = payments.find(payment => payment.kind === 'fund' && payment.coin === coin)
      if (fund === undefined) continue
      const fee = payments.find(({ kind }) => kind === 'purse')?.fee ?? 0n
      sum += fee + FUND_FEE
      // Neither back with its owner nor with the other side yet.
      if (outcome === null || (outcome === 'completed' && given === 0n)) sum += fund.amount
    }
  }
  return sum
}

/**
 * Both ends of every swap that both sides have begun, and as the other side ended where it has; of the others the end
 * that a silent partner gives them.
 */
async function finish(traders: readonly FloorTrader[], chance: (id: string) => number): Promise<void> {
  const swaps = new Map<string, FloorTrader[]>()
  for (const one of traders) {
    for (const { agreement } of one.swapEngine.list())
      swaps.set(agreement.id, [...(swaps.get(agreement.id) ?? []), one])
  }
  for (const [id, both] of swaps) {
    const views = both.map(({ swapEngine }) => swapEngine.list().find(({ agreement }) => agreement.id === id))
    const ended = views.find(view => (view?.outcome ?? null) !== null)?.outcome
    const how =
      ended ?? (both.length < 2 || chance(id) === 0 ? 'abandoned' : chance(id) === 1 ? 'refunded' : 'completed')
    const open = both.filter((_one, at) => views[at]?.outcome === null)
    for (const { swapEngine } of open) if (how !== 'abandoned') await swapEngine.fund(id)
    for (const { swapEngine } of open) {
      await (how === 'abandoned'
        ? swapEngine.abandon(id)
        : how === 'refunded'
          ? swapEngine.refund(id)
          : swapEngine.complete(id))
    }
  }
}

/** One story with every kind of write: orders placed, matched, cancelled, two swaps, one of which ends. */
async function story(floor: TradingFloor, ann: FloorTrader, bob: FloorTrader): Promise<void> {
  const tried = async (work: Promise<unknown>): Promise<void> => {
    // What a dead process has begun never settles.
    await Promise.race([work.catch(() => undefined), floor.pass(5_000)])
  }
  await tried(ann.place({ key: 'one' }))
  await tried(ann.place({ key: 'two', price: 5_000_000n }))
  await tried(bob.place({ side: 'bid', quantity: 4n * COIN, key: 'three' }))
  await floor.pass(2_000)
  await tried(ann.trader.cancel(2))
  await tried(bob.place({ side: 'bid', quantity: 6n * COIN, key: 'four' }))
  await floor.pass(2_000)
  const has = (one: FloorTrader, id: string): boolean =>
    one.swapEngine.list().some(({ agreement }) => agreement.id === id)
  const id = ann.swapEngine.list().find(({ agreement }) => has(bob, agreement.id))?.agreement.id
  for (const { swapEngine } of id === undefined ? [] : [ann, bob]) {
    await tried(swapEngine.fund(id as string))
    await tried(swapEngine.complete(id as string))
  }
  await floor.pass(2_000)
}

test('killed between any two writes, on either side: nothing is traded twice, every swap has its trade, numbers are new', async () => {
  for (const dying of ['ann', 'bob'] as const) {
    let died = true
    for (let after = 0; died; after++) {
      const floor = new TradingFloor(after + 1)
      const [ann, bob] = [await floor.trader('ann'), await floor.trader('bob')]
      const victim = dying === 'ann' ? ann : bob
      victim.kill()
      await victim.restart(after)
      victim.unlock()
      const heard = new Set<number>()
      const other = victim === ann ? bob : ann
      other.member.book.watch(statement => {
        if (statement?.terms.trader === victim.id) heard.add(statement.terms.number)
      })
      await story(floor, ann, bob)
      died = victim.files.dead
      const shown = victim.trader.orders().map(({ terms }) => terms.number)
      victim.kill()
      await victim.restart()
      victim.unlock()
      await floor.pass(60_000)
      for (const one of [ann, bob]) checkTrader(one)
      checkPairs([ann, bob])
      // Every order that anybody has heard of is there, and a new one has another number.
      const there = victim.trader.orders().map(({ terms }) => terms.number)
      for (const number of [...heard]) assert.ok(there.includes(number), `${dying} after ${after}: order ${number}`)
      const { number } = (await victim.place({ side: 'ask', price: 9_000_000n, quantity: COIN })).terms
      assert.ok(!heard.has(number) || number > Math.max(...shown, 0), `${dying} after ${after}: number ${number} again`)
      // All comes to an end, and all quantity is somewhere.
      await finish([ann, bob], () => 2)
      await floor.pass(60_000)
      await finish([ann, bob], () => 2)
      await floor.pass(1_000)
      for (const one of [ann, bob]) {
        checkTrader(one)
        assert.ok(
          one.trader.orders().every(({ reserved }) => reserved === 0n),
          `${dying} after ${after}`,
        )
      }
      const sold = (one: FloorTrader, side: string): bigint =>
        one.trader.orders().reduce((sum, { terms, traded }) => (terms.side === side ? sum + traded : sum), 0n)
      assert.equal(sold(ann, 'ask'), sold(bob, 'bid'), `${dying} after ${after}`)
      await floor.stop()
      assert.ok(after < 60, 'the story has an end')
    }
  }
})

test('many traders and chance: conservation of quantity and of money at every instant', async () => {
  for (let seed = 1; seed <= 12; seed++) {
    const floor = new TradingFloor(seed)
    const random = new SeededRandom(seed)
    const names = ['ann', 'bob', 'cat', 'dan']
    const traders: FloorTrader[] = []
    for (const name of names) traders.push(await floor.trader(name))
    const all = { LTC: moneyIn(traders, 'LTC'), BTC: moneyIn(traders, 'BTC') }
    floor.market.delayMs = () => 5 + random.below(200)
    floor.market.loses = () => random.below(10) === 0
    floor.market.losesStatement = () => random.below(20) === 0
    for (const { trader } of traders) trader.watch(() => traders.forEach(checkTrader))
    for (let step = 0; step < 120; step++) {
      await act(floor, traders, random)
      await floor.pass(random.below(3_000))
      for (const one of traders) checkTrader(one)
      checkPairs(traders)
      assert.equal(moneyIn(traders, 'LTC'), all.LTC, `seed ${seed} step ${step}: LTC`)
      assert.equal(moneyIn(traders, 'BTC'), all.BTC, `seed ${seed} step ${step}: BTC`)
    }
    floor.market.loses = () => false
    floor.market.losesStatement = () => false
    for (const one of traders) one.unlock()
    for (let round = 0; round < 12; round++) {
      await finish(traders, () => 2)
      await floor.pass(120_000)
    }
    for (const one of traders) {
      checkTrader(one)
      assert.ok(
        one.trader.orders().every(({ reserved }) => reserved === 0n),
        `seed ${seed}: ${one.name} has something reserved`,
      )
    }
    assert.ok(
      traders.some(({ trader }) => trader.trades().length > 2),
      `seed ${seed}: hardly a trade`,
    )
    await floor.stop()
    assert.equal(floor.clock.pending, 0)
  }
})

/** Something happens. */
async function act(floor: TradingFloor, traders: readonly FloorTrader[], random: SeededRandom): Promise<void> {
  const one = traders[random.below(traders.length)] as FloorTrader
  const open = one.trader.orders().filter(({ status }) => status === 'open')
  const kind = random.below(12)
  if (kind < 6) {
    const side = random.below(2) === 0 ? 'ask' : 'bid'
    const quantity = BigInt(1 + random.below(20)) * (COIN / 2n)
    const price = BigInt(900_000 + random.below(20) * 10_000)
    const request = {
      side,
      quantity,
      price,
      quantityAsset: LTC,
      priceAsset: BTC,
      timeoutS: 10 + random.below(600),
    } as const
    await one.place(request).catch(() => undefined)
  } else if (kind === 6 && open.length > 0) {
    await one.trader.cancel(open[random.below(open.length)]?.terms.number ?? 0).catch(() => undefined)
  } else if (kind === 7) {
    one.lock()
    await floor.pass(random.below(2_000))
    one.unlock()
  } else if (kind === 8) {
    one.kill()
    await floor.pass(random.below(5_000))
    await one.restart()
    one.unlock()
  } else if (kind >= 9) {
    await finish(traders, id => Number.parseInt(id.slice(0, 2), 16) % 5)
  }
}
