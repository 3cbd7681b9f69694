// Traders that meet: orders are matched, halves made, swaps begun and ended; what each side has afterwards. Negotiation and orders are real, chains are not.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FUND_FEE } from '../kit/fake-swap-desk.ts'
import { COIN, type FloorTrader, TradingFloor } from '../kit/trading-floor.ts'

/** The two swaps of one trade come to their ends. */
async function complete(floor: TradingFloor, ...traders: FloorTrader[]): Promise<void> {
  for (const { desk } of traders) {
    for (const { agreement, outcome } of desk.list()) {
      if (outcome !== null) continue
      await desk.fund(agreement.id)
      await desk.complete(agreement.id)
    }
  }
  await floor.pass(100)
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

  await complete(floor, ann, bob)
  for (const one of [ann, bob]) {
    assert.equal(one.order(1).status, 'completed')
    assert.equal(one.order(1).traded, 10n * COIN)
    assert.equal(one.order(1).reserved, 0n)
    assert.notEqual(one.order(1).completedMs, null)
    assert.equal(one.funds.reserved.size, 0)
    assert.equal(one.trader.trades()[0]?.swap?.outcome, 'completed')
  }
  // 10 LTC against 0.1 BTC, and the fees of the purse on each side.
  assert.equal(ann.funds.of('LTC')?.available, 990n * COIN - FUND_FEE - 10n)
  assert.equal(ann.funds.of('BTC')?.available, 1_000n * COIN + 10_000_000n)
  assert.equal(bob.funds.of('BTC')?.available, 1_000n * COIN - 10_000_000n - FUND_FEE - 10n)
  assert.equal(bob.funds.of('LTC')?.available, 1_010n * COIN)
  await floor.stop()
  assert.equal(floor.clock.pending, 0)
})
