// Commits for which everything is at hand are sent in the turn in which they are asked for; what lacks anything waits
// as before. Whatever the end, nothing stays held.

import assert from 'node:assert/strict'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { AppError } from '../../../src/base/errors.ts'
import type { FilePieceStoresDeps, FilePieceStoresOptions } from '../../../src/pools/piece-stores.ts'
import { makeRigTorrent, StoreRig } from '../../kit/doubles/store-rig.ts'

const KIB = 1024
const faultyWorker = new URL('../../contract/workers/faulty-worker.js', import.meta.url)

/** A torrent of one file and four pieces, the first of which is there: thread, descriptor and folder are at hand. */
async function begun(t: TestContext, options: FilePieceStoresOptions = {}, deps: Partial<FilePieceStoresDeps> = {}) {
  const rig = new StoreRig(t, { threads: 1, threadsOnly: true, ...options }, deps)
  const torrent = makeRigTorrent(rig.folder, [{ path: 'film', length: 256 * KIB }], 64 * KIB)
  if (options.worker !== undefined) writeFileSync(join(rig.folder, 'film'), '')
  const store = rig.stores.open(torrent.layout)
  await store.prepare()
  assert.equal(await rig.withBlocks(torrent, 0, blocks => store.commit(0, blocks)), 'ok')
  // The first write made the file: from the second on its descriptor is open.
  assert.equal(await rig.withBlocks(torrent, 1, blocks => store.commit(1, blocks)), 'ok')
  const path = join(rig.folder, 'film')
  return { rig, torrent, store, path, sent: () => rig.stores.stats().queuedJobs }
}

test('a commit that needs nothing but a thread is sent in its own turn', async t => {
  const { rig, torrent, store, path, sent } = await begun(t)
  await rig.withBlocks(torrent, 2, async blocks => {
    const done = store.commit(2, blocks)
    assert.equal(sent(), 1)
    assert.equal(await done, 'ok')
  })
  assert.deepEqual(readFileSync(path), Buffer.from(torrent.content.subarray(0, 192 * KIB)))
  assert.equal(await store.verify(2), 'ok')
  assert.deepEqual((await store.keptFacts())[0]?.sizeBytes, 192 * KIB, 'the write is known as ours')
})

test('one that must look at its file, or comes after work that is alone, waits for it', async t => {
  const { rig, torrent, store, sent } = await begun(t)
  rig.clock.nowMs += 1001
  await rig.withBlocks(torrent, 2, async blocks => {
    const done = store.commit(2, blocks)
    assert.equal(sent(), 0, 'the file is due for a look')
    assert.equal(await done, 'ok')
  })
  const prepared = store.prepare()
  await rig.withBlocks(torrent, 3, async blocks => {
    const done = store.commit(3, blocks)
    assert.equal(sent(), 0, 'the folder is being prepared')
    await prepared
    assert.equal(await done, 'ok')
  })
})

test('two writes of one piece follow each other', async t => {
  const { rig, torrent, store, sent } = await begun(t)
  await rig.withBlocks(torrent, 2, async blocks => {
    const first = store.commit(2, blocks)
    const second = store.commit(2, blocks)
    assert.equal(sent(), 1)
    assert.deepEqual(await Promise.all([first, second]), ['ok', 'ok'])
  })
})

test('work that is alone waits for commits that were sent', async t => {
  const { rig, torrent, store } = await begun(t)
  const order: string[] = []
  await rig.withBlocks(torrent, 2, async blocks => {
    const commit = store.commit(2, blocks).then(verdict => order.push(verdict))
    const close = store.close().then(() => order.push('closed'))
    await Promise.all([commit, close])
  })
  assert.deepEqual(order, ['ok', 'closed'])
  assert.equal(rig.stores.stats().openFiles, 0)
})

test('wrong bytes: nothing is written, and the right ones are taken after that', async t => {
  const { rig, torrent, store, path } = await begun(t)
  await rig.withBlocks(torrent, 2, async blocks => {
    const bytes = blocks[0]?.slot.bytes as Uint8Array
    bytes[5] = (bytes[5] ?? 0) ^ 1
    assert.equal(await store.commit(2, blocks), 'bad-hash')
    assert.equal(statSync(path).size, 128 * KIB)
    bytes[5] = (bytes[5] ?? 0) ^ 1
    assert.equal(await store.commit(2, blocks), 'ok')
  })
})

test('a full disk, a file that is gone and blocks that are missing fail as ever', async t => {
  let free = 1024 * KIB
  const { rig, torrent, store } = await begun(t, { minFreeBytes: 512 * KIB }, { freeBytes: async () => free })
  const failsWith = (blocks: Parameters<typeof store.commit>[1], code: string): Promise<void> =>
    assert.rejects(store.commit(2, blocks), (error: unknown) => error instanceof AppError && error.code === code)
  const blocks = rig.lease(torrent, 2)
  await assert.rejects(store.commit(2, blocks.slice(1)), RangeError)
  free = 520 * KIB
  rig.clock.nowMs += 1001
  await failsWith(blocks, 'DiskFull')
  free = 1024 * KIB
  rig.clock.nowMs += 1001
  assert.equal(await store.commit(2, blocks), 'ok')
  rmSync(join(rig.folder, 'film'))
  await failsWith(blocks, 'FileMissing')
  rig.release(blocks)
  await store.close()
  assert.equal(rig.stores.stats().openFiles, 0)
})

test('a worker that dies with a commit: WorkerLost, and nothing stays held', async t => {
  const { rig, torrent, store, sent } = await begun(t, { worker: faultyWorker })
  torrent.layout.pieceHashes[2 * 20] = 0xff
  const blocks = rig.lease(torrent, 2)
  const lost = store.commit(2, blocks)
  assert.equal(sent(), 1)
  await assert.rejects(lost, (error: unknown) => error instanceof AppError && error.code === 'WorkerLost')
  torrent.layout.pieceHashes[2 * 20] = 0
  assert.equal(await store.commit(2, blocks), 'ok', 'by a thread of its own')
  rig.release(blocks)
  await store.close()
  assert.equal(rig.stores.stats().openFiles, 0)
})

test('commits for which nobody waits are held for each other while they come quickly', async t => {
  const rig = new StoreRig(t, { threads: 1, threadsOnly: true })
  const torrent = makeRigTorrent(rig.folder, [{ path: 'film', length: 20 * KIB }], KIB)
  const store = rig.stores.open(torrent.layout)
  await store.prepare()
  for (const piece of [0, 1]) await rig.withBlocks(torrent, piece, blocks => store.commit(piece, blocks))
  const commit = (piece: number, patient: boolean) =>
    rig.withBlocks(torrent, piece, blocks => store.commit(piece, blocks, patient))
  await Promise.all(Array.from({ length: 16 }, (_, at) => commit(2 + at, true)))
  const held = commit(18, true)
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate)
  assert.deepEqual([rig.stores.stats().queuedJobs, rig.stores.stats().batchesInFlight], [1, 0])
  assert.deepEqual(await Promise.all([held, commit(19, false)]), ['ok', 'ok'])
  assert.deepEqual(
    await store.check(0, 20),
    Array.from({ length: 20 }, () => 'ok'),
  )
})
