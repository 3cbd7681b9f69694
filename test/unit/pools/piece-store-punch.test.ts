// Pieces whose bytes are given back to the disk: theirs alone, after what was posted before, and the files are not
// taken for changed by somebody else.

import assert from 'node:assert/strict'
import { linkSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeRigTorrent, type RigTorrent, StoreRig } from '../../kit/doubles/store-rig.ts'
import { nativeMissing } from '../../kit/native-hashes.ts'

const PIECE = 64 * 1024

function twoFiles(rig: StoreRig): RigTorrent {
  const files = [
    { path: 'film/a.mkv', length: 5 * PIECE + 1000 },
    { path: 'film/b.srt', length: 2 * PIECE + 500 },
  ]
  return makeRigTorrent(rig.folder, files, PIECE)
}

async function commitAll(rig: StoreRig, torrent: RigTorrent) {
  const store = rig.stores.open(torrent.layout)
  for (let piece = 0; piece < torrent.layout.pieceCount; piece++) {
    await rig.withBlocks(torrent, piece, async blocks => assert.equal(await store.commit(piece, blocks), 'ok'))
  }
  return store
}

test('a piece of two files goes from both, its neighbours stay, and it can be written again', {
  skip: nativeMissing,
}, async t => {
  const rig = new StoreRig(t)
  const torrent = twoFiles(rig)
  const store = await commitAll(rig, torrent)
  await store.sync()
  assert.equal(
    await store.punch?.([
      { first: 5, count: 1 },
      { first: 1, count: 2 },
    ]),
    true,
  )
  const verdicts = await store.check(0, torrent.layout.pieceCount)
  assert.deepEqual(verdicts, ['ok', 'zeros', 'zeros', 'ok', 'ok', 'zeros', 'ok', 'ok'])
  const [a, b] = [join(rig.folder, 'film/a.mkv'), join(rig.folder, 'film/b.srt')]
  assert.deepEqual([statSync(a).size, statSync(b).size], [5 * PIECE + 1000, 2 * PIECE + 500])
  assert.ok(
    readFileSync(a)
      .subarray(PIECE, 3 * PIECE)
      .every(byte => byte === 0),
  )
  // What it did is not another program's doing, neither now nor after its times were flushed and looked at.
  await rig.withBlocks(torrent, 5, async blocks => assert.equal(await store.commit(5, blocks), 'ok'))
  await store.sync()
  rig.clock.nowMs += 10_000
  assert.deepEqual(await store.check(5, 2), ['ok', 'ok'])
  const facts = await store.keptFacts()
  assert.deepEqual(
    facts.map(({ sizeBytes }) => sizeBytes),
    [5 * PIECE + 1000, 2 * PIECE + 500],
  )
})

test('what was posted before goes first, and a write that comes later stays', { skip: nativeMissing }, async t => {
  const rig = new StoreRig(t)
  const torrent = twoFiles(rig)
  const store = await commitAll(rig, torrent)
  const slot = rig.rangeArena.lease()
  assert.ok(slot)
  const read = store.read(2 * PIECE, 1000, rig.rangeArena, slot)
  const punched = store.punch?.([{ first: 2, count: 1 }])
  const written = rig.withBlocks(torrent, 2, blocks => store.commit(2, blocks))
  assert.equal(await read, 1000)
  assert.ok(Buffer.compare(slot.bytes.subarray(0, 1000), torrent.content.subarray(2 * PIECE, 2 * PIECE + 1000)) === 0)
  rig.rangeArena.release(slot)
  assert.equal(await punched, true)
  assert.equal(await written, 'ok')
  assert.equal(await store.verify(2), 'ok')
})

test('where it cannot be done nothing changes; where it can be done in part that is an error', async t => {
  const rig = new StoreRig(t, {}, { punch: () => Promise.resolve(false) })
  const torrent = twoFiles(rig)
  const store = await commitAll(rig, torrent)
  assert.equal(await store.punch?.([{ first: 0, count: 8 }]), false)
  assert.deepEqual(new Set(await store.check(0, 8)), new Set(['ok']))
  let calls = 0
  const half = new StoreRig(t, {}, { punch: () => Promise.resolve(++calls === 1) })
  const other = twoFiles(half)
  const store2 = await commitAll(half, other)
  await assert.rejects(async () => store2.punch?.([{ first: 0, count: 8 }]), { code: 'DiskError' })
})

test('an error of the disk names the file', async t => {
  const failure = Object.assign(new Error('Input/output error'), { code: 'EIO' })
  const rig = new StoreRig(t, {}, { punch: () => Promise.reject(failure) })
  const store = await commitAll(rig, twoFiles(rig))
  await assert.rejects(async () => store.punch?.([{ first: 0, count: 1 }]), /a\.mkv \(EIO/)
})

test('files that are not there are not made', { skip: nativeMissing }, async t => {
  const rig = new StoreRig(t)
  const store = rig.stores.open(twoFiles(rig).layout)
  await store.prepare()
  assert.equal(await store.punch?.([{ first: 0, count: 8 }]), true)
  assert.equal((await store.facts()).filter(({ exists }) => exists).length, 0)
})

test('a file with another name is told apart', async t => {
  const rig = new StoreRig(t)
  const store = await commitAll(rig, twoFiles(rig))
  linkSync(join(rig.folder, 'film/a.mkv'), join(rig.folder, 'kept.mkv'))
  assert.deepEqual(await store.unshared?.([0, 1]), [1])
})
