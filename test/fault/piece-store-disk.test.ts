// Trouble with the disk and the workers: a full disk, a reserve of free space, a file system that refuses, dead
// workers.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { AppError, type ErrorCode } from '../../src/base/errors.ts'
import { peersRequired } from '../kit/requirements.ts'
import { makeRigTorrent, StoreRig } from '../kit/doubles/store-rig.ts'

const KIB = 1024

const failsWith = (code: ErrorCode, text: RegExp) => (error: unknown) => {
  assert.ok(error instanceof AppError, String(error))
  assert.equal(error.code, code, error.message)
  assert.match(error.message, text)
  return true
}

/** Mounts a file system of `size` bytes on `path`, or says why it cannot. */
function mountSmallDisk(path: string, size: number): string | null {
  mkdirSync(path)
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path], { stdio: 'pipe' })
    return null
  } catch (error) {
    const reason = `no file system can be mounted here: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`
    if (peersRequired) throw new Error(`REQUIRE_PEERS=1, but ${reason}`, { cause: error })
    return reason
  }
}

test('a full disk: DiskFull with the file named, and the download goes on when there is space', async t => {
  const rig = new StoreRig(t)
  const disk = join(rig.folder, 'disk')
  const skip = mountSmallDisk(disk, 256 * KIB)
  if (skip !== null) return t.skip(skip)
  try {
    const torrent = makeRigTorrent(disk, [{ path: 'Set/big.bin', length: 512 * KIB }], 64 * KIB)
    const store = rig.stores.open(torrent.layout)
    await store.prepare()
    const commit = (piece: number) => rig.withBlocks(torrent, piece, blocks => store.commit(piece, blocks))
    assert.equal(await commit(0), 'ok')
    await assert.rejects(Promise.all([1, 2, 3, 4, 5].map(commit)), failsWith('DiskFull', /full.*big\.bin.*ENOSPC/))
    assert.equal(await store.verify(0), 'ok')
    execFileSync('mount', ['-o', `remount,size=${1024 * KIB}`, disk])
    for (const piece of [1, 2, 3, 4, 5, 6, 7]) assert.equal(await commit(piece), 'ok')
    for (const piece of [0, 3, 7]) assert.equal(await store.verify(piece), 'ok')
    await store.close()
  } finally {
    await rig.stores.stop(1000)
    execFileSync('umount', [disk])
  }
})

test('the reserve of free space stops writing before the disk is full, also within one second', async t => {
  let free = 1000 * KIB
  const rig = new StoreRig(t, { minFreeBytes: 850 * KIB }, { freeBytes: () => Promise.resolve(free) })
  const torrent = makeRigTorrent(rig.folder, [{ path: 'one.bin', length: 512 * KIB }], 64 * KIB)
  const store = rig.stores.open(torrent.layout)
  await store.prepare()
  const commit = (piece: number) => rig.withBlocks(torrent, piece, blocks => store.commit(piece, blocks))
  assert.equal(await commit(0), 'ok')
  assert.equal(await commit(1), 'ok')
  await assert.rejects(commit(2), failsWith('DiskFull', /free/))
  const blocks = rig.lease(torrent, 2)
  await assert.rejects(store.writeBlocks(2, blocks), failsWith('DiskFull', /free/))
  rig.release(blocks)
  assert.equal(statSync(join(rig.folder, 'one.bin')).size, 128 * KIB)
  rig.stores.setMinFreeBytes(0)
  assert.equal(await commit(2), 'ok')
  rig.stores.setMinFreeBytes(900 * KIB)
  assert.equal(await commit(3), 'ok')
  await assert.rejects(commit(4), failsWith('DiskFull', /free/))
  free = 2000 * KIB
  rig.clock.nowMs += 1001
  assert.equal(await commit(4), 'ok')
})

test('free space is asked for at most once a second', async t => {
  let asked = 0
  const freeBytes = (): Promise<number> => {
    asked++
    return Promise.resolve(1e12)
  }
  const rig = new StoreRig(t, { minFreeBytes: 1 }, { freeBytes })
  const torrent = makeRigTorrent(rig.folder, [{ path: 'one.bin', length: 256 * KIB }], 64 * KIB)
  const store = rig.stores.open(torrent.layout)
  await store.prepare()
  await Promise.all([0, 1, 2, 3].map(piece => rig.withBlocks(torrent, piece, blocks => store.commit(piece, blocks))))
  assert.ok(asked <= 4, `${asked} looks`)
  const before = asked
  await rig.withBlocks(torrent, 0, blocks => store.commit(0, blocks))
  assert.equal(asked, before)
})

test('a folder that may not be written: DiskError that names the file and the errno', async t => {
  // Root may write anywhere, so a file system that nobody can write to stands in.
  const rig = new StoreRig(t)
  const torrent = makeRigTorrent('/proc/tributary-no-such-place', [{ path: 'one.bin', length: 10 }], 64 * KIB)
  const store = rig.stores.open(torrent.layout)
  await assert.rejects(
    store.prepare(),
    (error: unknown) => error instanceof AppError && /tributary-no-such-place/.test(error.message),
  )
  if (process.getuid?.() === 0) return
  const locked = makeRigTorrent(join(rig.folder, 'locked'), [{ path: 'one.bin', length: 10 }], 64 * KIB)
  const lockedStore = rig.stores.open(locked.layout)
  await lockedStore.prepare()
  chmodSync(join(rig.folder, 'locked'), 0o500)
  await assert.rejects(
    rig.withBlocks(locked, 0, blocks => lockedStore.commit(0, blocks)),
    failsWith('DiskError', /one\.bin.*EACCES/),
  )
})

test('workers that die: the piece rejects with WorkerLost, its slots may go back, the third death is reported', async t => {
  const rig = new StoreRig(t, {
    worker: new URL('../contract/workers/faulty-worker.js', import.meta.url),
    threads: 1,
    threadsOnly: true,
  })
  const torrent = makeRigTorrent(rig.folder, [{ path: 'one.bin', length: 64 * KIB }], 64 * KIB)
  torrent.layout.pieceHashes[0] = 0xff
  const store = rig.stores.open(torrent.layout)
  await store.prepare()
  for (let death = 1; death <= 3; death++) {
    await assert.rejects(
      rig.withBlocks(torrent, 0, blocks => store.commit(0, blocks)),
      failsWith('WorkerLost', /worker/),
    )
  }
  assert.equal(rig.losses.length, 1)
  await store.close()
})

test('stop with work posted: every promise settles, and no descriptor stays open', async t => {
  const rig = new StoreRig(t)
  const torrent = makeRigTorrent(rig.folder, [{ path: 'one.bin', length: 1024 * KIB }], 64 * KIB)
  const store = rig.stores.open(torrent.layout)
  await store.prepare()
  const leased = Array.from({ length: 16 }, (_, piece) => rig.lease(torrent, piece))
  const outcomes = leased.map((blocks, piece) => store.commit(piece, blocks))
  await new Promise(setImmediate)
  const [settled] = await Promise.all([Promise.allSettled(outcomes), rig.stores.stop(0)])
  for (const outcome of settled)
    assert.ok(outcome.status === 'fulfilled' || outcome.reason instanceof AppError, outcome.status)
  for (const blocks of leased) rig.release(blocks)
  assert.equal(rig.stores.stats().openFiles, 0)
})
