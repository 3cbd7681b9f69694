// What a start loads of the market before anybody needs it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadedAtStart, loadedWith } from '../../../arch/loaded-modules.ts'

test('nothing of the market is loaded before somebody asks for it', () => {
  const loaded = loadedWith('src/node/engine/engine-parts.ts')
  for (const name of loadedAtStart()) loaded.add(name)
  assert.ok(loaded.has('src/chapters/market/wiring/market-services.ts'))
  const late =
    /^src\/chapters\/market\/(core|mesh|swap|chains|wire|ports|io|service\/(?!market-(api|event-table))|wiring\/(?!open-|market-services|settings-))/
  assert.deepEqual(
    [...loaded].filter(name => late.test(name)),
    [],
  )
  assert.ok(loadedWith('src/chapters/market/wiring/market-parts.ts').has('src/chapters/market/service/market.ts'))
})
