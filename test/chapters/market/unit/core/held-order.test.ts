// What of an order is left, spoken for and traded.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HeldOrder } from '../../../../../src/chapters/market/core/held-order.ts'
import { TestTrader } from '../../kit/market-orders.ts'

test('parts are taken out of what is left, and no more than that; each is one thing at a time', () => {
  const terms = { ...new TestTrader('ann').order().terms, quantity: 10n }
  const needs = { fee: 1n, gas: 0n, leastQuantity: 1n }
  const ended = { status: 'open', reason: '', closedMs: null, completedMs: null } as const
  const order = new HeldOrder({ terms, key: '', needs, ...ended, sequence: 0 })
  order.negotiate('one', 6n)
  assert.throws(() => order.negotiate('two', 5n), RangeError)
  assert.throws(() => order.negotiate('two', 0n), RangeError)
  assert.throws(() => order.negotiate('one', 1n), RangeError)
  order.negotiate('two', 4n)
  assert.deepEqual([order.left, order.reserved, order.traded], [0n, 10n, 0n])
  order.giveBack('two')
  order.tradeBegan('one', 6n)
  order.tradeBegan('one', 6n)
  assert.deepEqual([order.left, order.pending, order.negotiated], [4n, 6n, 0n])
  order.tradeEnded('one', true)
  order.tradeEnded('one', true)
  assert.deepEqual([order.left, order.reserved, order.traded], [4n, 0n, 6n])
})
