// What a start loads of wallets before anybody needs it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadedAtStart, loadedWith } from '../../../arch/loaded-modules.ts'

test('nothing of wallets is loaded before somebody asks for them', () => {
  const loaded = loadedWith('src/node/engine/engine-parts.ts')
  for (const name of loadedAtStart()) loaded.add(name)
  assert.ok(loaded.has('src/chapters/wallets/wiring/wallet-services.ts'))
  const late = /^(src\/chapters\/wallets\/(core|ports|io|service\/(?!wallets-api)|wiring\/wallet-parts)|@scure|ethers)/
  assert.deepEqual(
    [...loaded].filter(name => late.test(name)),
    [],
  )
  assert.ok(loadedWith('src/chapters/wallets/wiring/wallet-parts.ts').has('src/chapters/wallets/core/utxo-ledger.ts'))
})
