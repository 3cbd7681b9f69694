// Addresses of wallets.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { coinAt, walletPlace, walletsHome } from '../../../../../src/chapters/wallets/web/model/wallet-places.ts'
import { addressOf } from '../../../../../src/web/model/place.ts'

test('wallets have addresses; what is none is the list', () => {
  assert.equal(addressOf(walletsHome), '#/wallets')
  assert.equal(addressOf(walletPlace('TBTC')), '#/wallets/TBTC')
  assert.equal(coinAt(walletPlace('TBTC').parts), 'TBTC')
  for (const parts of [[], ['..', 'x'], ['btc'], ['']]) assert.equal(coinAt(parts), '', parts.join('/'))
})
