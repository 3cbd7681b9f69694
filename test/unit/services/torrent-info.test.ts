// GET /torrentinfo: files and downloads answer at once, magnets by a preview that leaves nothing behind.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError, type ErrorCode } from '../../../src/base/errors.ts'
import type { DiscoveredMetadata } from '../../../src/ports/discovered-metadata.ts'
import { TorrentInfo } from '../../../src/services/downloads/torrent-info.ts'
import { decodeMetainfo } from '../../../src/wire/metainfo/metainfo.ts'
import { makeTorrent } from '../../kit/content/make-torrent.ts'
import { waitFor } from '../../kit/wait-for.ts'
import { type DownloadsBench, startDownloads } from './service-doubles.ts'

const made = makeTorrent({ name: 'file.bin', announce: [['http://t.example/announce']] })
const metainfo = decodeMetainfo(made.torrent)
const magnet = `magnet:?xt=urn:btih:${made.infoHash}&tr=udp%3A%2F%2Ft.example%3A80`
const refuses = (code: ErrorCode) => (error: unknown) => error instanceof AppError && error.code === code

function infoOver(bench: DownloadsBench): TorrentInfo {
  return new TorrentInfo({ clock: bench.clock, previews: bench.previews, downloads: bench.downloads })
}

/** The engine found the metadata of the preview and asks whether to go on. */
function found(bench: DownloadsBench): Promise<void> {
  return bench.downloads.engineEvents.metadata(made.infoHash, metainfo)
}

const inEngine = (bench: DownloadsBench) => waitFor('the preview', () => bench.engine.torrents.has(made.infoHash))
const { signal } = new AbortController()

interface Shown {
  readonly announce: string
  readonly info: { readonly name: string; readonly length: number; readonly pieces: string }
}
const shownIn = (parts: readonly Uint8Array[]): Shown => JSON.parse(Buffer.concat(parts).toString()) as Shown

test('a torrent file is shown as JSON', async () => {
  const bench = await startDownloads()
  bench.sources.set('/x.torrent', made.torrent)
  const answer = await infoOver(bench).read('/x.torrent', signal)
  assert.equal(answer.infohash, made.infoHash)
  assert.equal(answer.download_exists, false)
  const shown = shownIn(answer.metainfo)
  assert.equal(shown.announce, 'http://t.example/announce')
  assert.deepEqual([shown.info.name, shown.info.length], ['file.bin', 100_000])
  assert.match(shown.info.pieces, /^[0-9a-f]{160}$/)
})

test('metadata of an earlier run is answered from the store, and used by a download', async () => {
  const kept = new Map<string, Uint8Array>()
  const stored: DiscoveredMetadata = {
    get: async infoHash => kept.get(infoHash) ?? null,
    keep: async (infoHash, infoBytes) => void kept.set(infoHash, infoBytes),
  }
  const first = await startDownloads()
  first.previews.start(first.engine, stored)
  const answer = infoOver(first).read(magnet, signal)
  await inEngine(first)
  const held = assert.rejects(found(first), refuses('Aborted'))
  const { metainfo: shown } = await answer
  await held
  assert.deepEqual([...kept.keys()], [made.infoHash])

  const second = await startDownloads()
  second.previews.start(second.engine, stored)
  assert.deepEqual((await infoOver(second).read(magnet, signal)).metainfo, shown)
  assert.deepEqual(second.engine.log, [], 'nothing was fetched')

  const third = await startDownloads()
  third.previews.start(third.engine, stored)
  await third.downloads.add({ uri: magnet })
  assert.equal(third.records.rows.get(made.infoHash)?.pieceCount, metainfo.pieceCount)

  // What is no metadata of that hash counts as none.
  kept.set(made.infoHash, Buffer.from('d4:name1:xe'))
  const fourth = await startDownloads()
  fourth.previews.start(fourth.engine, stored)
  const again = infoOver(fourth).read(magnet, signal)
  await inEngine(fourth)
  const heldAgain = assert.rejects(found(fourth), refuses('Aborted'))
  await Promise.all([again, heldAgain])
})

test('a magnet: a preview in the engine, gone afterwards, remembered for five minutes', async () => {
  const bench = await startDownloads()
  const info = infoOver(bench)
  const both = [info.read(magnet, signal), info.read(magnet, signal)]
  await inEngine(bench)
  const held = assert.rejects(found(bench), refuses('Aborted'), 'the engine never goes on to make files')
  const [answer] = await Promise.all(both)
  await held
  assert.equal(shownIn(answer?.metainfo ?? []).info.name, 'file.bin')
  assert.deepEqual(bench.engine.log, [`add ${made.infoHash.slice(0, 4)}`, `remove ${made.infoHash.slice(0, 4)} false`])
  assert.equal(bench.records.rows.size, 0)
  await info.read(magnet, signal)
  assert.equal(bench.engine.log.length, 2, 'answered from memory')
  bench.clock.advance(5 * 60_000 + 1)
  const again = info.read(magnet, signal)
  await inEngine(bench)
  await Promise.all([found(bench).catch(() => undefined), again])
  assert.equal(bench.engine.log.length, 4)
})

test('nothing found: 408 after a minute, and no torrent stays behind', async () => {
  const bench = await startDownloads()
  const late = infoOver(bench).read(magnet, signal)
  await inEngine(bench)
  bench.clock.advance(60_001)
  await assert.rejects(late, refuses('MetadataTimeout'))
  assert.equal(bench.engine.torrents.size, 0)
  assert.equal(bench.previews.owns(made.infoHash), false)
})

test('a client that goes away ends its preview, but not that of another', async () => {
  const bench = await startDownloads()
  const info = infoOver(bench)
  const [first, second] = [new AbortController(), new AbortController()]
  const one = info.read(magnet, first.signal)
  const two = info.read(magnet, second.signal)
  await inEngine(bench)
  first.abort()
  await assert.rejects(one, refuses('Aborted'))
  assert.equal(bench.engine.torrents.size, 1)
  second.abort()
  await assert.rejects(two, refuses('Aborted'))
  assert.equal(bench.engine.torrents.size, 0)
})

test('a known download answers; download_exists says so', async () => {
  const bench = await startDownloads()
  bench.sources.set('/x.torrent', made.torrent)
  await bench.downloads.add({ uri: '/x.torrent' })
  const answer = await infoOver(bench).read(magnet, signal)
  assert.equal(answer.download_exists, true)
  assert.equal(bench.engine.log.length, 1)
})

test('a PUT takes the place of a preview, and the preview goes on with the download', async () => {
  const bench = await startDownloads()
  const asked = infoOver(bench).read(magnet, signal)
  await inEngine(bench)
  await bench.downloads.add({ uri: magnet })
  assert.equal(bench.engine.log.length, 3)
  const torrent = bench.engine.torrents.get(made.infoHash)
  const learned = waitFor('the question', () => {
    torrent?.learn(metainfo)
    return !bench.previews.owns(made.infoHash)
  })
  await learned
  assert.equal((await asked).download_exists, true)
})

test('metadata of a preview saves the download its search', async () => {
  const bench = await startDownloads()
  const asked = infoOver(bench).read(magnet, signal)
  await inEngine(bench)
  await Promise.all([found(bench).catch(() => undefined), asked])
  await bench.downloads.add({ uri: magnet })
  const { spec } = bench.engine.torrents.get(made.infoHash) ?? assert.fail()
  assert.equal(spec.metainfo?.infoHash, made.infoHash)
  assert.deepEqual(spec.announceTiers, [['udp://t.example:80']])
})

test('previews are bounded, and end with the node', async () => {
  const bench = await startDownloads()
  const info = infoOver(bench)
  const many = Array.from({ length: 9 }, (_, i) => info.read(`magnet:?xt=urn:btih:${String(i).repeat(40)}`, signal))
  await assert.rejects(many[8] ?? assert.fail(), refuses('TooManyRequests'))
  const rest = Promise.allSettled(many)
  await bench.previews.stop()
  for (const result of (await rest).slice(0, 8)) assert.equal(result.status, 'rejected')
  assert.equal(bench.engine.torrents.size, 0)
})

test('the metainfo behind a uri: as in the file; of a magnet with its own trackers; in time', async () => {
  const bench = await startDownloads()
  bench.sources.set('/x.torrent', made.torrent)
  const info = infoOver(bench)
  assert.equal((await info.metainfo('/x.torrent', 1_000, signal)).infoHash, made.infoHash)
  const late = info.metainfo(magnet, 1_000, signal)
  await inEngine(bench)
  const ended = assert.rejects(late, refuses('MetadataTimeout'))
  bench.clock.advance(1_000)
  await ended
  const wanted = info.metainfo(magnet, 1_000, signal)
  await inEngine(bench)
  const held = assert.rejects(found(bench), refuses('Aborted'))
  assert.deepEqual((await wanted).announceTiers, [['udp://t.example:80']])
  await held
})

test('the files of a torrent: without padding, named as those of a download are, before and after it is one', async () => {
  const bench = await startDownloads()
  const info = infoOver(bench)
  const pack = makeTorrent({
    name: 'Pack',
    files: [
      { path: 'a/one.bin', length: 10 },
      { path: 'two.bin', length: 20 },
    ],
  })
  const { files, ...shown } = await info.filesIn(pack.torrent)
  assert.deepEqual(
    [...files],
    [
      { index: 0, name: 'a/one.bin', size: 10 },
      { index: 1, name: 'two.bin', size: 20 },
    ],
  )
  assert.deepEqual(shown, { name: 'Pack', infohash: pack.infoHash, private: false, download_exists: false })
  bench.sources.set('/x.torrent', made.torrent)
  const single = await info.files('/x.torrent', signal)
  assert.deepEqual([...single.files], [{ index: 0, name: 'file.bin', size: 100_000 }])
  await assert.rejects(info.filesIn(Buffer.from('these are notes')), refuses('TorrentUnreadable'))
  await assert.rejects(info.files('ftp://x/', signal), refuses('BadScheme'))
})
