// What is loaded before the first answer: only what that answer needs. The start of a process is mostly the reading and
// compiling of code.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sourceFiles } from './source-tree.ts'

const byPath = new Map(sourceFiles('src').map(file => [file.path, file]))

/** Everything that comes with `path`: files of ours and packages. */
function loadedWith(path: string, found = new Set<string>()): Set<string> {
  for (const name of byPath.get(path)?.loads ?? []) {
    if (found.has(name)) continue
    found.add(name)
    loadedWith(name, found)
  }
  return found
}

/** What a start reads before the first answer: the node, and the faces of the chapters. */
function loadedAtStart(): Set<string> {
  const loaded = loadedWith('src/node/main.ts')
  for (const path of byPath.keys()) if (/^src\/chapters\/[a-z]+\/chapter\.ts$/.test(path)) loadedWith(path, loaded)
  return loaded
}

test('the command line alone loads nothing of the node but its version', () => {
  const ours = [...loadedWith('src/cli/main.ts')].filter(name => name.startsWith('src/'))
  assert.deepEqual(ours.sort(), ['src/base/secret.ts', 'src/node/version.ts'])
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

test('the engine comes without the packages that an idle node needs not', () => {
  const loaded = loadedWith('src/node/engine/engine-parts.ts')
  assert.ok(loaded.has('src/pools/pool.ts') && loaded.has('bitfield'))
  for (const name of ['fs-chunk-store', 'koffi', 'piscina']) assert.ok(!loaded.has(name), name)
})

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
