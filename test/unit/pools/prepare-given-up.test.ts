// A torrent that is stopped while its folders are made, with work that waits behind that: it ends soon, and nothing is
// made for what waited.

import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeRigTorrent, StoreRig } from '../../kit/doubles/store-rig.ts'

const FILES = 3000
const KIB = 1024

test('what waits behind folders that are given up fails with them, until they are made anew', async t => {
  const store = new StoreRig(t)
  const files = Array.from({ length: FILES }, (_, i) => ({ path: `${i}/file`, length: 16 }))
  const torrent = makeRigTorrent(store.folder, files, 16 * KIB)
  const pieces = store.stores.open(torrent.layout)
  const abort = new AbortController()
  const prepared = assert.rejects(pieces.prepare(abort.signal), { code: 'Aborted' })
  // As of a reader: its file is to be made, and its piece comes.
  const ready = assert.rejects(pieces.makeReady?.(0) ?? Promise.resolve(), { code: 'Aborted' })
  const commit = () => store.withBlocks(torrent, 0, blocks => pieces.commit(0, blocks))
  const spill = () => store.withBlocks(torrent, 1, blocks => pieces.writeBlocks(1, blocks))
  const waiting = [assert.rejects(commit(), { code: 'Aborted' }), assert.rejects(spill(), { code: 'Aborted' })]
  while (readdirSync(store.folder).length < 10) await new Promise(resolve => setImmediate(resolve))
  abort.abort()
  await Promise.all([prepared, ready, ...waiting])
  await pieces.close()
  const made = readdirSync(store.folder)
  assert.ok(made.length < FILES / 2, `${made.length} folders were made`)
  assert.ok(made.every(name => !existsSync(join(store.folder, name, 'file'))))
  // Also what comes after it, until somebody prepares.
  await assert.rejects(commit(), { code: 'Aborted' })
  await pieces.prepare()
  assert.equal(await commit(), 'ok')
  await pieces.close()
})
