// Rows of what downloads moved, through the real thread and file.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { hashOf, makeDownload, openStore, temporaryFolder } from './records-kit.ts'

const bytes = (rows: readonly (Uint8Array | null)[]) => rows.map(row => (row === null ? null : [...row]))

test('the newest of each is kept over a restart; what is no download has none', async t => {
  const path = join(temporaryFolder(t), 'a.db')
  const first = await openStore(t, { path })
  await first.downloads.insert(makeDownload(1))
  await first.downloads.insert(makeDownload(2))
  await first.rates.write([
    [hashOf(1), Uint8Array.of(1, 2)],
    [hashOf(9), Uint8Array.of(9)],
  ])
  await first.rates.write([[hashOf(1), Uint8Array.of(3)]])
  await first.close(5000)
  const store = await openStore(t, { path })
  assert.deepEqual(bytes(await store.rates.read([hashOf(2), hashOf(1), hashOf(9)])), [null, [3], null])
})

test('they go with their download: one that is added again begins with none', async t => {
  const store = await openStore(t, { path: join(temporaryFolder(t), 'a.db') })
  await store.downloads.insert(makeDownload(1))
  await store.rates.write([[hashOf(1), Uint8Array.of(1)]])
  await store.downloads.delete(hashOf(1))
  await store.downloads.insert(makeDownload(1))
  assert.deepEqual(await store.rates.read([hashOf(1)]), [null])
})
