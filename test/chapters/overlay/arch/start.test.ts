// What a start loads of the overlay before anybody needs it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadedWith } from '../../../arch/loaded-modules.ts'

test('nothing of the overlay is loaded before somebody needs circuits', () => {
  const loaded = loadedWith('src/chapters/overlay/wiring/overlay-parts.ts')
  for (const name of loadedWith('src/node/engine/engine-parts.ts')) loaded.add(name)
  const late =
    /^(src\/chapters\/(overlay\/(core|io|sealing)|circuits\/(core|hidden))\/|src\/chapters\/overlay\/wiring\/overlay-start|sodium-native$)/
  assert.deepEqual(
    [...loaded].filter(name => late.test(name)),
    [],
  )
  assert.ok(loadedWith('src/chapters/overlay/wiring/overlay-start.ts').has('src/chapters/overlay/core/overlays.ts'))
})
