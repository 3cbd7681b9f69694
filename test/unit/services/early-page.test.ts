// The first page of a list that is still being read.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InfoHash } from '../../../src/base/ids.ts'
import { EarlyPage } from '../../../src/services/downloads/list/early-page.ts'
import type { ListQuery } from '../../../src/services/downloads/list/list-query-api.ts'

const FIRST: ListQuery = { only: null, filter: '', sort: null, descending: false, after: null, limit: 2 }

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
  assert.deepEqual(await asked, { infohashes: [one, two], total: 100_000, next: two })
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
