// Events of own orders and trades: each step once, and nothing for what strangers may change at will.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tellMarketEvents } from '../../../../../src/chapters/market/service/market-events.ts'
import { FakeTrader, ownOrder, ownTrade } from '../../kit/fake-market.ts'

function rig() {
  const trader = new FakeTrader()
  const told: [string, Record<string, Record<string, unknown>>][] = []
  const emit = (type: string, event?: unknown) =>
    void told.push([type, event as Record<string, Record<string, unknown>>])
  const end = tellMarketEvents(trader, { emit })
  return { trader, told, end }
}

test('an order is an event when it is placed, and again with another status or more traded', () => {
  const { trader, told, end } = rig()
  const order = ownOrder()
  const happen = (changes: Parameters<typeof ownOrder>[0], created = false) =>
    trader.happen({ kind: 'order', created, order: ownOrder({ ...order, ...changes }) })
  happen({}, true)
  happen({ reserved: 1n })
  happen({ reserved: 0n })
  happen({ traded: 100_000_000n })
  happen({ traded: 100_000_000n, status: 'suspended', reason: 'locked' })
  assert.deepEqual(
    told.map(([type, { order: shown }]) => [type, shown?.['status'], shown?.['traded_quantity']]),
    [
      ['market_order_created', 'open', 0],
      ['market_order_changed', 'open', 1],
      ['market_order_changed', 'suspended', 1],
    ],
  )
  assert.deepEqual(told[2]?.[1]['reason'], 'locked')
  end()
  happen({ status: 'cancelled' })
  assert.equal(told.length, 3)
})

test('a trade is an event when it is agreed, and with each step', () => {
  const { trader, told } = rig()
  const order = ownOrder()
  const happen = (swap: Parameters<typeof ownTrade>[1], created = false) =>
    trader.happen({ kind: 'trade', created, trade: ownTrade(order, swap) })
  happen(null, true)
  happen({ step: 'funding' })
  happen({ step: 'funding', waitsFor: 'another block' })
  happen({ step: 'claimed', given: 1n })
  happen({ step: 'claimed', given: 1n, outcome: 'completed' })
  assert.deepEqual(
    told.map(([type, { transaction }]) => [type, transaction?.['step'], transaction?.['status']]),
    [
      ['market_transaction_created', 'agreed', 'pending'],
      ['market_transaction_changed', 'funding', 'pending'],
      ['market_transaction_changed', 'claimed', 'pending'],
      ['market_transaction_changed', 'claimed', 'completed'],
    ],
  )
})
