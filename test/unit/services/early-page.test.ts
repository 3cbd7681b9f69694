// The first page of a list that is still being read.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeDeferred } from '../../../src/base/deferred.ts'
import type { InfoHash } from '../../../src/base/ids.ts'
import { Downloads } from '../../../src/services/downloads/downloads.ts'
import { EarlyPage } from '../../../src/services/downloads/list/early-page.ts'
import type { ListQuery } from '../../../src/services/downloads/list/list-query-api.ts'
import { makeTorrent } from '../../kit/content/make-torrent.ts'
import { MemoryRecords, startDownloads } from './service-doubles.ts'

const FIRST: ListQuery = {
  only: null,
  filter: '',
  sort: null,
  descending: false,
  after: null,
  offset: 0,
  limit: 2,
  totals: false,
  facets: false,
}

function setOf(count: number): Map<InfoHash, unknown> {
  return new Map(Array.from({ length: count }, (_, index) => [String(index).padStart(40, '0') as InfoHash, {}]))
}

test('the first page is there with the first rows, and says how many there will be', async () => {
  const entries = setOf(0)
  const early = new EarlyPage({ entries })
  const asked = early.find(FIRST)
  for (const [infoHash, entry] of setOf(3)) entries.set(infoHash, entry)
  early.came(100_000)
  const [one, two = ''] = entries.keys()
  assert.deepEqual(await asked, { infohashes: [one, two], total: 100_000, next: two, totals: null, facets: null })
  assert.equal((await early.find({ ...FIRST, limit: 1000 })) === null, true)
})

test('a list that fits into the page has no next one', async () => {
  const early = new EarlyPage({ entries: setOf(2) })
  early.came(2)
  assert.equal((await early.find(FIRST))?.next, '')
})

test('whatever needs all rows waits for them', async () => {
  const early = new EarlyPage({ entries: setOf(3) })
  early.came(3)
  const others: Partial<ListQuery>[] = [
    { only: ['a'] },
    { filter: 'film' },
    { sort: 'name' },
    { descending: true },
    { after: 'a' },
    { offset: 1 },
    { totals: true },
    { facets: true },
    { limit: null },
  ]
  for (const other of others) assert.equal(await early.find({ ...FIRST, ...other }), null)
  early.end()
  assert.equal(await early.find(FIRST), null)
})

test('who asks before the store is open is answered when nothing will come', async () => {
  const early = new EarlyPage({ entries: setOf(0) })
  const asked = early.find(FIRST)
  early.end()
  assert.equal(await asked, null)
})

test('a service answers its first page from the first rows of the store, and the rest when all are there', async t => {
  const records = new MemoryRecords()
  const before = await startDownloads(records)
  const added: string[] = []
  for (let n = 0; n < 4; n++) {
    const { torrent, infoHash } = makeTorrent({ length: 100, seed: n + 1, name: `t${n}` })
    await before.downloads.addFile(torrent, {})
    added.push(infoHash)
  }
  const all = [...records.rows.values()]
  const gate = makeDeferred<void>()
  records.list = async function* () {
    yield { rows: all.slice(0, 2), total: all.length }
    await gate.promise
    yield { rows: all.slice(2), total: all.length }
  }
  const later = t.mock.method(Downloads.prototype, 'openStore', () => Promise.resolve())
  const { downloads, engine } = await startDownloads(records, false)
  later.mock.restore()
  const opening = downloads.openStore(records)
  const page = await downloads.earlyPage(FIRST)
  assert.ok(page !== null)
  assert.deepEqual(page, { infohashes: added.slice(0, 2), total: 4, next: added[1] ?? '', totals: null, facets: null })
  const json = Buffer.concat(await downloads.pageJson(page, ['name'])).toString()
  assert.deepEqual(JSON.parse(json), { downloads: [{ name: 't0' }, { name: 't1' }], total: 4, next: added[1] })
  assert.throws(() => downloads.has(all[0]?.infoHash as InfoHash), { code: 'NotReady' })
  gate.resolve()
  await opening
  assert.equal(await downloads.earlyPage(FIRST), null)
  // Who asked for the first page then goes on behind it, although just the download that it ended with is gone.
  await downloads.load(engine)
  await downloads.remove(page.next, false)
  const second = await downloads.findPage({ ...FIRST, after: page.next })
  assert.deepEqual([second.infohashes, second.total, second.next], [added.slice(2), 3, ''])
  assert.equal((await downloads.findPage(FIRST)).total, 3)
  await downloads.stop()
  await before.downloads.stop()
})
