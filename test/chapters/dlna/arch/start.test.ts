// What a start loads of the media server before anybody needs it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadedAtStart, loadedWith } from '../../../arch/loaded-modules.ts'

test('nothing of the media server is loaded before the settings want it', () => {
  const loaded = loadedWith('src/node/engine/engine-parts.ts')
  for (const name of loadedAtStart()) loaded.add(name)
  assert.ok(loaded.has('src/chapters/dlna/wiring/dlna-services.ts'))
  const late =
    /^src\/(chapters\/dlna\/(core|ports|io|wire|service\/(?!dlna-api)|wiring\/dlna-parts)|http\/uws\/further)/
  assert.deepEqual(
    [...loaded].filter(name => late.test(name)),
    [],
  )
  assert.ok(loadedWith('src/chapters/dlna/wiring/dlna-parts.ts').has('src/chapters/dlna/service/media-server.ts'))
})
