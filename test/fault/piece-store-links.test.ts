// Attacks on the paths of a download: links, pipes, folders and strangers in the place of its files, before and during
// the download. Nothing outside may be read, made or changed, and every case ends with a clear error.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { AppError, type ErrorCode } from '../../src/base/errors.ts'
import { SystemClock } from '../../src/io/clock.ts'
import { plainLanes } from '../../src/io/files/volume-lanes.ts'
import { TorrentFolder } from '../../src/io/files/torrent-folder.ts'
import type { PieceStore } from '../../src/ports/piece-store.ts'
import { makeRigTorrent, type RigTorrent, StoreRig } from '../kit/doubles/store-rig.ts'

const KIB = 1024

interface Attack {
  readonly rig: StoreRig
  readonly torrent: RigTorrent
  readonly store: PieceStore
  readonly set: string
  readonly outside: string
  commit(piece: number): Promise<'ok' | 'bad-hash'>
  /** Moves the clock past the time a descriptor is trusted without a look. */
  later(): void
}

async function begin(t: TestContext): Promise<Attack> {
  // Before the rig: hooks run in this order, and the rig's takes the folder away.
  let outside = ''
  t.after(() => {
    assert.equal(readFileSync(join(outside, 'victim'), 'utf8'), 'precious')
    assert.deepEqual(readdirSync(outside), ['victim'], 'something was made outside')
  })
  const rig = new StoreRig(t)
  const destination = join(rig.folder, 'downloads')
  outside = join(rig.folder, 'outside')
  mkdirSync(outside)
  writeFileSync(join(outside, 'victim'), 'precious')
  const files = [
    { path: 'Set/dir/a.bin', length: 64 * KIB },
    { path: 'Set/dir/b.bin', length: 64 * KIB },
  ]
  const torrent = makeRigTorrent(destination, files, 32 * KIB)
  const store = rig.stores.open(torrent.layout)
  await store.prepare()
  return {
    rig,
    torrent,
    store,
    outside,
    set: join(destination, 'Set'),
    commit: piece => rig.withBlocks(torrent, piece, blocks => store.commit(piece, blocks)),
    later: () => {
      rig.clock.nowMs += 10_000
    },
  }
}

const rejects = (promise: Promise<unknown>, code: ErrorCode): Promise<void> =>
  assert.rejects(promise, (error: unknown) => {
    assert.ok(error instanceof AppError, String(error))
    assert.equal(error.code, code, error.message)
    return true
  })

test('a link in place of a file that is not there yet', async t => {
  const { set, outside, commit, store, rig } = await begin(t)
  symlinkSync(join(outside, 'victim'), join(set, 'dir/a.bin'))
  symlinkSync(join(outside, 'new'), join(set, 'dir/b.bin'))
  await rejects(commit(0), 'UnsafePath')
  await rejects(commit(2), 'UnsafePath')
  await rejects(store.verify(0), 'UnsafePath')
  await rejects(store.prepare(), 'UnsafePath')
  const slot = rig.rangeArena.lease()
  assert.ok(slot)
  await rejects(store.read(0, 10, rig.rangeArena, slot), 'UnsafePath')
  rig.rangeArena.release(slot)
})

test('a folder replaced by a link before its first file is opened', async t => {
  const { set, outside, commit, store } = await begin(t)
  rmdirSync(join(set, 'dir'))
  symlinkSync(outside, join(set, 'dir'))
  await rejects(commit(0), 'UnsafePath')
  await rejects(store.prepare(), 'UnsafePath')
  assert.ok((await store.facts()).every(fact => !fact.exists))
})

test('a file swapped for a link during the download', async t => {
  const { set, outside, commit, store, later } = await begin(t)
  assert.equal(await commit(0), 'ok')
  renameSync(join(set, 'dir/a.bin'), join(set, 'dir/moved'))
  symlinkSync(join(outside, 'victim'), join(set, 'dir/a.bin'))
  later()
  await rejects(commit(1), 'UnsafePath')
  await store.close()
  await rejects(commit(1), 'UnsafePath')
})

test('a folder swapped for a link during the download', async t => {
  const { set, outside, commit, store, later } = await begin(t)
  assert.equal(await commit(0), 'ok')
  renameSync(join(set, 'dir'), join(set, 'moved'))
  symlinkSync(outside, join(set, 'dir'))
  later()
  await rejects(commit(1), 'UnsafePath')
  await rejects(commit(2), 'UnsafePath')
  await store.remove()
  assert.ok(existsSync(join(set, 'moved/a.bin')))
})

test('a folder, a pipe and a link to a device in place of a file: refused without hanging', async t => {
  const { set, commit, store } = await begin(t)
  mkdirSync(join(set, 'dir/a.bin'))
  await rejects(commit(0), 'UnsafePath')
  rmdirSync(join(set, 'dir/a.bin'))
  execFileSync('mkfifo', [join(set, 'dir/a.bin')])
  await rejects(commit(0), 'UnsafePath')
  await rejects(store.verify(0), 'UnsafePath')
  unlinkSync(join(set, 'dir/a.bin'))
  symlinkSync('/dev/zero', join(set, 'dir/a.bin'))
  await rejects(store.verify(0), 'UnsafePath')
})

test('a file in place of a folder', async t => {
  const { set, commit } = await begin(t)
  rmdirSync(join(set, 'dir'))
  writeFileSync(join(set, 'dir'), 'in the way')
  await rejects(commit(0), 'FileMissing')
  assert.equal(readFileSync(join(set, 'dir'), 'utf8'), 'in the way')
})

test('the folder vanishes while its files are open: no write goes to a deleted file, and none is created again', async t => {
  const { set, commit, store } = await begin(t)
  assert.equal(await commit(0), 'ok')
  rmSync(set, { recursive: true })
  await rejects(commit(1), 'FileMissing')
  await rejects(commit(1), 'FileMissing')
  assert.ok(!existsSync(set))
  await store.prepare()
  assert.equal(await commit(1), 'ok')
  assert.equal(await store.verify(1), 'ok')
  assert.notEqual(await store.verify(0), 'ok')
})

test('one file vanishes, or is replaced by a stranger', async t => {
  const { set, commit, later, store, rig } = await begin(t)
  assert.equal(await commit(0), 'ok')
  unlinkSync(join(set, 'dir/a.bin'))
  await rejects(commit(1), 'FileMissing')
  await store.prepare()
  assert.equal(await commit(0), 'ok')
  await store.close()
  renameSync(join(set, 'dir/a.bin'), join(set, 'dir/aside'))
  await rejects(commit(1), 'FileMissing')
  assert.ok(!existsSync(join(set, 'dir/a.bin')), 'a vanished file was made anew')
  renameSync(join(set, 'dir/aside'), join(set, 'dir/a.bin'))
  assert.equal(await commit(1), 'ok')
  renameSync(join(set, 'dir/a.bin'), join(set, 'dir/moved'))
  writeFileSync(join(set, 'dir/a.bin'), 'a stranger')
  later()
  const slot = rig.rangeArena.lease()
  assert.ok(slot)
  await rejects(store.read(0, 10, rig.rangeArena, slot), 'FileChanged')
  rig.rangeArena.release(slot)
  assert.equal(readFileSync(join(set, 'dir/a.bin'), 'utf8'), 'a stranger')
})

test('the destination itself may be reached through a link', async t => {
  const rig = new StoreRig(t)
  mkdirSync(join(rig.folder, 'real'))
  symlinkSync(join(rig.folder, 'real'), join(rig.folder, 'link'))
  const torrent = makeRigTorrent(join(rig.folder, 'link'), [{ path: 'one', length: 100 }], 32 * KIB)
  const store = rig.stores.open(torrent.layout)
  await store.prepare()
  assert.equal(await rig.withBlocks(torrent, 0, blocks => store.commit(0, blocks)), 'ok')
  assert.ok(existsSync(join(rig.folder, 'real/one')))
})

for (const proc of [true, false]) {
  test(`names that lead out are refused ${proc ? 'with' : 'without'} /proc`, async t => {
    const rig = new StoreRig(t)
    mkdirSync(join(rig.folder, 'inside'))
    for (const path of [['..', 'x'], ['.', 'x'], ['a/b'], ['a\0b'], ['']]) {
      const files = [{ index: 0, path, length: 1, offset: 0, padding: false }]
      const folder = new TorrentFolder(
        { destination: join(rig.folder, 'inside'), files },
        plainLanes(new SystemClock()),
        null,
        proc,
      )
      await rejects(folder.open(0, true), 'UnsafePath')
    }
    assert.deepEqual(readdirSync(rig.folder), ['inside'])
  })

  test(`links are refused, files made and removed ${proc ? 'with' : 'without'} /proc`, async t => {
    const rig = new StoreRig(t)
    const [inside, outside] = [join(rig.folder, 'inside'), join(rig.folder, 'outside')]
    for (const path of [inside, outside]) mkdirSync(path)
    const files = [
      { index: 0, path: ['T', 'sub', 'a'], length: 1, offset: 0, padding: false },
      { index: 1, path: ['T', 'empty'], length: 0, offset: 1, padding: false },
    ]
    const folder = new TorrentFolder({ destination: inside, files }, plainLanes(new SystemClock()), null, proc)
    await folder.prepare()
    assert.deepEqual(readdirSync(join(inside, 'T')).sort(), ['empty', 'sub'])
    symlinkSync(join(outside, 'a'), join(inside, 'T/sub/a'))
    await rejects(folder.open(0, true), 'UnsafePath')
    rmSync(join(inside, 'T/sub'), { recursive: true })
    symlinkSync(outside, join(inside, 'T/sub'))
    await rejects(folder.open(0, true), 'UnsafePath')
    assert.deepEqual(readdirSync(outside), [])
    unlinkSync(join(inside, 'T/sub'))
    await folder.remove()
    assert.deepEqual(readdirSync(inside), [])
  })
}
