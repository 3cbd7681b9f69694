// Sums of what is set aside.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WalletReservations } from '../../../../../src/chapters/wallets/service/wallet-reservations.ts'

test('what is set aside is counted for its coin, in the place of what was there under the name', () => {
  const held = new WalletReservations()
  held.set('order-1', 'BTC', 100n)
  held.set('order-2', 'BTC', 30n)
  held.set('order-3', 'ETH', 5n)
  assert.deepEqual([held.total('BTC'), held.total('ETH'), held.total('LTC')], [130n, 5n, 0n])
  assert.deepEqual([held.total('BTC', 'order-1'), held.total('BTC', 'order-3')], [30n, 130n])
  held.set('order-1', 'BTC', 10n)
  assert.equal(held.total('BTC'), 40n)
  held.set('order-1', 'LTC', 7n)
  assert.deepEqual([held.total('BTC'), held.total('LTC')], [30n, 7n])
  assert.deepEqual([held.release('order-1'), held.release('order-1')], ['LTC', null])
  assert.equal(held.total('LTC'), 0n)
})

test('no more is taken than there is, and exactly that is given back', () => {
  const held = new WalletReservations()
  held.set('order-1', 'BTC', 100n)
  assert.deepEqual([held.take('order-1', 60n), held.total('BTC')], [60n, 40n])
  assert.deepEqual([held.take('order-1', 60n), held.total('BTC')], [40n, 0n])
  held.giveBack('order-1', 40n)
  assert.equal(held.held('order-1', 'BTC'), 40n)
  held.release('order-1')
  held.giveBack('order-1', 40n)
  assert.deepEqual([held.take('order-1', 1n), held.total('BTC')], [0n, 0n])
})

test('it is bounded, and takes nothing below nothing', () => {
  const held = new WalletReservations()
  assert.throws(() => held.set('order-1', 'BTC', -1n), { code: 'InvalidParameter' })
  for (let number = 0; number < 10_000; number++) held.set(`order-${number}`, 'BTC', 1n)
  assert.throws(() => held.set('one more', 'BTC', 1n), { code: 'TooManyRequests' })
  held.set('order-7', 'BTC', 2n)
  assert.equal(held.total('BTC'), 10_001n)
})
