// Which files are a download's own outlives the process; downloads of before have all of theirs.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import Database from 'better-sqlite3'
import { ALL_FILES, fileRuns } from '../../../src/ports/progress-journal.ts'
import { APPLICATION_ID, migrations } from '../../../src/records/schema.ts'
import { bitsOf, hashOf, makeDownload, openStore, temporaryFolder } from './records-kit.ts'

test('runs of own files are kept with their download, and go with it', async t => {
  const path = join(temporaryFolder(t), 'a.db')
  const store = await openStore(t, { path })
  await store.downloads.insert(makeDownload(1))
  await store.downloads.insert(makeDownload(2, { ownFiles: [ALL_FILES] }))
  assert.deepEqual(await store.progress.ownFiles(hashOf(1)), [])
  await store.progress.noteOwnFiles(hashOf(1), [[3, 4]])
  await store.progress.noteOwnFiles(hashOf(1), fileRuns([9, 7, 8, 3, 4]))
  await store.downloads.update(hashOf(1), { ownFiles: [[20, 20]] })
  await store.progress.reset(hashOf(1))
  await store.progress.noteOwnFiles(hashOf(5), [[0, 1]])
  await store.close(5000)
  const again = await openStore(t, { path })
  assert.deepEqual(await again.progress.ownFiles(hashOf(1)), [
    [3, 4],
    [7, 9],
    [20, 20],
  ])
  assert.deepEqual(await again.progress.ownFiles(hashOf(2)), [ALL_FILES])
  await again.downloads.delete(hashOf(1))
  await again.downloads.insert(makeDownload(1))
  assert.deepEqual(await again.progress.ownFiles(hashOf(1)), [])
})

test('which files a download made is kept with it, of each file the last; they are its own', async t => {
  const path = join(temporaryFolder(t), 'a.db')
  const store = await openStore(t, { path })
  for (const n of [1, 2]) await store.downloads.insert(makeDownload(n, { ownFiles: [[0, 9]] }))
  await store.progress.noteMadeFile(hashOf(1), 3, 'a-1')
  await store.progress.noteMadeFile(hashOf(1), 3, 'b-2')
  await store.progress.noteMadeFile(hashOf(1), 12, 'c-3')
  await store.progress.noteMadeFile(hashOf(5), 0, 'd-4')
  await store.close(5000)
  const again = await openStore(t, { path })
  assert.deepEqual(await again.progress.madeFiles(hashOf(1)), [
    [3, 'b-2'],
    [12, 'c-3'],
  ])
  assert.deepEqual((await again.progress.ownFiles(hashOf(1))).at(-1), [12, 12])
  assert.deepEqual(await again.progress.madeFiles(hashOf(2)), [], 'what was taken was not made')
  await again.downloads.delete(hashOf(1))
  await again.downloads.insert(makeDownload(1))
  assert.deepEqual(await again.progress.madeFiles(hashOf(1)), [])
})

test('a file into which another program wrote is not of its making any more, and none is that stays for the user', async t => {
  const path = join(temporaryFolder(t), 'a.db')
  const store = await openStore(t, { path })
  for (const n of [1, 2]) {
    await store.downloads.insert(makeDownload(n))
    for (const file of [0, 1, 2]) await store.progress.noteMadeFile(hashOf(n), file, `${file}-1`)
  }
  await store.progress.doubt(hashOf(1), [0, 2])
  await store.close(5000)
  const again = await openStore(t, { path })
  assert.deepEqual(await again.progress.madeFiles(hashOf(1)), [[1, '1-1']])
  assert.equal((await again.progress.madeFiles(hashOf(2))).length, 3)
  await again.progress.keepMadeFiles(hashOf(2))
  await again.close(5000)
  const last = await openStore(t, { path })
  assert.deepEqual(await last.progress.madeFiles(hashOf(2)), [])
  assert.equal((await last.progress.madeFiles(hashOf(1))).length, 1)
})

test('a download of an older version with progress owns its files, one that never began does not', async t => {
  const path = join(temporaryFolder(t), 'a.db')
  const store = await openStore(t, { path })
  for (const n of [1, 2, 3]) await store.downloads.insert(makeDownload(n))
  await store.progress.checkpoint(hashOf(1), bitsOf(20, []), [])
  await store.progress.pieceVerified(hashOf(2), 4, false)
  await store.close(5000)
  const step = migrations.findIndex(({ sql }) => sql.includes('own_files'))
  const raw = new Database(path)
  assert.equal(raw.pragma('application_id', { simple: true }), APPLICATION_ID)
  raw.exec('DROP TABLE own_files')
  raw.exec(migrations[step]?.sql ?? '')
  raw.close()
  const again = await openStore(t, { path })
  assert.deepEqual(await again.progress.ownFiles(hashOf(1)), [ALL_FILES])
  assert.deepEqual(await again.progress.ownFiles(hashOf(2)), [ALL_FILES])
  assert.deepEqual(await again.progress.ownFiles(hashOf(3)), [])
})
