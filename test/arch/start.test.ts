// What is loaded before the first answer: only what that answer needs. The start of a process is mostly the reading and
// compiling of code.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadedAtStart, loadedWith } from './loaded-modules.ts'

test('a plain start loads of the command line what reads its flags, no package, and nothing of the node', () => {
  const loaded = [...loadedWith('src/cli/main.ts')]
  assert.deepEqual(loaded.sort(), ['src/base/secret.ts', 'src/cli/start-flags.ts', 'src/cli/start-node.ts'])
})

test('the reader of all commands loads nothing of the node but its version', () => {
  const ours = [...loadedWith('src/cli/commands.ts')].filter(name => name.startsWith('src/'))
  const own = ['src/cli/start-flags.ts', 'src/cli/start-node.ts', 'src/cli/units.ts']
  assert.deepEqual(ours.sort(), ['src/base/secret.ts', ...own, 'src/node/version.ts'])
})

test('the engine, the store and packages for later are not loaded before the first answer', () => {
  const loaded = loadedAtStart()
  assert.ok(loaded.has('src/node/compose.ts') && loaded.has('yaml'))
  const late =
    /^(src\/(torrent|tracker|records|chapters\/overlay\/(core|sealing)|chapters\/circuits\/(core|hidden))\/(?!database-file)|src\/pools\/(?!arena)|(fs-chunk-store|koffi|msgpackr|piscina|sodium-native)$)/
  assert.deepEqual(
    [...loaded].filter(name => late.test(name)),
    [],
  )
})

test('the thread of the database starts before the packer of its messages is loaded', () => {
  const loaded = loadedWith('src/records/records-store.ts')
  assert.ok(loaded.has('src/records/database-link.ts'))
  assert.ok(!loaded.has('msgpackr'))
})

test('the engine comes without the packages that an idle node needs not', () => {
  const loaded = loadedWith('src/node/engine/engine-parts.ts')
  assert.ok(loaded.has('src/pools/pool.ts') && loaded.has('bitfield'))
  for (const name of ['fs-chunk-store', 'koffi', 'piscina']) assert.ok(!loaded.has(name), name)
})

test('the door for clients of Transmission is not loaded before one comes', () => {
  const loaded = loadedAtStart()
  assert.ok(loaded.has('src/http/routes/transmission.ts'))
  assert.deepEqual(
    [...loaded].filter(name => name.startsWith('src/http/transmission/')),
    [],
  )
})

test('a node whose torrents have no web seeds loads nothing for them', () => {
  const loaded = loadedWith('src/node/engine/engine-parts.ts')
  assert.ok(loaded.has('src/torrent/web-seeds/torrent-web-seeds.ts') && loaded.has('src/io/net/late-ranges.ts'))
  for (const name of ['torrent/web-seeds', 'torrent/web-seed', 'torrent/web-seed-run', 'io/guarded-ranges'])
    assert.ok(!loaded.has(`src/${name}.ts`), name)
})
