// FilePieceStore on a real folder: commit, unverified writes, recheck, reads, facts, order of work, removal.

import assert from 'node:assert/strict'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { AppError } from '../../../src/base/errors.ts'
import { makeRigTorrent, type RigFile, StoreRig } from '../../kit/doubles/store-rig.ts'

const KIB = 1024
const hasCode = (code: string) => (error: unknown) => error instanceof AppError && error.code === code

/** A piece of 64 KiB lies across three files, a zero-byte file and padding. */
const manyFiles: RigFile[] = [
  { path: 'Set/one.bin', length: 40 * KIB },
  { path: 'Set/sub/empty.txt', length: 0 },
  { path: 'Set/sub/two – ü.bin', length: 5 * KIB },
  { path: 'Set/.pad/11', length: 11 * KIB, padding: true },
  { path: 'Set/three.bin', length: 100 * KIB + 7 },
]

test('a piece over three files with a zero-byte file and padding: committed, verified, read back', async t => {
  const rig = new StoreRig(t)
  const torrent = makeRigTorrent(rig.folder, manyFiles, 64 * KIB)
  const store = rig.stores.open(torrent.layout)
  await store.prepare()
  assert.equal(statSync(join(rig.folder, 'Set/sub/empty.txt')).size, 0)
  for (let piece = 0; piece < torrent.layout.pieceCount; piece++) {
    assert.equal(await store.verify(piece), 'missing')
    assert.equal(await rig.withBlocks(torrent, piece, blocks => store.commit(piece, blocks)), 'ok')
    assert.equal(await store.verify(piece), 'ok')
  }
  for (const file of torrent.layout.files) {
    const path = join(rig.folder, ...file.path)
    if (file.padding) assert.ok(!existsSync(path), 'padding was written')
    else
      assert.deepEqual(
        readFileSync(path),
        Buffer.from(torrent.content.subarray(file.offset, file.offset + file.length)),
      )
  }
  const slot = rig.rangeArena.lease()
  assert.ok(slot)
  slot.bytes.fill(0xee)
  assert.equal(await store.read(30 * KIB, 30 * KIB, rig.rangeArena, slot), 30 * KIB)
  assert.deepEqual(slot.bytes.slice(0, 30 * KIB), torrent.content.slice(30 * KIB, 60 * KIB))
  assert.equal(slot.bytes[30 * KIB], 0xee)
  const end = torrent.layout.totalLength
  assert.equal(await store.read(end - 5, 100, rig.rangeArena, slot), 5)
  assert.equal(await store.read(end, 100, rig.rangeArena, slot), 0)
  rig.rangeArena.release(slot)
})

test('blocks over padding may be left out; any other byte may not', async t => {
  const rig = new StoreRig(t)
  const files = [
    { path: 'P/a', length: 16 * KIB },
    { path: 'P/pad', length: 48 * KIB, padding: true },
    { path: 'P/b', length: 64 * KIB },
  ]
  const torrent = makeRigTorrent(rig.folder, files, 64 * KIB)
  const store = rig.stores.open(torrent.layout)
  await store.prepare()
  const head = rig.lease(torrent, 0, begin => begin === 0)
  assert.equal(await store.commit(0, head), 'ok')
  rig.release(head)
  assert.equal(await store.verify(0), 'ok')
  const gap = rig.lease(torrent, 1, begin => begin !== 16 * KIB)
  await assert.rejects(store.commit(1, gap), RangeError)
  rig.release(gap)
})

test('a bad piece writes nothing: neither a new file nor into an old one', async t => {
  const rig = new StoreRig(t)
  const torrent = makeRigTorrent(rig.folder, [{ path: 'one.bin', length: 128 * KIB }], 64 * KIB)
  const store = rig.stores.open(torrent.layout)
  await store.prepare()
  const commitBad = (piece: number): Promise<string> =>
    rig.withBlocks(torrent, piece, blocks => {
      const slot = blocks[0]?.slot
      assert.ok(slot)
      slot.bytes[100] = (slot.bytes[100] ?? 0) ^ 1
      return store.commit(piece, blocks)
    })
  assert.equal(await commitBad(0), 'bad-hash')
  assert.ok(!existsSync(join(rig.folder, 'one.bin')))
  assert.equal(await rig.withBlocks(torrent, 0, blocks => store.commit(0, blocks)), 'ok')
  assert.equal(await commitBad(1), 'bad-hash')
  assert.equal(await commitBad(0), 'bad-hash')
  assert.deepEqual(readFileSync(join(rig.folder, 'one.bin')), Buffer.from(torrent.content.subarray(0, 64 * KIB)))
})

test('writeBlocks writes what it is given; verify covers writes posted before it', async t => {
  const rig = new StoreRig(t)
  const torrent = makeRigTorrent(rig.folder, manyFiles, 64 * KIB)
  const store = rig.stores.open(torrent.layout)
  await store.prepare()
  const blocks = rig.lease(torrent, 1)
  await store.writeBlocks(
    1,
    [blocks[0], blocks[2]].filter(block => block !== undefined),
  )
  assert.notEqual(await store.verify(1), 'ok')
  const rest = store.writeBlocks(
    1,
    [blocks[1], blocks[3]].filter(block => block !== undefined),
  )
  const verdict = store.verify(1)
  assert.equal(await verdict, 'ok')
  await rest
  rig.release(blocks)
  const outside = rig.lease(torrent, 1, begin => begin === 0).map(block => ({ ...block, begin: 64 * KIB - 1 }))
  await assert.rejects(store.writeBlocks(1, outside), RangeError)
  rig.release(outside)
})

test('neighbouring pieces are checked in one job; what one file lacks concerns only its pieces', async t => {
  const rig = new StoreRig(t)
  const lengths = [100 * KIB, 1, 0, 60 * KIB, 200 * KIB, 30 * KIB]
  const files = lengths.map((length, i) => ({ path: `T/f${i}`, length }))
  const torrent = makeRigTorrent(rig.folder, files, 16 * KIB)
  const { layout, content } = torrent
  const store = rig.stores.open(layout)
  await store.prepare()
  for (const { index, offset, length } of layout.files)
    writeFileSync(join(rig.folder, `T/f${index}`), content.subarray(offset, offset + length))
  const all = (wrong: number, verdict: string) =>
    Array.from({ length: layout.pieceCount }, (_, piece) => (piece === wrong ? verdict : 'ok'))
  const jobsBefore = rig.stores.stats().jobs['pieces.hash']?.count ?? 0
  assert.deepEqual(await store.check(0, layout.pieceCount), all(-1, ''))
  assert.equal(rig.stores.stats().jobs['pieces.hash']?.count, jobsBefore + 1)
  assert.deepEqual(await store.check(3, 2), ['ok', 'ok'])
  writeFileSync(join(rig.folder, 'T/f1'), Buffer.of((content[100 * KIB] ?? 0) ^ 1))
  assert.deepEqual(await store.check(0, layout.pieceCount), all(6, 'bad-hash'))
  await store.close()
  rmSync(join(rig.folder, 'T/f1'))
  assert.deepEqual(await store.check(0, layout.pieceCount), all(6, 'missing'))
  await assert.rejects(store.check(layout.pieceCount - 1, 2), RangeError)
})

test('two pieces that lie in more files together than a job may hold are checked one by one', async t => {
  const rig = new StoreRig(t)
  const files = Array.from({ length: 80 }, (_, i) => ({ path: `T/f${i}`, length: KIB }))
  const { layout, content } = makeRigTorrent(rig.folder, files, 40 * KIB)
  const store = rig.stores.open(layout)
  await store.prepare()
  for (const { index, offset, length } of layout.files)
    writeFileSync(join(rig.folder, `T/f${index}`), content.subarray(offset, offset + length))
  assert.deepEqual(await store.check(0, 2), ['ok', 'ok'])
  await store.close()
  rmSync(join(rig.folder, 'T/f79'))
  assert.deepEqual(await store.check(0, 2), ['ok', 'missing'])
})

test('a check of many small files: as many jobs as the bound on files asks for, and one missing file costs a few more', async t => {
  const rig = new StoreRig(t)
  const files = Array.from({ length: 256 }, (_, i) => ({ path: `T/f${i}`, length: 4 * KIB }))
  const { layout, content } = makeRigTorrent(rig.folder, files, 16 * KIB)
  const store = rig.stores.open(layout)
  await store.prepare()
  for (const { index, offset, length } of layout.files)
    writeFileSync(join(rig.folder, `T/f${index}`), content.subarray(offset, offset + length))
  const check = async () => {
    const before = rig.stores.stats().jobs['pieces.hash']?.count ?? 0
    const verdicts = await store.check(0, layout.pieceCount)
    return { verdicts, jobs: (rig.stores.stats().jobs['pieces.hash']?.count ?? 0) - before }
  }
  const whole = await check()
  assert.deepEqual(whole, { verdicts: Array.from({ length: 64 }, () => 'ok'), jobs: 4 })
  await store.close()
  rmSync(join(rig.folder, 'T/f100'))
  const { verdicts, jobs } = await check()
  assert.deepEqual(
    verdicts,
    whole.verdicts.map((verdict, piece) => (piece === 25 ? 'missing' : verdict)),
  )
  // 16 pieces of the quarter with the hole: 8 + 4 + 2 + 1.
  assert.equal(jobs, 3 + 4)
})

test('recheck: a missing, a short and a changed file; a hole reads as a wrong hash', async t => {
  const rig = new StoreRig(t)
  const torrent = makeRigTorrent(rig.folder, [{ path: 'one.bin', length: 256 * KIB }], 64 * KIB)
  const store = rig.stores.open(torrent.layout)
  assert.equal(await store.verify(0), 'missing')
  writeFileSync(join(rig.folder, 'one.bin'), torrent.content)
  for (const piece of [0, 1, 2, 3]) assert.equal(await store.verify(piece), 'ok')
  truncateSync(join(rig.folder, 'one.bin'), 140 * KIB)
  const cut = ['ok', 'ok', 'missing', 'missing']
  assert.deepEqual(await Promise.all([0, 1, 2, 3].map(piece => store.verify(piece))), cut)
  assert.deepEqual(await store.check(0, 4), cut)
  truncateSync(join(rig.folder, 'one.bin'), 256 * KIB)
  assert.deepEqual(await Promise.all([2, 3].map(piece => store.verify(piece))), ['bad-hash', 'zeros'])
  const slot = rig.rangeArena.lease()
  assert.ok(slot)
  truncateSync(join(rig.folder, 'one.bin'), 10)
  await assert.rejects(store.read(0, 100, rig.rangeArena, slot), hasCode('FileChanged'))
  rig.rangeArena.release(slot)
})

test('facts tell size and time, and count links, folders and padding as not there', async t => {
  const rig = new StoreRig(t)
  const torrent = makeRigTorrent(join(rig.folder, 'later'), manyFiles, 64 * KIB)
  const store = rig.stores.open(torrent.layout)
  assert.ok((await store.facts()).every(fact => !fact.exists))
  assert.ok(!existsSync(join(rig.folder, 'later')), 'facts made a folder')
  await store.prepare()
  const set = join(rig.folder, 'later/Set')
  writeFileSync(join(set, 'one.bin'), 'abc')
  symlinkSync(join(set, 'one.bin'), join(set, 'three.bin'))
  mkdirSync(join(set, 'sub/two – ü.bin'))
  const facts = await store.facts()
  assert.deepEqual(
    facts.map(fact => [fact.exists, fact.sizeBytes]),
    [
      [true, 3],
      [true, 0],
      [false, 0],
      [false, 0],
      [false, 0],
    ],
  )
  assert.ok(Math.abs((facts[0]?.mtimeMs ?? 0) - statSync(join(set, 'one.bin')).mtimeMs) < 1)
})

test('a piece over more files than a job may hold open', async t => {
  const rig = new StoreRig(t, { openFiles: 64 })
  const files = Array.from({ length: 300 }, (_, i) => ({
    path: `Many/${i % 7}/f${i}`,
    length: 100 + i,
    padding: i % 50 === 49,
  }))
  const torrent = makeRigTorrent(rig.folder, files, 64 * KIB)
  const store = rig.stores.open(torrent.layout)
  await store.prepare()
  assert.equal(await store.verify(0), 'missing')
  for (let piece = 0; piece < torrent.layout.pieceCount; piece++) {
    assert.equal(await rig.withBlocks(torrent, piece, blocks => store.commit(piece, blocks)), 'ok')
    assert.equal(await store.verify(piece), 'ok')
  }
  assert.ok(rig.stores.stats().openFiles <= 64, `${rig.stores.stats().openFiles} files are open`)
  const changed = join(rig.folder, 'Many/3/f10')
  writeFileSync(changed, Buffer.alloc(statSync(changed).size))
  assert.equal(await store.verify(0), 'bad-hash')
})

test('close shuts the files after all posted work, and the store can be used again', async t => {
  const rig = new StoreRig(t)
  const torrent = makeRigTorrent(rig.folder, [{ path: 'one.bin', length: 256 * KIB }], 64 * KIB)
  const store = rig.stores.open(torrent.layout)
  await store.prepare()
  const blocks = rig.lease(torrent, 0)
  let committed = false
  const commit = store.commit(0, blocks).then(() => (committed = true))
  await store.close()
  assert.ok(committed, 'close overtook a commit')
  assert.equal(rig.stores.stats().openFiles, 0)
  await commit
  rig.release(blocks)
  await store.sync()
  assert.equal(await store.verify(0), 'ok')
})

test("remove deletes the torrent's files and emptied folders, and nothing else", async t => {
  const rig = new StoreRig(t)
  const torrent = makeRigTorrent(rig.folder, manyFiles, 64 * KIB)
  const store = rig.stores.open(torrent.layout)
  await store.prepare()
  const blocks = rig.lease(torrent, 0)
  const commit = store.commit(0, blocks)
  writeFileSync(join(rig.folder, 'foreign.txt'), 'mine')
  writeFileSync(join(rig.folder, 'Set/sub/foreign.txt'), 'mine')
  symlinkSync(join(rig.folder, 'foreign.txt'), join(rig.folder, 'Set/three.bin'))
  await assert.rejects(commit, hasCode('UnsafePath')).catch(() => undefined)
  rig.release(blocks)
  await store.remove()
  assert.deepEqual(readdirSync(join(rig.folder, 'Set')).sort(), ['sub', 'three.bin'])
  assert.deepEqual(readdirSync(join(rig.folder, 'Set/sub')), ['foreign.txt'])
  assert.equal(readFileSync(join(rig.folder, 'foreign.txt'), 'utf8'), 'mine')
  rmSync(join(rig.folder, 'Set'), { recursive: true })
  await store.prepare()
  await store.remove()
  assert.deepEqual(readdirSync(rig.folder), ['foreign.txt'])
})

test('sync flushes what was written, and a later write is flushed by the next one', async t => {
  const rig = new StoreRig(t)
  const torrent = makeRigTorrent(rig.folder, manyFiles, 64 * KIB)
  const store = rig.stores.open(torrent.layout)
  await store.prepare()
  await rig.withBlocks(torrent, 0, blocks => store.commit(0, blocks))
  const syncing = store.sync()
  await rig.withBlocks(torrent, 1, blocks => store.commit(1, blocks))
  await syncing
  rmSync(join(rig.folder, 'Set'), { recursive: true })
  await store.close()
  await assert.rejects(store.sync(), hasCode('FileMissing'))
  await store.prepare()
  await store.sync()
})

test('the wrong arena, piece or range is a bug of the caller', async t => {
  const rig = new StoreRig(t)
  const torrent = makeRigTorrent(rig.folder, [{ path: 'one.bin', length: 100 }], 64 * KIB)
  const store = rig.stores.open(torrent.layout)
  const bytes = new Uint8Array(new SharedArrayBuffer(128))
  await assert.rejects(
    store.commit(0, [{ begin: 0, length: 100, slot: { index: 0, generation: 1, bytes, offset: 0 } }]),
    /no arena/,
  )
  await assert.rejects(store.verify(1), RangeError)
  const slot = rig.rangeArena.lease()
  assert.ok(slot)
  await assert.rejects(store.read(101, 1, rig.rangeArena, slot), RangeError)
  rig.rangeArena.release(slot)
})
