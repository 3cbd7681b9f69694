// Rows of files of the watch folder, through the real thread and file.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { SeenFile } from '../../../src/ports/seen-files.ts'
import { openStore, temporaryFolder } from './records-kit.ts'

const fileOf = (n: number): SeenFile => ({
  path: `/w/${String(n).padStart(5, '0')} ü.torrent`,
  size: n,
  mtimeMs: 1_700_000_000_000 + n,
  goneAtMs: n % 2 === 0 ? null : n,
})

test('what was dealt with comes back after a restart, more than a page of it too', async t => {
  const path = join(temporaryFolder(t), 'a.db')
  const first = await openStore(t, { path })
  const files = Array.from({ length: 1201 }, (_, n) => fileOf(n))
  await first.seenFiles.keep(files)
  await first.seenFiles.keep([{ ...fileOf(5), size: 99 }])
  await first.seenFiles.drop([fileOf(6).path, 'none'])
  await first.close(5000)
  const store = await openStore(t, { path })
  const expected = files.filter((_, n) => n !== 6).map((file, n) => (n === 5 ? { ...file, size: 99 } : file))
  assert.deepEqual(await store.seenFiles.list(), expected)
})
