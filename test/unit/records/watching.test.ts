// Rows of films that were begun, through the real thread and file.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { MAX_WATCHED, MAX_WATCHED_OF_ONE, type WatchedNote } from '../../../src/ports/viewing/watching-records.ts'
import { hashOf, makeDownload, openStore, temporaryFolder } from './records-kit.ts'

const noteOf = (change: Partial<WatchedNote> = {}): WatchedNote => ({
  infoHash: hashOf(1),
  file: 0,
  name: 'a.mkv',
  positionMs: 101_000,
  durationMs: 5_400_000,
  watched: null,
  atMs: 1000,
  ...change,
})

test('the last word counts, what is not said stays, and all of it is there after a restart', async t => {
  const path = join(temporaryFolder(t), 'a.db')
  const first = await openStore(t, { path })
  await first.downloads.insert(makeDownload(1))
  await first.watching.note(noteOf())
  await first.watching.note(noteOf({ watched: true, positionMs: null, durationMs: null, atMs: 2000 }))
  await first.watching.note(noteOf({ positionMs: 50, durationMs: null, atMs: 3000, name: 'b.mkv' }))
  assert.equal(await first.watching.note(noteOf({ infoHash: hashOf(9) })), null, 'no such download')
  await first.close(5000)
  const store = await openStore(t, { path })
  const { infoHash, file } = noteOf()
  const row = { infoHash, file, name: 'b.mkv', positionMs: 50, durationMs: 5_400_000, watched: true, atMs: 3000 }
  assert.deepEqual(await store.watching.of(hashOf(1)), [row])
  assert.deepEqual(await store.watching.recent(10), [{ ...row, download: makeDownload(1).name }])
  assert.equal(await store.watching.forget(hashOf(1), 1), false)
  assert.equal(await store.watching.forget(hashOf(1), 0), true)
  assert.deepEqual(await store.watching.of(hashOf(1)), [])
})

test('rows go with their download', async t => {
  const store = await openStore(t, { path: join(temporaryFolder(t), 'a.db') })
  await store.downloads.insert(makeDownload(1))
  await store.watching.note(noteOf())
  await store.downloads.delete(hashOf(1))
  assert.deepEqual(await store.watching.recent(10), [])
  await store.downloads.insert(makeDownload(1))
  assert.deepEqual(await store.watching.of(hashOf(1)), [])
})

test('of one download and of all the newest are kept', async t => {
  const store = await openStore(t, { path: join(temporaryFolder(t), 'a.db') })
  const downloads = MAX_WATCHED / MAX_WATCHED_OF_ONE + 1
  for (let n = 1; n <= downloads; n++) {
    await store.downloads.insert(makeDownload(n))
    const files = n === 1 ? MAX_WATCHED_OF_ONE + 3 : MAX_WATCHED_OF_ONE
    const notes = Array.from({ length: files }, (_, file) =>
      noteOf({ infoHash: hashOf(n), file, atMs: n * 10_000 + file }),
    )
    for (let at = 0; at < notes.length; at += 500)
      await Promise.all(notes.slice(at, at + 500).map(note => store.watching.note(note)))
    if (n > 1) continue
    const rows = await store.watching.of(hashOf(1))
    assert.equal(rows.length, MAX_WATCHED_OF_ONE)
    assert.equal(rows[0]?.file, 3, 'those that were played longest ago are gone')
  }
  assert.equal((await store.watching.recent(2 * MAX_WATCHED)).length, MAX_WATCHED)
  assert.deepEqual(await store.watching.of(hashOf(1)), [])
  assert.equal((await store.watching.recent(1))[0]?.infoHash, hashOf(downloads))
})
