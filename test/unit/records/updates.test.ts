// Rows of updated torrents, through the real thread and file.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { FollowedKey, PublishedTorrent } from '../../../src/ports/update-records.ts'
import { hashOf, openStore, temporaryFolder } from './records-kit.ts'

const BIG = 2n ** 63n - 1n

const empty: FollowedKey = {
  target: 'ab'.repeat(20),
  publicKey: 'cd'.repeat(32),
  salt: '',
  uri: 'magnet:?xs=urn:btpk:x',
  request: '{"destination":"/data/ü"}',
  addedAtMs: 5,
  held: null,
  versions: [],
}

const full: FollowedKey = {
  ...empty,
  held: { seq: BIG, value: new Uint8Array([100, 101]), signature: new Uint8Array(64).fill(1) },
  versions: [
    { infoHash: hashOf(1), seq: null, takenAtMs: 1 },
    { infoHash: hashOf(2), seq: BIG, takenAtMs: 2 },
  ],
}

const published: PublishedTorrent = {
  name: 'dataset ü',
  infoHash: hashOf(3),
  seq: BIG,
  value: new Uint8Array([100, 101]),
  signature: new Uint8Array(64).fill(2),
  publishedAtMs: 9,
}

test('what is followed and published comes back after a restart, with numbers of 63 bits', async t => {
  const path = join(temporaryFolder(t), 'a.db')
  const first = await openStore(t, { path })
  const other = { ...empty, target: 'ef'.repeat(20), addedAtMs: 4 }
  await first.updates.keepFollowed(empty)
  await first.updates.keepFollowed(other)
  await first.updates.keepFollowed(full)
  await first.updates.keepPublished({ ...published, seq: 1n })
  await first.updates.keepPublished(published)
  await first.updates.keepPublished({ ...published, name: 'gone' })
  await first.updates.dropPublished('gone')
  await first.close(5000)
  const store = await openStore(t, { path })
  assert.deepEqual(await store.updates.followed(), [other, full])
  assert.deepEqual(await store.updates.published(), [published])
  await store.updates.dropFollowed(other.target)
  await store.updates.dropFollowed('none')
  assert.deepEqual(await store.updates.followed(), [full])
})
