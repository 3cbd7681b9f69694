// A torrent that was just made becomes a download: complete, with progress that was durable before the engine had it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../../src/base/errors.ts'
import type { InfoHash } from '../../../src/base/ids.ts'
import type { FileFacts } from '../../../src/ports/piece-store.ts'
import { decodeMetainfo } from '../../../src/wire/metainfo/metainfo.ts'
import { makeTorrent } from '../../kit/content/make-torrent.ts'
import { startDownloads } from './service-doubles.ts'

// 9 pieces: the last byte of the bits is not full.
const made = makeTorrent({ length: 9 * 32 * 1024, comment: 'x', announce: [['http://t.example/announce']] })
const metainfo = decodeMetainfo(made.torrent)
const facts: readonly FileFacts[] = [{ index: 0, exists: true, sizeBytes: metainfo.totalLength, mtimeMs: 5 }]

test('stored with metadata and notes, checkpointed, then in the engine with everything there', async () => {
  const bench = await startDownloads()
  const kept: [InfoHash, Uint8Array, readonly FileFacts[]][] = []
  const journal = {
    checkpoint: async (infoHash: InfoHash, have: Uint8Array, files: readonly FileFacts[]) => {
      assert.ok(bench.records.rows.has(infoHash), 'the row comes first')
      assert.equal(bench.engine.torrents.size, 0)
      kept.push([infoHash, have, files])
    },
  }
  const torrent = { metainfo, bytes: made.torrent, destination: '/data', facts, journal }
  assert.equal(await bench.downloads.addMade(torrent), true)
  const row = bench.records.rows.get(made.infoHash)
  assert.equal(row?.destination, '/data')
  assert.equal(row?.pieceCount, 9)
  assert.equal(row?.notes?.comment, 'x')
  assert.equal(row?.sourceUri, 'file:///data/file.bin')
  const spec = bench.engine.torrents.get(made.infoHash)?.spec
  assert.deepEqual(spec?.resume, { have: Uint8Array.of(0xff, 0x80), suspect: [], files: facts, newestMs: 0 })
  assert.equal(spec?.running, true)
  assert.deepEqual(kept, [[made.infoHash, Uint8Array.of(0xff, 0x80), facts]])
  assert.equal(bench.downloads.has(made.infoHash), true)
  // Once more: it is known.
  assert.equal(await bench.downloads.addMade(torrent), false)
  assert.equal(bench.engine.torrents.size, 1)
})

test('downloads that hide by default take no made torrent', async () => {
  const bench = await startDownloads()
  bench.settings.anonymityEnabled = true
  assert.throws(
    () => bench.downloads.checkAdding(),
    (error: unknown) => error instanceof AppError && error.code === 'CircuitsUnavailable',
  )
})
