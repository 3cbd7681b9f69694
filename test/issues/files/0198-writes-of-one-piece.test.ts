// Blocks that were spilled and given up (their file was deselected) could land on the disk after the verified piece.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { makeRigTorrent, StoreRig } from '../../kit/doubles/store-rig.ts'

test('a slow write of old blocks does not spoil the piece that is committed after it', async t => {
  const rig = new StoreRig(t, {
    worker: new URL('./slow-write-worker.js', import.meta.url),
    threads: 2,
    threadsOnly: true,
  })
  const torrent = makeRigTorrent(rig.folder, [{ path: 'a.bin', length: 64 * 1024 }], 32 * 1024)
  const store = rig.stores.open(torrent.layout)
  await store.prepare()
  // More batches than one thread holds: both threads run.
  await rig.withBlocks(torrent, 1, async blocks => {
    const stores = Array.from({ length: 5 }, (_, i) => rig.stores.open({ ...torrent.layout, key: `warm-${i}` }))
    const writes: Promise<void>[] = []
    for (const warm of stores) {
      writes.push(warm.writeBlocks(1, blocks))
      for (let i = 0; i < 50; i += 1) await turn()
    }
    await Promise.all(writes)
  })
  const bad = rig.lease(torrent, 0)
  for (const { slot } of bad) slot.bytes.fill(0xbb)
  const spilled = store.writeBlocks(0, bad)
  for (let i = 0; i < 20; i += 1) await turn()
  assert.equal(await rig.withBlocks(torrent, 0, blocks => store.commit(0, blocks)), 'ok')
  await spilled
  rig.release(bad)
  assert.equal(await store.verify(0), 'ok')
})
