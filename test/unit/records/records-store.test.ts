// The store through its interfaces, with its real thread and file.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import Database from 'better-sqlite3'
import { parseInfoHashV2 } from '../../../src/base/ids.ts'
import { unfitFacts } from '../../../src/ports/piece-store.ts'
import type { LoadedDownload, StoredDownload } from '../../../src/ports/records.ts'
import { RecordsStore } from '../../../src/records/records-store.ts'
import { bitsOf, codeOf, hashOf, makeDownload, openStore, temporaryFolder } from './records-kit.ts'

async function loaded(store: RecordsStore): Promise<LoadedDownload[]> {
  const all: LoadedDownload[] = []
  for await (const page of store.downloads.loadAll()) all.push(...page)
  return all
}

async function rowsIn(store: RecordsStore): Promise<StoredDownload[]> {
  const all: StoredDownload[] = []
  for await (const { rows } of store.downloads.list()) all.push(...rows)
  return all
}

test('a download comes back as it was stored, also after a restart', async t => {
  const path = join(temporaryFolder(t), 'a.db')
  const first = await openStore(t, { path })
  assert.equal(await first.downloads.insert(makeDownload(1, { selectedFiles: [0, 2], userStopped: true })), true)
  assert.equal(await first.downloads.insert(makeDownload(2, { infoBytes: null, pieceCount: 0 })), true)
  assert.equal(await first.downloads.insert(makeDownload(1, { name: 'other' })), false)
  assert.equal(await first.close(5000), true)

  const store = await openStore(t, { path })
  const [one, two] = await rowsIn(store)
  const { infoBytes, notes, ...rest } = makeDownload(1, { selectedFiles: [0, 2], userStopped: true })
  const fresh = {
    totalUp: 0,
    totalDown: 0,
    finishedAtMs: null,
    error: '',
    controls: null,
    seededSec: 0,
    goalReached: false,
    movingTo: null,
    movedFrom: null,
  }
  assert.deepEqual(one, { ...rest, ...fresh, position: 1 })
  assert.equal(two?.position, 2)
  assert.deepEqual(await store.downloads.metainfo(hashOf(1)), { infoBytes, pieceLayers: null, notes })
  assert.equal(await store.downloads.metainfo(hashOf(2)), null)
})

test('what was asked of a download and how long it has seeded outlive a restart', async t => {
  const path = join(temporaryFolder(t), 'a.db')
  const controls = {
    maxDownloadRate: 1000,
    maxUploadRate: 0,
    seedingRatio: 1.5,
    seedingMinutes: null,
    filePriorities: [[2, 7] as const],
    sequential: true,
    labels: ['films', 'ü'],
  }
  const first = await openStore(t, { path })
  await first.downloads.insert(makeDownload(1, { controls }))
  await first.downloads.insert(makeDownload(2))
  await first.downloads.update(hashOf(2), {
    controls: { ...controls, labels: [] },
    goalReached: true,
    movingTo: '/new',
  })
  await first.downloads.update(hashOf(1), { movedFrom: '/old' })
  const many = Array.from({ length: 1200 }, (_, n) => [hashOf(n + 1), n + 0.4] as const)
  await first.downloads.setSeeded(many)
  await first.downloads.setQueueOrders([
    [hashOf(2), -0.25],
    [hashOf(99), 5],
  ])
  assert.equal(await first.close(5000), true)

  const store = await openStore(t, { path })
  const [one, two] = await rowsIn(store)
  assert.deepEqual(one?.controls, controls)
  assert.deepEqual([one?.queueOrder, two?.queueOrder], [undefined, -0.25])
  assert.deepEqual([one?.seededSec, one?.goalReached, one?.movingTo, one?.movedFrom], [0, false, null, '/old'])
  assert.deepEqual(two?.controls, { ...controls, labels: [] })
  assert.deepEqual([two?.seededSec, two?.goalReached, two?.movingTo, two?.movedFrom], [1, true, '/new', null])
  await store.downloads.update(hashOf(2), { movingTo: null, controls: null })
  assert.deepEqual((await rowsIn(store))[1]?.controls, null)
  assert.equal((await rowsIn(store))[1]?.movingTo, null)
})

test('update changes only what it names', async t => {
  const store = await openStore(t, { path: join(temporaryFolder(t), 'a.db') })
  await store.downloads.insert(makeDownload(1, { infoBytes: null, pieceCount: 0, selectedFiles: [1] }))
  const info = Uint8Array.of(1, 2, 3)
  const change = {
    name: 'n',
    infoBytes: info,
    pieceCount: 9,
    selectedFiles: null,
    finishedAtMs: 5.4,
    userStopped: true,
  }
  assert.equal(await store.downloads.update(hashOf(1), change), true)
  assert.equal(await store.downloads.update(hashOf(1), {}), true)
  assert.equal(await store.downloads.update(hashOf(2), { name: 'n' }), false)
  const [row] = await rowsIn(store)
  assert.equal(row?.name, 'n')
  assert.equal(row?.pieceCount, 9)
  assert.equal(row?.selectedFiles, null)
  assert.equal(row?.finishedAtMs, 5)
  assert.equal(row?.userStopped, true)
  assert.equal(row?.destination, '/data/x')
  assert.deepEqual((await store.downloads.metainfo(hashOf(1)))?.infoBytes, info)
})

test('what a v2 torrent needs beside its info dictionary, and web seeds, outlive a restart', async t => {
  const path = join(temporaryFolder(t), 'a.db')
  const infoHashV2 = parseInfoHashV2('ab'.repeat(32))
  const pieceLayers = new Uint8Array(70_000).fill(7)
  const webSeeds = ['http://seed.example/a/']
  const first = await openStore(t, { path })
  await first.downloads.insert(makeDownload(1, { infoHashV2, webSeeds, pieceLayers }))
  await first.downloads.insert(makeDownload(2))
  await first.downloads.insert(makeDownload(3, { infoBytes: null, pieceCount: 0 }))
  const layers = Uint8Array.of(1, 2)
  await first.downloads.update(hashOf(2), { pieceLayers: layers })
  await first.downloads.update(hashOf(3), { infoBytes: Uint8Array.of(5), pieceLayers: layers, infoHashV2 })
  assert.equal(await first.close(5000), true)

  const store = await openStore(t, { path })
  const [one, two, three] = await loaded(store)
  assert.deepEqual([one?.download.infoHashV2, one?.download.webSeeds], [infoHashV2, webSeeds])
  assert.deepEqual(one?.stored?.pieceLayers, pieceLayers)
  assert.deepEqual([two?.download.infoHashV2, two?.download.webSeeds], [null, []])
  // What became known later takes nothing else away.
  assert.deepEqual(two?.stored, { ...(await store.downloads.metainfo(hashOf(2))), pieceLayers: layers })
  assert.equal(two?.stored?.notes.comment, 'comment 2')
  assert.equal(three?.download.infoHashV2, infoHashV2)
  assert.deepEqual([three?.stored?.infoBytes, three?.stored?.pieceLayers], [Uint8Array.of(5), layers])
  const tooMuch = new Uint8Array(16 * 1024 * 1024 + 1)
  assert.equal(await codeOf(store.downloads.update(hashOf(1), { pieceLayers: tooMuch })), 'TorrentUnreadable')
})

test('a deleted download leaves no row, and a late piece does not bring one back', async t => {
  const path = join(temporaryFolder(t), 'a.db')
  const store = await openStore(t, { path })
  await store.downloads.insert(makeDownload(1))
  await store.progress.checkpoint(hashOf(1), bitsOf(20, [1]), [])
  await store.progress.pieceVerified(hashOf(1), 2, false)
  assert.equal(await store.downloads.delete(hashOf(1)), true)
  assert.equal(await store.downloads.delete(hashOf(1)), false)
  await store.progress.pieceVerified(hashOf(1), 3, false)
  await store.progress.checkpoint(hashOf(1), bitsOf(20, [1]), [])
  await store.progress.reset(hashOf(1))
  store.downloads.noteTotals(hashOf(1), 1, 1)
  await store.close(5000)

  const database = new Database(path, { readonly: true })
  for (const table of ['downloads', 'metainfo', 'progress', 'piece_journal']) {
    assert.equal(database.prepare(`SELECT count(*) FROM ${table}`).pluck().get(), 0, table)
  }
  database.close()
})

test('resume data joins the checkpoint and the journal', async t => {
  let now = 1000
  const store = await openStore(t, { path: join(temporaryFolder(t), 'a.db'), now: () => now })
  await store.downloads.insert(makeDownload(1))
  assert.equal(await store.progress.loadResume(hashOf(1)), null)
  assert.equal(await store.progress.loadResume(hashOf(9)), null)

  await store.progress.pieceVerified(hashOf(1), 19, false)
  now = 2000
  await store.progress.pieceVerified(hashOf(1), 0, false)
  const journalled = await store.progress.loadResume(hashOf(1))
  assert.deepEqual(journalled, { have: bitsOf(20, [0, 19]), suspect: [], files: [], newestMs: 2000 })

  const files = [{ index: 0, exists: true, sizeBytes: 7, mtimeMs: 12.5 }]
  // Piece 0 was verified after the sync that this checkpoint speaks of: its row must stay.
  await store.progress.checkpoint(hashOf(1), bitsOf(20, [19]), files)
  const both = await store.progress.loadResume(hashOf(1))
  assert.deepEqual(both, { have: bitsOf(20, [0, 19]), suspect: [], files, newestMs: 2000 })
  const [page] = await loaded(store)
  assert.deepEqual(page?.resume, both)
})

test('the bits of a checkpoint are those of the call, not of later', async t => {
  const store = await openStore(t, { path: join(temporaryFolder(t), 'a.db') })
  await store.downloads.insert(makeDownload(1))
  const have = bitsOf(20, [1])
  const written = store.progress.checkpoint(hashOf(1), have, [])
  have.fill(255)
  await written
  assert.deepEqual((await store.progress.loadResume(hashOf(1)))?.have, bitsOf(20, [1]))
})

test('after reset, what was not confirmed again is suspect until the next checkpoint', async t => {
  const store = await openStore(t, { path: join(temporaryFolder(t), 'a.db') })
  await store.downloads.insert(makeDownload(1, { pieceCount: 4 }))
  await store.progress.checkpoint(hashOf(1), bitsOf(4, [0, 1, 2, 3]), [])
  await store.progress.reset(hashOf(1))
  await store.progress.pieceVerified(hashOf(1), 1, false)
  const during = await store.progress.loadResume(hashOf(1))
  assert.deepEqual(during?.have, bitsOf(4, [1]))
  assert.deepEqual(during?.suspect, [0, 2, 3])
  await store.progress.checkpoint(hashOf(1), bitsOf(4, [1, 2]), [])
  const after = await store.progress.loadResume(hashOf(1))
  assert.deepEqual(after?.have, bitsOf(4, [1, 2]))
  assert.deepEqual(after?.suspect, [])
})

test('files in doubt fit nothing until the next checkpoint; what is had, suspect or journalled stays as it is', async t => {
  const path = join(temporaryFolder(t), 'a.db')
  const store = await openStore(t, { path })
  for (const n of [1, 2, 3]) await store.downloads.insert(makeDownload(n, { pieceCount: 4 }))
  const files = [0, 1, 2].map(index => ({ index, exists: true, sizeBytes: 7, mtimeMs: 12.5 }))
  await store.progress.checkpoint(hashOf(1), bitsOf(4, [0, 1]), files)
  await store.progress.pieceVerified(hashOf(1), 3, false)
  await store.progress.doubt(hashOf(1), [2, 0])
  await store.progress.reset(hashOf(2))
  await store.progress.pieceVerified(hashOf(2), 1, false)
  await store.progress.doubt(hashOf(2), [1])
  await store.progress.doubt(hashOf(3), [1])
  await store.progress.doubt(hashOf(9), [1])
  await store.close(5000)
  const again = await openStore(t, { path })
  const resumed = async (n: number) => {
    const { have, suspect, files: facts } = (await again.progress.loadResume(hashOf(n))) ?? {}
    return { have, suspect, facts }
  }
  const none = { index: 0, exists: false, sizeBytes: 0, mtimeMs: 0 }
  assert.deepEqual(await resumed(1), {
    have: bitsOf(4, [0, 1, 3]),
    suspect: [],
    facts: [unfitFacts(0), files[1], unfitFacts(2)],
  })
  assert.deepEqual(await resumed(2), { have: bitsOf(4, [1]), suspect: [0, 2, 3], facts: [none, unfitFacts(1)] })
  assert.deepEqual(await resumed(3), { have: bitsOf(4, []), suspect: [], facts: [none, unfitFacts(1)] })
  await again.progress.checkpoint(hashOf(1), bitsOf(4, [0, 1]), files)
  assert.deepEqual((await resumed(1)).facts, files)
})

test('dropped pieces are neither journalled nor had any more, and may come again', async t => {
  const path = join(temporaryFolder(t), 'a.db')
  const store = await openStore(t, { path })
  for (const n of [1, 2]) await store.downloads.insert(makeDownload(n, { pieceCount: 12 }))
  await store.progress.checkpoint(hashOf(1), bitsOf(12, [0, 1, 9, 11]), [])
  await store.progress.pieceVerified(hashOf(1), 5, false)
  await store.progress.pieceVerified(hashOf(1), 6, false)
  await store.progress.pieceVerified(hashOf(2), 5, false)
  await store.progress.piecesDropped(hashOf(1), [1, 5, 11, 3])
  await store.progress.piecesDropped(hashOf(9), [1])
  await store.close(5000)
  const again = await openStore(t, { path })
  const had = async (n: number) => (await again.progress.loadResume(hashOf(n)))?.have
  assert.deepEqual(await had(1), bitsOf(12, [0, 6, 9]))
  assert.deepEqual(await had(2), bitsOf(12, [5]), 'of another download')
  await again.progress.piecesDropped(hashOf(2), [5])
  assert.equal(await again.progress.loadResume(hashOf(2)), null)
  await again.progress.pieceVerified(hashOf(1), 5, false)
  assert.deepEqual(await had(1), bitsOf(12, [0, 5, 6, 9]))
})

test('counters are written at a checkpoint and at the end', async t => {
  const path = join(temporaryFolder(t), 'a.db')
  const store = await openStore(t, { path })
  await store.downloads.insert(makeDownload(1))
  await store.downloads.insert(makeDownload(2))
  store.downloads.noteTotals(hashOf(1), 5, 2 ** 45)
  store.downloads.noteTotals(hashOf(2), 7, 8)
  assert.equal((await rowsIn(store))[0]?.totalUp, 0)
  await store.progress.checkpoint(hashOf(1), bitsOf(20, []), [])
  const [one, two] = await rowsIn(store)
  assert.deepEqual([one?.totalUp, one?.totalDown, two?.totalUp], [5, 2 ** 45, 0])
  await store.close(5000)
  const again = await openStore(t, { path })
  assert.equal((await rowsIn(again))[1]?.totalDown, 8)
})

test('counters are written every so often', async t => {
  const store = await openStore(t, { path: join(temporaryFolder(t), 'a.db'), totalsEveryMs: 5 })
  await store.downloads.insert(makeDownload(1))
  store.downloads.noteTotals(hashOf(1), 3, 4)
  const deadline = Date.now() + 5000
  while ((await rowsIn(store))[0]?.totalUp !== 3) assert.ok(Date.now() < deadline)
})

test('events get growing ids and are read in order', async t => {
  const path = join(temporaryFolder(t), 'a.db')
  const store = await openStore(t, { path, now: () => 77 })
  assert.deepEqual(await store.events.bounds(), { oldest: null, newest: 0 })
  const event = (type: string, payload: string) => ({ type, payload })
  const firsts = await Promise.all([
    store.events.append([event('a', '{"x":[1]}'), event('a', '1')]),
    store.events.append([event('b', 'null')]),
  ])
  assert.deepEqual(firsts, [1, 3])
  await store.close(5000)
  const again = await openStore(t, { path, now: () => 78 })
  assert.equal(await again.events.append([event('c', '"text"')]), 4)
  assert.deepEqual(await again.events.readSince(2, 10), [
    { id: 3, atMs: 77, type: 'b', payload: 'null' },
    { id: 4, atMs: 78, type: 'c', payload: '"text"' },
  ])
  assert.equal((await again.events.readSince(0, 1)).length, 1)
  assert.deepEqual(await again.events.bounds(), { oldest: 1, newest: 4 })
  const big = again.events.append([event('c', '1'), event('big', 'x'.repeat(70_000))])
  await assert.rejects(big, RangeError)
  assert.deepEqual(await again.events.bounds(), { oldest: 1, newest: 4 })
})

test('the first value of a name wins', async t => {
  const store = await openStore(t, { path: join(temporaryFolder(t), 'a.db') })
  const [a, b] = await Promise.all([
    store.values.getOrSet('secret', Uint8Array.of(1)),
    store.values.getOrSet('secret', Uint8Array.of(2)),
  ])
  assert.deepEqual([a, b], [Uint8Array.of(1), Uint8Array.of(1)])
  // A caller's name never meets the rows about the last run.
  await store.values.set('clean_stop', Uint8Array.of(9))
  assert.deepEqual(await store.values.get('clean_stop'), Uint8Array.of(9))
  assert.equal(await store.values.get('epoch'), null)
})

test('close finishes what was asked for and refuses what comes later', async t => {
  const path = join(temporaryFolder(t), 'a.db')
  const store = await openStore(t, { path })
  const inserts = Array.from({ length: 700 }, (_, n) => store.downloads.insert(makeDownload(n)))
  const closing = store.close(10_000)
  assert.equal(await codeOf(rowsIn(store)), 'Aborted')
  assert.equal((await Promise.all(inserts)).every(Boolean), true)
  assert.equal(await closing, true)
  assert.equal(await codeOf(rowsIn(store)), 'Aborted')
  assert.equal(await store.close(1), true)
  const again = await openStore(t, { path })
  assert.equal((await rowsIn(again)).length, 700)
  assert.equal(again.facts.cleanStop, true)
})

test('a caller who asks for too much at once is turned away', async t => {
  const store = await openStore(t, { path: join(temporaryFolder(t), 'a.db') })
  const infoBytes = new Uint8Array(15 * 1024 * 1024)
  const codes = Array.from({ length: 6 }, (_, n) => codeOf(store.downloads.insert(makeDownload(n, { infoBytes }))))
  assert.ok((await Promise.all(codes)).includes('PoolBusy'))
  assert.equal(await codeOf(store.downloads.insert(makeDownload(99))), 'none')
  assert.equal(store.waiting, 0)
})

test('10,000 downloads load in small pages and little time', async t => {
  const path = join(temporaryFolder(t), 'a.db')
  const store = await openStore(t, { path })
  const infoBytes = new Uint8Array(4000)
  for (let from = 0; from < 10_000; from += 1000) {
    const some = Array.from({ length: 1000 }, (_, n) => makeDownload(from + n, { infoBytes, pieceCount: 180 }))
    await Promise.all(some.map(download => store.downloads.insert(download)))
    await Promise.all(some.map(({ infoHash }) => store.progress.checkpoint(infoHash, bitsOf(180, [1]), [])))
    await Promise.all(some.map(({ infoHash }) => store.progress.pieceVerified(infoHash, 2, false)))
  }
  await store.close(5000)
  const openedAt = performance.now()
  const again = await openStore(t, { path })
  let count = 0
  let largestPage = 0
  for await (const page of again.downloads.loadAll()) {
    count += page.length
    largestPage = Math.max(largestPage, page.length)
    for (const { resume } of page) assert.equal(resume?.have[0], 0b01100000)
  }
  t.diagnostic(`open and load of 10,000 downloads: ${Math.round(performance.now() - openedAt)} ms`)
  assert.equal(count, 10_000)
  assert.ok(largestPage <= 250)
})
