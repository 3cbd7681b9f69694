// Moving the files of a store: linked or copied, committed or taken back, cut off and resumed, and nothing overwritten.

import assert from 'node:assert/strict'
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { AppError } from '../../../src/base/errors.ts'
import type { PieceStore, StorageMove } from '../../../src/ports/piece-store.ts'
import type { TorrentFile } from '../../../src/wire/metainfo/torrent-types.ts'
import { makeRigTorrent, type RigFile, type RigTorrent, StoreRig } from '../../kit/doubles/store-rig.ts'

const KIB = 1024
const hasCode = (code: string) => (error: unknown) => error instanceof AppError && error.code === code

const files: RigFile[] = [
  { path: 'Set/one.bin', length: 100 * KIB },
  { path: 'Set/sub/empty.txt', length: 0 },
  { path: 'Set/sub/two.bin', length: 30 * KIB },
  { path: 'Set/three.bin', length: 20 * KIB },
]

/** A folder of another file system, or null where the machine has none to write to. */
function foreignFolder(t: TestContext): string | null {
  try {
    const folder = mkdtempSync('/dev/shm/tributary-move-')
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    return statSync(folder).dev === statSync(tmpdir()).dev ? null : folder
  } catch {
    return null
  }
}

function moveTo(destination: string, more: Partial<StorageMove> = {}): StorageMove {
  const signal = new AbortController().signal
  return { destination, resumed: false, signal, commit: () => Promise.resolve(), ...more }
}

interface Filled {
  readonly rig: StoreRig
  readonly torrent: RigTorrent
  readonly store: PieceStore
  readonly to: string
}

/** A store with all pieces but the last, so that one file is not there yet. */
async function filled(t: TestContext): Promise<Filled> {
  const rig = new StoreRig(t)
  const from = join(rig.folder, 'from')
  const to = join(rig.folder, 'to')
  mkdirSync(to)
  const torrent = makeRigTorrent(from, files, 16 * KIB)
  const store = rig.stores.open(torrent.layout)
  await store.prepare()
  for (let piece = 0; piece < 8; piece++) {
    assert.equal(await rig.withBlocks(torrent, piece, blocks => store.commit(piece, blocks)), 'ok')
  }
  return { rig, torrent, store, to }
}

function assertThere(folder: string, torrent: RigTorrent): void {
  const one = readFileSync(join(folder, 'Set/one.bin'))
  assert.deepEqual(one, Buffer.from(torrent.content.subarray(0, 100 * KIB)))
  assert.equal(statSync(join(folder, 'Set/sub/empty.txt')).size, 0)
  const two = readFileSync(join(folder, 'Set/sub/two.bin'))
  assert.deepEqual(two, Buffer.from(torrent.content.subarray(100 * KIB, 100 * KIB + two.length)))
  assert.equal(existsSync(join(folder, 'Set/three.bin')), false)
}

test('within a file system files are linked: both places have them at the commit, the old one none after it', async t => {
  const { rig, torrent, store, to } = await filled(t)
  const from = join(rig.folder, 'from')
  const inode = statSync(join(from, 'Set/one.bin')).ino
  let committed = 0
  const commit = async (): Promise<void> => {
    committed += 1
    assertThere(from, torrent)
    assertThere(to, torrent)
  }
  await store.move(moveTo(to, { commit }))
  assert.equal(committed, 1)
  assert.equal(statSync(join(to, 'Set/one.bin')).ino, inode)
  assertThere(from, torrent)
  await store.leave(from)
  assertThere(to, torrent)
  assert.deepEqual(readdirSync(from), [])
  // The store goes on in the new place: what was there is read, what was missing is written.
  assert.equal(await store.verify(0), 'ok')
  assert.equal(await rig.withBlocks(torrent, 8, blocks => store.commit(8, blocks)), 'ok')
  assert.equal(await rig.withBlocks(torrent, 9, blocks => store.commit(9, blocks)), 'ok')
  await store.sync()
  assert.equal(statSync(join(to, 'Set/three.bin')).size, 20 * KIB)
  assert.deepEqual(readdirSync(from), [])
})

test('to another file system files are copied with their times, holes and all', async t => {
  const other = foreignFolder(t)
  if (other === null) return t.skip('no second file system')
  const { rig, torrent, store } = await filled(t)
  const from = join(rig.folder, 'from')
  const path = join(from, 'Set/one.bin')
  utimesSync(path, 1_600_000_000.25, 1_600_000_001.5)
  await store.move(moveTo(other))
  assertThere(other, torrent)
  assert.ok(Math.abs(statSync(join(other, 'Set/one.bin')).mtimeMs - 1_600_000_001_500) < 1)
  assert.deepEqual(
    readdirSync(join(other, 'Set')).filter(name => name.endsWith('.part')),
    [],
  )
  await store.leave(from)
  assert.deepEqual(readdirSync(from), [])
  assert.equal(await store.verify(3), 'ok')
})

test('a commit that fails leaves the old place in use, and nothing in the new one', async t => {
  const { rig, torrent, store, to } = await filled(t)
  const commit = () => Promise.reject(new AppError('DiskFull'))
  await assert.rejects(store.move(moveTo(to, { commit })), hasCode('DiskFull'))
  assertThere(join(rig.folder, 'from'), torrent)
  assert.deepEqual(readdirSync(to), [])
  assert.equal(await store.verify(0), 'ok')
})

test('a file that is in the way is not replaced, and what was placed before it is taken back', async t => {
  const { rig, torrent, store, to } = await filled(t)
  mkdirSync(join(to, 'Set/sub'), { recursive: true })
  writeFileSync(join(to, 'Set/sub/two.bin'), 'somebody else')
  await assert.rejects(store.move(moveTo(to)), hasCode('StateConflict'))
  assert.equal(readFileSync(join(to, 'Set/sub/two.bin'), 'utf8'), 'somebody else')
  assert.equal(existsSync(join(to, 'Set/one.bin')), false)
  assertThere(join(rig.folder, 'from'), torrent)
})

test('a move that was cut off goes on with what it had placed; a failure then takes all of it back', async t => {
  const { rig, torrent, store, to } = await filled(t)
  const from = join(rig.folder, 'from')
  mkdirSync(join(to, 'Set'))
  linkSync(join(from, 'Set/one.bin'), join(to, 'Set/one.bin'))
  const commit = () => Promise.reject(new AppError('DiskError'))
  await assert.rejects(store.move(moveTo(to, { resumed: true, commit })), hasCode('DiskError'))
  assert.deepEqual(readdirSync(to), [])
  mkdirSync(join(to, 'Set'))
  linkSync(join(from, 'Set/one.bin'), join(to, 'Set/one.bin'))
  await store.move(moveTo(to, { resumed: true }))
  assertThere(to, torrent)
})

test('a move that is given up changes nothing', async t => {
  const { rig, torrent, store, to } = await filled(t)
  const abort = new AbortController()
  abort.abort()
  await assert.rejects(store.move(moveTo(to, { signal: abort.signal })), hasCode('Aborted'))
  assertThere(join(rig.folder, 'from'), torrent)
  assert.deepEqual(readdirSync(to), [])
})

test('a folder is not moved into itself, and what is only in the old place is not deleted', async t => {
  const { rig, torrent, store, to } = await filled(t)
  const from = join(rig.folder, 'from')
  await assert.rejects(store.move(moveTo(from)), hasCode('StateConflict'))
  await store.leave(from)
  assertThere(from, torrent)
  await store.move(moveTo(to))
  // Shorter than it was: not what was moved.
  rmSync(join(to, 'Set/one.bin'))
  writeFileSync(join(to, 'Set/one.bin'), 'x')
  await store.leave(from)
  assert.equal(statSync(join(from, 'Set/one.bin')).size, 100 * KIB)
  assert.equal(existsSync(join(from, 'Set/sub')), false)
})

test('reads and writes wait for the move; those of another torrent do not', async t => {
  const { rig, torrent, store, to } = await filled(t)
  const other = makeRigTorrent(join(rig.folder, 'other'), [{ path: 'o.bin', length: 16 * KIB }], 16 * KIB, 2)
  const otherStore = rig.stores.open(other.layout)
  await otherStore.prepare()
  let release = (): void => undefined
  const held = new Promise<void>(resolve => {
    release = resolve
  })
  const moving = store.move(moveTo(to, { commit: () => held }))
  let read = false
  const reading = store.verify(0).then(verdict => {
    read = true
    return verdict
  })
  assert.equal(await rig.withBlocks(other, 0, blocks => otherStore.commit(0, blocks)), 'ok')
  assert.equal(read, false)
  release()
  await moving
  assert.equal(await reading, 'ok')
  assertThere(to, torrent)
})

/** The layout's files with `from` at the start of their paths replaced. */
function named({ layout }: RigTorrent, from: string, to: string): TorrentFile[] {
  return layout.files.map(file => {
    const path = file.path.join('/')
    return path === from || path.startsWith(`${from}/`)
      ? { ...file, path: (to + path.slice(from.length)).split('/') }
      : file
  })
}

test('a file and a folder get other names in their folder, and the store goes on with them', async t => {
  const { rig, torrent, store } = await filled(t)
  const from = join(rig.folder, 'from')
  const inode = statSync(join(from, 'Set/one.bin')).ino
  const one = named(torrent, 'Set/one.bin', 'Set/uno.bin')
  const commit = async (): Promise<void> =>
    assert.deepEqual(readdirSync(join(from, 'Set')), ['one.bin', 'sub', 'uno.bin'])
  await store.move(moveTo(from, { files: one, fresh: ['Set', 'uno.bin'], commit }))
  await store.leave(from, torrent.layout.files)
  assert.deepEqual(readdirSync(join(from, 'Set')), ['sub', 'uno.bin'])
  assert.equal(statSync(join(from, 'Set/uno.bin')).ino, inode)
  const all = one.map(file => ({ ...file, path: ['Neu', ...file.path.slice(1)] }))
  await store.move(moveTo(from, { files: all, fresh: ['Neu'] }))
  await store.leave(from, one)
  assert.deepEqual(readdirSync(from), ['Neu'])
  // What was not there yet comes under the new name; what was there is read.
  assert.equal(await rig.withBlocks(torrent, 8, blocks => store.commit(8, blocks)), 'ok')
  assert.equal(await rig.withBlocks(torrent, 9, blocks => store.commit(9, blocks)), 'ok')
  await store.sync()
  for (let piece = 0; piece < 10; piece++) assert.equal(await store.verify(piece), 'ok')
  assert.equal(statSync(join(from, 'Neu/three.bin')).size, 20 * KIB)
})

test('renaming writes over nothing, neither a file nor a folder of others, and takes back what it placed', async t => {
  const { rig, torrent, store } = await filled(t)
  const from = join(rig.folder, 'from')
  writeFileSync(join(from, 'Set/uno.bin'), 'somebody else')
  mkdirSync(join(from, 'Other'))
  const refused = async (path: string, to: string, more: Partial<StorageMove> = {}): Promise<void> => {
    await assert.rejects(
      store.move(moveTo(from, { files: named(torrent, path, to), ...more })),
      hasCode('StateConflict'),
    )
  }
  await refused('Set/one.bin', 'Set/uno.bin', { fresh: ['Set', 'uno.bin'] })
  // Also of a file that is not there yet, and where an earlier run was cut off.
  await refused('Set/three.bin', 'Set/uno.bin', { fresh: ['Set', 'uno.bin'] })
  await refused('Set/one.bin', 'Set/uno.bin', { resumed: true })
  await refused('Set', 'Other', { fresh: ['Other'] })
  assert.equal(readFileSync(join(from, 'Set/uno.bin'), 'utf8'), 'somebody else')
  const commit = () => Promise.reject(new AppError('DiskFull'))
  const moved = store.move(moveTo(from, { files: named(torrent, 'Set/sub', 'Set/unter'), commit }))
  await assert.rejects(moved, hasCode('DiskFull'))
  assert.deepEqual(readdirSync(join(from, 'Set')), ['one.bin', 'sub', 'uno.bin'])
  assertThere(from, torrent)
})

test('a rename that was cut off anywhere is gone on with; folders that wait for their files stay', async t => {
  const { rig, torrent, store } = await filled(t)
  const from = join(rig.folder, 'from')
  // Killed while it placed: one of two is there twice.
  mkdirSync(join(from, 'Neu'))
  linkSync(join(from, 'Set/one.bin'), join(from, 'Neu/one.bin'))
  const all = named(torrent, 'Set', 'Neu')
  await store.move(moveTo(from, { files: all, resumed: true }))
  assertThere(from, torrent)
  // Killed while the old ones went: one is gone already.
  rmSync(join(from, 'Set/one.bin'))
  const again = rig.stores.open({ ...torrent.layout, files: all })
  for (let piece = 0; piece < 8; piece++) assert.equal(await again.verify(piece), 'ok')
  await again.leave(from, torrent.layout.files)
  assert.deepEqual(readdirSync(from), ['Neu'])
  const empty = makeRigTorrent(join(rig.folder, 'empty'), [{ path: 'Set/sub/x.bin', length: 16 * KIB }], 16 * KIB, 3)
  const waiting = rig.stores.open(empty.layout)
  await waiting.prepare()
  await waiting.move(moveTo(join(rig.folder, 'empty'), { files: named(empty, 'Set/sub/x.bin', 'Set/sub/y.bin') }))
  await waiting.leave(join(rig.folder, 'empty'), empty.layout.files)
  assert.deepEqual(readdirSync(join(rig.folder, 'empty/Set')), ['sub'])
  assert.equal(await rig.withBlocks(empty, 0, blocks => waiting.commit(0, blocks)), 'ok')
  assert.deepEqual(readdirSync(join(rig.folder, 'empty/Set/sub')), ['y.bin'])
})
