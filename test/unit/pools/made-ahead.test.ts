// Files that are made before their first piece is there: for a reader that waits, and never in the way of what
// others put there.

import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import type { TorrentFolder } from '../../../src/io/files/torrent-folder.ts'
import { type FirstWriteParts, FirstWrites } from '../../../src/pools/first-writes.ts'
import type { FileClaims } from '../../../src/ports/piece-store.ts'
import { makeRigTorrent, StoreRig } from '../../kit/doubles/store-rig.ts'

const KIB = 1024

async function rig(t: TestContext) {
  const own = new Set<number>()
  const gate = { noting: 0, open: Promise.resolve() }
  const claims: FileClaims = {
    known: () => Promise.resolve(),
    isOwn: index => own.has(index),
    madeMark: () => null,
    found: () => null,
    note: async indexes => {
      gate.noting += 1
      await gate.open
      for (const index of indexes) own.add(index)
    },
    setAside: () => undefined,
  }
  const store = new StoreRig(t)
  const files = [
    { path: 'one.bin', length: 100 * KIB },
    { path: 'two.bin', length: 60 * KIB },
  ]
  const torrent = makeRigTorrent(store.folder, files, 64 * KIB)
  const pieces = store.stores.open({ ...torrent.layout, claims })
  await pieces.prepare()
  const commit = (piece: number) => store.withBlocks(torrent, piece, blocks => pieces.commit(piece, blocks))
  return { own, gate, torrent, pieces, commit, pathOf: (at: number) => join(store.folder, files[at]?.path ?? '') }
}

test('the file of a piece is there, empty and noted, before the piece, which then goes into it', async t => {
  const { own, gate, torrent, pieces, commit, pathOf } = await rig(t)
  await pieces.makeReady?.(0)
  assert.deepEqual([readFileSync(pathOf(0)).length, [...own], existsSync(pathOf(1))], [0, [0], false])
  assert.equal(pieces.makeReady?.(0), null, 'there is nothing more to be done for it')
  assert.equal(await commit(0), 'ok')
  assert.equal(gate.noting, 1)
  assert.deepEqual(readFileSync(pathOf(0)), Buffer.from(torrent.content.subarray(0, 64 * KIB)))
  // The second piece lies in both.
  await pieces.makeReady?.(1)
  assert.deepEqual([...own], [0, 1])
})

test('a piece that comes while its file is being made waits for that', async t => {
  const { gate, torrent, pieces, commit, pathOf } = await rig(t)
  let opens = (): void => undefined
  gate.open = new Promise(resolve => {
    opens = resolve
  })
  const ready = pieces.makeReady?.(0)
  const committed = commit(0)
  while (gate.noting === 0) await new Promise(resolve => setImmediate(resolve))
  opens()
  await ready
  assert.equal(await committed, 'ok')
  assert.equal(gate.noting, 1)
  assert.deepEqual(readFileSync(pathOf(0)), Buffer.from(torrent.content.subarray(0, 64 * KIB)))
})

test('a file that came there meanwhile is left as it is, and refused as ever by the write', async t => {
  const { own, pieces, commit, pathOf } = await rig(t)
  writeFileSync(pathOf(0), 'of somebody else')
  await pieces.makeReady?.(0)
  assert.equal(own.size, 0)
  await assert.rejects(commit(0), { code: 'ForeignFile' })
  assert.equal(readFileSync(pathOf(0), 'utf8'), 'of somebody else')
})

test('a write that waited for a file being made ahead does not take what others put there meanwhile', async t => {
  const { torrent } = await rig(t)
  let seen = (): void => undefined
  const answers: Promise<null>[] = [new Promise(resolve => (seen = () => resolve(null)))]
  const folder = {
    isMade: () => false,
    create: () => answers.shift() ?? Promise.resolve(null),
    pathOf: () => 'one.bin',
  } as unknown as TorrentFolder
  const claims: FileClaims = {
    known: () => Promise.resolve(),
    isOwn: () => false,
    madeMark: () => null,
    found: () => null,
    note: () => Promise.reject(new Error('not its own')),
    setAside: () => undefined,
  }
  const arenas = [new SharedArrayBuffer(KIB), new SharedArrayBuffer(KIB)]
  const parts = { arenas } as unknown as FirstWriteParts
  const nothing = undefined as never
  const writes = new FirstWrites({ ...torrent.layout, claims }, folder, parts, nothing, nothing)
  const ahead = writes.makeAhead([0])
  const write = writes.make(0, [0, KIB], [{ file: 0, position: 0, length: KIB }])
  setImmediate(seen)
  await ahead
  await assert.rejects(write, { code: 'ForeignFile' })
})
