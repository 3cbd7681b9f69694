// Pieces whose bytes are given back to the disk: theirs alone, after what was posted before, of files that the torrent
// made itself and that nobody else has, and the files are not taken for changed by somebody else.

import assert from 'node:assert/strict'
import {
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { FileClaims, FileMark } from '../../../src/ports/piece-store.ts'
import { makeRigTorrent, type RigTorrent, StoreRig } from '../../kit/doubles/store-rig.ts'
import { nativeMissing } from '../../kit/native-hashes.ts'

const PIECE = 64 * 1024
const may = (): boolean => true
const runs = (...pieces: number[]) => pieces.map(first => ({ first, count: 1 }))
const ALL = [{ first: 0, count: 8 }]

/** Files are the torrent's own once they are noted; `made`: those that it made. */
class Claims implements FileClaims {
  readonly made = new Map<number, FileMark>()
  readonly #own = new Set<number>()

  known(): Promise<void> {
    return Promise.resolve()
  }

  isOwn(index: number): boolean {
    return this.#own.has(index)
  }

  madeMark(index: number): FileMark | null {
    return this.made.get(index) ?? null
  }

  found(): 'fits' {
    return 'fits'
  }

  async note(indexes: readonly number[], made?: FileMark): Promise<void> {
    for (const index of indexes) this.#own.add(index)
    if (made !== undefined) for (const index of indexes) this.made.set(index, made)
  }

  setAside(): void {}
}

function twoFiles(rig: StoreRig): RigTorrent & { readonly claims: Claims } {
  const files = [
    { path: 'film/a.mkv', length: 5 * PIECE + 1000 },
    { path: 'film/b.srt', length: 2 * PIECE + 500 },
  ]
  const { layout, content } = makeRigTorrent(rig.folder, files, PIECE)
  const claims = new Claims()
  return { content, claims, layout: { ...layout, claims } }
}

async function commitAll(rig: StoreRig, torrent: RigTorrent) {
  const store = rig.stores.open(torrent.layout)
  await store.prepare()
  for (let piece = 0; piece < torrent.layout.pieceCount; piece++) {
    await rig.withBlocks(torrent, piece, async blocks => assert.equal(await store.commit(piece, blocks), 'ok'))
  }
  return store
}

const bytesOf = (rig: StoreRig, name: string): Buffer => readFileSync(join(rig.folder, 'film', name))

/** Fails unless both files have all their bytes. */
function assertWhole(rig: StoreRig, { content }: RigTorrent): void {
  const cut = 5 * PIECE + 1000
  assert.ok(bytesOf(rig, 'a.mkv').equals(content.subarray(0, cut)))
  assert.ok(bytesOf(rig, 'b.srt').equals(content.subarray(cut)))
}

test('a piece of two files goes from both, its neighbours stay, and it can be written again', {
  skip: nativeMissing,
}, async t => {
  const rig = new StoreRig(t)
  const torrent = twoFiles(rig)
  const store = await commitAll(rig, torrent)
  await store.sync()
  const punched = await store.punch?.(
    [
      { first: 5, count: 1 },
      { first: 1, count: 2 },
    ],
    may,
  )
  assert.deepEqual(
    punched?.gone.map(({ first, count }) => [first, count]),
    [
      [5, 1],
      [5, 1],
      [1, 2],
    ],
  )
  assert.deepEqual([punched.kept, punched.ended], [[], null])
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
  const punched = store.punch?.(runs(2), may)
  const written = rig.withBlocks(torrent, 2, blocks => store.commit(2, blocks))
  assert.equal(await read, 1000)
  assert.ok(Buffer.compare(slot.bytes.subarray(0, 1000), torrent.content.subarray(2 * PIECE, 2 * PIECE + 1000)) === 0)
  rig.rangeArena.release(slot)
  assert.deepEqual(await punched, { gone: runs(2), kept: [], ended: null })
  assert.equal(await written, 'ok')
  assert.equal(await store.verify(2), 'ok')
})

test('where it cannot be done, or has no room now, nothing changes; what was done until then is told', async t => {
  const rig = new StoreRig(t, {}, { punch: () => Promise.resolve(false) })
  const torrent = twoFiles(rig)
  const store = await commitAll(rig, torrent)
  assert.deepEqual(await store.punch?.(ALL, may), { gone: [], kept: [], ended: 'unable' })
  assert.deepEqual(new Set(await store.check(0, 8)), new Set(['ok']))
  for (const [code, ended] of [
    [null, 'unable'],
    ['ENOSPC', 'later'],
    ['EDQUOT', 'later'],
  ] as const) {
    let calls = 0
    const half = new StoreRig(
      t,
      {},
      {
        punch: async () => {
          calls += 1
          if (calls > 1 && code !== null) throw Object.assign(new Error('no room'), { code })
          return calls === 1
        },
      },
    )
    const store2 = await commitAll(half, twoFiles(half))
    assert.deepEqual(await store2.punch?.(runs(0, 3, 4), may), { gone: runs(0), kept: [], ended })
    assert.equal(calls, 2)
  }
})

test('it is asked before each hole whether there may be one', async t => {
  let holes = 0
  const rig = new StoreRig(t, {}, { punch: async () => (holes += 1) > 0 })
  const store = await commitAll(rig, twoFiles(rig))
  assert.deepEqual(await store.punch?.(runs(0, 2, 4, 7), () => holes < 2), {
    gone: runs(0, 2),
    kept: [],
    ended: 'told',
  })
  assert.equal(holes, 2)
})

test('an error of the disk names the file', async t => {
  const failure = Object.assign(new Error('Input/output error'), { code: 'EIO' })
  const rig = new StoreRig(t, {}, { punch: () => Promise.reject(failure) })
  const store = await commitAll(rig, twoFiles(rig))
  await assert.rejects(async () => store.punch?.(runs(0), may), /a\.mkv \(EIO/)
})

test('files that are not there are not made', { skip: nativeMissing }, async t => {
  const rig = new StoreRig(t)
  const torrent = twoFiles(rig)
  for (const index of [0, 1]) torrent.claims.made.set(index, 'gone')
  const store = rig.stores.open(torrent.layout)
  await store.prepare()
  assert.deepEqual(await store.punch?.(ALL, may), { gone: [], kept: [], ended: null })
  assert.equal((await store.facts()).filter(({ exists }) => exists).length, 0)
})

test('a file that lay there before keeps every byte, also when it was written to and is noted as its own', async t => {
  const rig = new StoreRig(t, {}, { punch: () => assert.fail('a hole') })
  const torrent = twoFiles(rig)
  mkdirSync(join(rig.folder, 'film'))
  for (const [name, from, to] of [
    ['a.mkv', 0, 5 * PIECE + 1000],
    ['b.srt', 5 * PIECE + 1000, 7 * PIECE + 1500],
  ] as const)
    writeFileSync(join(rig.folder, 'film', name), torrent.content.subarray(from, to))
  const store = await commitAll(rig, torrent)
  assert.deepEqual([torrent.claims.isOwn(0), torrent.claims.made.size], [true, 0])
  assert.deepEqual(await store.punch?.(ALL, may), { gone: [], kept: [0, 1], ended: null })
  // Without claims nobody knows who made them.
  const { claims: _claims, ...plain } = torrent.layout
  const other = rig.stores.open({ ...plain, key: 'other' })
  await other.prepare()
  assert.deepEqual((await other.punch?.(ALL, may))?.gone, [])
  assertWhole(rig, torrent)
})

test('a file that another program put in the place of one that was made keeps every byte', async t => {
  const rig = new StoreRig(t, {}, { punch: () => assert.fail('a hole') })
  const torrent = twoFiles(rig)
  const store = await commitAll(rig, torrent)
  assert.equal(torrent.claims.made.size, 2)
  const copy = join(rig.folder, 'copy')
  for (const [index, name] of ['a.mkv', 'b.srt'].entries()) {
    writeFileSync(copy, bytesOf(rig, name))
    renameSync(copy, join(rig.folder, 'film', name))
    store.accept(index)
  }
  assert.deepEqual(await store.punch?.(ALL, may), { gone: [], kept: [0, 1], ended: null })
  assertWhole(rig, torrent)
  // Neither when it is deleted by its mark.
  await store.remove((index, _size, mark) => torrent.claims.madeMark(index) !== mark)
  assertWhole(rig, torrent)
})

test('a file that got another name keeps every byte, whenever it got it', async t => {
  let holes = 0
  const linked = (): void => linkSync(join(rig.folder, 'film/a.mkv'), join(rig.folder, 'kept.mkv'))
  const rig: StoreRig = new StoreRig(
    t,
    {},
    {
      punch: async () => {
        // In the middle of it: as a library does it when the film is there.
        if (++holes === 1) linked()
        return true
      },
    },
  )
  const torrent = twoFiles(rig)
  const store = await commitAll(rig, torrent)
  assert.deepEqual(await store.punch?.(runs(0, 2, 4, 6), may), { gone: runs(0, 6), kept: [0], ended: null })
  assert.deepEqual(await store.punch?.(runs(1), may), { gone: [], kept: [0], ended: null })
  assert.deepEqual(await store.unshared?.([0, 1]), [1])
  assert.equal(holes, 2)
})

test('a file that was moved away keeps every byte, however lately it was open', async t => {
  let holes = 0
  const rig = new StoreRig(t, {}, { punch: async () => (holes += 1) > 0 })
  const torrent = twoFiles(rig)
  const store = await commitAll(rig, torrent)
  for (const name of ['a.mkv', 'b.srt']) renameSync(join(rig.folder, 'film', name), join(rig.folder, name))
  const punched = await Promise.resolve(store.punch?.(ALL, may)).catch((error: unknown) => error)
  assert.ok(punched !== undefined)
  assert.equal(holes, 0)
  for (const name of ['a.mkv', 'b.srt']) renameSync(join(rig.folder, name), join(rig.folder, 'film', name))
  assertWhole(rig, torrent)
})

test('a folder that was moved away keeps every byte, also when a link leads there from its place', async t => {
  let holes = 0
  const rig = new StoreRig(t, {}, { punch: async () => (holes += 1) > 0 })
  const torrent = twoFiles(rig)
  const store = await commitAll(rig, torrent)
  renameSync(join(rig.folder, 'film'), join(rig.folder, 'library'))
  symlinkSync('library', join(rig.folder, 'film'))
  // Its descriptors are open still, and were looked at just now.
  assert.deepEqual(await store.punch?.(ALL, may), { gone: [], kept: [0, 1], ended: null })
  assert.equal(holes, 0)
  unlinkSync(join(rig.folder, 'film'))
  renameSync(join(rig.folder, 'library'), join(rig.folder, 'film'))
  assertWhole(rig, torrent)
})

test('long holes are made in parts: a call that takes long makes a volume look stalled', async t => {
  const lengths: number[] = []
  const rig = new StoreRig(t, {}, { punch: async (_fd, _at, length) => lengths.push(length) > 0 })
  const length = 150 * 1024 * 1024
  const torrent = makeRigTorrent(rig.folder, [{ path: 'long.mkv', length: 1 }], 1)
  const claims = new Claims()
  const [file] = torrent.layout.files
  assert.ok(file)
  const layout = { ...torrent.layout, claims, files: [{ ...file, length }], totalLength: length }
  const pieceLength = 1024 * 1024
  const store = rig.stores.open({ ...layout, pieceLength, pieceCount: 150, pieceHashes: new Uint8Array(3000) })
  await store.prepare()
  await store.makeReady?.(0)
  const punched = await store.punch?.([{ first: 0, count: 150 }], may)
  const most = 64 * 1024 * 1024
  assert.deepEqual(lengths, [most, most, length - 2 * most])
  assert.deepEqual(
    punched?.gone.map(({ first, count }) => [first, count]),
    [
      [0, 64],
      [64, 64],
      [128, 22],
    ],
  )
})
