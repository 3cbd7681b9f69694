// What a suspended torrent is woken from: one loading gives metadata, notes and progress.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { join } from 'node:path'
import { StoredTorrentContents } from '../../../src/records/torrent-contents.ts'
import { decodeMetainfo } from '../../../src/wire/metainfo/metainfo.ts'
import { makeTorrent } from '../../kit/content/make-torrent.ts'
import { bitsOf, hashOf, makeDownload, openStore, temporaryFolder } from './records-kit.ts'

const made = makeTorrent({ length: 100_000, pieceLength: 16_384, announce: [['http://t.example/announce']] })
const { infoHash } = made
const notes = { comment: 'c', createdBy: 'me', creationDateSec: 5 }

test('metadata, notes and progress come as they were stored; trackers do not', async t => {
  const store = await openStore(t, { path: join(temporaryFolder(t), 'a.db') })
  const { pieceCount } = decodeMetainfo(made.torrent)
  await store.downloads.insert(makeDownload(1, { infoHash, infoBytes: made.info, pieceCount, notes }))
  const have = bitsOf(pieceCount, [0, 3])
  await store.progress.checkpoint(infoHash, have, [])
  const found = await new StoredTorrentContents(store.downloads, store.progress).load(infoHash)
  assert.ok(found)
  const { infoBytes, ...rest } = decodeMetainfo(made.torrent)
  const { infoBytes: loadedBytes, ...loaded } = found.metainfo
  assert.deepEqual(Buffer.from(loadedBytes), Buffer.from(infoBytes))
  assert.deepEqual(loaded, { ...rest, announceTiers: [], ...notes })
  assert.deepEqual(Buffer.from(found.resume?.have ?? []), Buffer.from(have))
})

test('nothing is loaded of a download without metadata, nor of one that is not there', async t => {
  const store = await openStore(t, { path: join(temporaryFolder(t), 'a.db') })
  await store.downloads.insert(makeDownload(1, { infoBytes: null, pieceCount: 0 }))
  const contents = new StoredTorrentContents(store.downloads, store.progress)
  assert.equal(await contents.load(hashOf(1)), null)
  assert.equal(await contents.load(hashOf(2)), null)
})

test('metadata that is damaged in the records rejects', async t => {
  const store = await openStore(t, { path: join(temporaryFolder(t), 'a.db') })
  await store.downloads.insert(makeDownload(1, { infoBytes: Buffer.from('rubbish') }))
  await assert.rejects(new StoredTorrentContents(store.downloads, store.progress).load(hashOf(1)))
})
