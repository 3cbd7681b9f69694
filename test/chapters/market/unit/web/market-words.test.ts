// What the pages of the market say: totals, pairs, states, places.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  bookPairs,
  emptyBookWords,
  orderState,
  paymentName,
  placesOf,
  stands,
  totalOf,
} from '../../../../../src/chapters/market/web/model/market-words.ts'
import { marketPlace, marketTabs, tabAt } from '../../../../../src/chapters/market/web/model/market-places.ts'
import { addressOf } from '../../../../../src/web/model/place.ts'
import { sampleAsks, sampleBids } from '../../kit/sample-money.ts'

test('a total is exact, rounded down to what the coin has', () => {
  assert.equal(totalOf('1.5', '0.0000003', 8), '0.00000045')
  assert.equal(totalOf('1.5', '0.00000003', 8), '0.00000004')
  assert.equal(totalOf('3', '2', 8), '6')
  assert.equal(totalOf('0.1', '0.2', 8), '0.02')
  assert.equal(totalOf('123456789012', '1.000000000000000001', 18), '123456789012.000000123456789012')
  assert.equal(totalOf('1', '', 8), '')
  assert.equal(totalOf('x', '1', 8), '')
  assert.deepEqual([placesOf('TETH'), placesOf('ETH'), placesOf('TLTC')], [18, 18, 8])
})

test('an empty book says why, and what to do', () => {
  const none = { peers: 0, setting: '', problem: '' }
  const words = (changes: Partial<Parameters<typeof emptyBookWords>[0]>) =>
    emptyBookWords({ ...none, state: 'off', ...changes })
  assert.match(words({ setting: 'ipv8.enabled' }), /off by the setting ipv8\.enabled\. Switch it on in Settings/)
  assert.match(
    words({ state: 'failed', problem: '$t(none).' }),
    /not be started \(\$t\(none\)\)\. The node tries again/,
  )
  assert.match(words({ state: 'starting' }), /connecting/)
  assert.match(words({ state: 'alone' }), /no other node .* Check that UDP/)
  assert.match(words({ state: 'connected', peers: 1 }), /Connected to 1 node of the market: place/)
  assert.match(words({ state: 'connected', peers: 1200 }), /Connected to 1,200 nodes/)
})

test('both sides of two coins are one pair', () => {
  const other = { quantity_type: 'ETH', price_type: 'BTC', ticks: [] }
  const pairs = bookPairs([...sampleAsks, other], sampleBids)
  assert.deepEqual(
    pairs.map(({ name, asks, bids }) => [name, asks.length, bids.length]),
    [
      ['ETH / BTC', 0, 0],
      ['LTC / BTC', 242, 1],
    ],
  )
})

test('states and kinds that are not known are shown as they are', () => {
  assert.equal(orderState({ status: 'withdrawn' }), 'Withdrawn: its funds are gone')
  assert.equal(orderState({ status: 'new one' }), 'new one')
  assert.deepEqual(
    ['open', 'suspended', 'completed', 'cancelled'].map(status => stands({ status })),
    [true, true, false, false],
  )
  assert.equal(paymentName({ kind: 'claim', theirs: true }), 'Claimed with the secret (other side)')
})

test('parts of the market have addresses; what is none is the book', () => {
  const addresses = marketTabs.map(([tab]) => addressOf(marketPlace(tab)))
  assert.deepEqual(addresses, ['#/market', '#/market/orders', '#/market/trades'])
  for (const [tab] of marketTabs) assert.equal(tabAt(marketPlace(tab).parts), tab)
  assert.equal(tabAt(['zzz']), 'book')
})
