// What a look at a file finds: changes by other programs are seen at the first look, and nothing else is taken for one.

import assert from 'node:assert/strict'
import {
  appendFileSync,
  chmodSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
  closeSync,
  readdirSync,
  existsSync,
} from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { FileChanged } from '../../../src/ports/piece-store.ts'
import { makeRigTorrent, StoreRig } from '../../kit/doubles/store-rig.ts'

const KIB = 1024
const PIECES = 4

/** A complete torrent of two files, read once; `look` reads again a second later: null, or what is wrong. */
async function begin(t: TestContext) {
  const rig = new StoreRig(t)
  const place = join(rig.folder, 'place')
  const files = [
    { path: 'Set/a.bin', length: 150 * KIB },
    { path: 'Set/b.bin', length: 106 * KIB },
  ]
  const torrent = makeRigTorrent(place, files, 64 * KIB)
  const store = rig.stores.open(torrent.layout)
  await store.prepare()
  const write = async (piece: number) => {
    const blocks = rig.lease(torrent, piece)
    assert.equal(await store.commit(piece, blocks), 'ok')
    for (const { slot } of blocks) rig.blockArena.release(slot)
  }
  for (let piece = 0; piece < PIECES; piece++) await write(piece)
  const read = async (offset = 0, length = 100): Promise<FileChanged | null> => {
    const slot = rig.rangeArena.lease()
    assert.ok(slot)
    try {
      const count = await store.read(offset, length, rig.rangeArena, slot)
      assert.deepEqual(slot.bytes.slice(0, count), torrent.content.slice(offset, offset + count))
      return null
    } catch (error) {
      assert.ok(error instanceof FileChanged, String(error))
      return error
    } finally {
      rig.rangeArena.release(slot)
    }
  }
  const look = (offset = 0) => {
    rig.clock.nowMs += 1001
    return read(offset)
  }
  assert.equal(await read(), null)
  const a = join(place, 'Set/a.bin')
  return { rig, torrent, store, write, read, look, place, a }
}

const overwrite = (path: string, text: string, at: number) => {
  const fd = openSync(path, 'r+')
  writeSync(fd, text, at)
  closeSync(fd)
}

/** Somebody who writes later than the file's last time, whatever the clock of the file system is worth. */
const later = (path: string) => {
  const { atimeMs, mtimeMs } = statSync(path)
  utimesSync(path, atimeMs / 1000, mtimeMs / 1000 + 0.05)
}

test('what is no change of the bytes is none: mode, links, names above, access, our own flush', async t => {
  const { rig, store, look, read, place, a } = await begin(t)
  assert.equal(await look(), null, 'just written')
  await store.sync()
  assert.equal(await look(), null, 'flushed')
  chmodSync(a, 0o640)
  linkSync(a, join(rig.folder, 'second name'))
  assert.equal(await look(), null, 'mode and a second name')
  renameSync(place, `${place}-2`)
  renameSync(`${place}-2`, place)
  assert.equal(await look(), null, 'a folder above renamed and back')
  utimesSync(a, new Date(1000), statSync(a).mtime)
  writeFileSync(join(place, 'Set/notes.nfo'), 'beside it')
  assert.equal(await look(), null, 'time of access; another file beside it')
  await store.close()
  assert.equal(await read(), null, 'opened again')
  rmSync(join(rig.folder, 'second name'))
  assert.equal(await look(), null, 'the second name is gone')
})

test('own writes are none, also between two looks and beside a flush', async t => {
  const { store, write, look } = await begin(t)
  await store.sync()
  for (let round = 0; round < 20; round++) {
    const work = [write(round % PIECES), store.sync(), write((round + 1) % PIECES), store.sync()]
    assert.equal(await look(), null, `round ${round}, at work`)
    await Promise.all(work)
    assert.equal(await look(), null, `round ${round}, done`)
  }
})

test('a move to another folder is none, by links and by copies', async t => {
  const { rig, store, look } = await begin(t)
  await store.sync()
  mkdirSync(join(rig.folder, 'moved'))
  const move = (destination: string) =>
    store.move({ destination, commit: () => Promise.resolve(), resumed: false, signal: new AbortController().signal })
  await move(join(rig.folder, 'moved'))
  await store.leave(join(rig.folder, 'place'))
  assert.equal(await look(), null)
  if (!existsSync('/dev/shm') || statSync('/dev/shm').dev === statSync(rig.folder).dev) return
  const memory = join('/dev/shm', `tributary-looks-${process.pid}`)
  mkdirSync(memory)
  t.after(() => rmSync(memory, { recursive: true, force: true }))
  await move(memory)
  assert.deepEqual(readdirSync(memory), ['Set'])
  assert.equal(await look(), null)
})

test('file systems with whole seconds, and facts of the records without fractions, are no change', async t => {
  const { store, look, a } = await begin(t)
  await store.sync()
  const { atimeMs, mtimeMs } = statSync(a)
  utimesSync(a, atimeMs / 1000, Math.floor(mtimeMs / 1000))
  assert.equal(await look(), null)
  const facts = (await store.facts()).map(fact => ({ ...fact, mtimeMs: fact.mtimeMs + 0.4 }))
  await store.close()
  store.expect(facts, 0)
  assert.equal(await look(), null)
  await store.close()
  store.expect(
    facts.map(fact => ({ ...fact, sizeBytes: fact.sizeBytes - 10, mtimeMs: fact.mtimeMs - 5000 })),
    mtimeMs + 60_000,
  )
  assert.equal(await look(), null, 'written after the records, before a kill')
})

const CHANGES: Readonly<Record<string, (a: string) => void>> = {
  replaced(a) {
    writeFileSync(`${a}.new`, Buffer.alloc(150 * KIB, 'x'))
    renameSync(`${a}.new`, a)
  },
  changed(a) {
    overwrite(a, 'other', 1000)
    later(a)
  },
  cut: a => truncateSync(a, 140 * KIB),
  grown: a => appendFileSync(a, 'more'),
}

for (const [change, make] of Object.entries(CHANGES)) {
  test(`${change}: seen at the first look, refused until accepted, and hashed all the same`, async t => {
    const { store, look, read, write, a, rig } = await begin(t)
    await store.sync()
    make(a)
    assert.equal((await look())?.change, change)
    assert.equal((await read())?.change, change, 'refused again, although it is opened anew')
    assert.equal(store.readNow?.(0, 100, new Uint8Array(100)), 0, 'nor read at once')
    assert.equal(await read(160 * KIB), null, 'the file beside it is read')
    await store.close()
    assert.equal((await read())?.change, change, 'and after closing')
    assert.equal((await store.keptFacts())[0]?.sizeBytes, Number.MAX_SAFE_INTEGER, 'a start is not to trust it')
    const verdicts = await store.check(0, PIECES)
    assert.equal(
      verdicts.every(verdict => verdict === 'ok'),
      change === 'grown',
    )
    assert.equal((await read())?.change, change, 'hashing accepts nothing')
    store.accept(0)
    for (let piece = 0; piece < PIECES; piece++) await write(piece)
    assert.equal(await look(), null)
    assert.notEqual((await store.keptFacts())[0]?.sizeBytes, Number.MAX_SAFE_INTEGER)
    make(a)
    rig.clock.nowMs += 1001
    // Not flushed since: inode and length alone count.
    if (change !== 'changed') assert.ok((await read()) !== null, 'and again')
  })
}

test('a file that is being written is judged by its inode and length', async t => {
  const { store, look, write, read, a } = await begin(t)
  await store.sync()
  await write(0)
  overwrite(a, 'other', 100 * KIB)
  later(a)
  assert.equal(await look(), null, 'who wrote last cannot be told')
  truncateSync(a, 100)
  assert.equal((await look())?.change, 'cut')
  store.accept(0)
  for (let piece = 0; piece < PIECES; piece++) await write(piece)
  await store.sync()
  truncateSync(a, 90)
  assert.equal((await read(0, 100))?.change, 'cut', 'a read that ends early looks at once')
})

test('what was done between a write and the flush after it is seen by its inode and length, although the flush comes first', async t => {
  const { store, look, write, read, rig, a } = await begin(t)
  await store.sync()
  for (const change of ['cut', 'replaced'] as const) {
    await write(0)
    CHANGES[change]?.(a)
    if (change === 'replaced') rig.clock.nowMs += 1001
    await store.sync()
    await store.close()
    assert.equal((await look())?.change, change)
    assert.equal((await store.keptFacts())[0]?.sizeBytes, Number.MAX_SAFE_INTEGER)
    store.accept(0)
    for (let piece = 0; piece < PIECES; piece++) await write(piece)
    await store.sync()
    assert.equal(await read(), null)
  }
})
