// Downloads of v2 and hybrid torrents: one download by whatever name it is asked for, what is stored of it, and what is
// given out again.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseInfoHash } from '../../../src/base/ids.ts'
import { parseMagnet } from '../../../src/wire/metainfo/magnet.ts'
import { decodeInfo, decodeMetainfo } from '../../../src/wire/metainfo/metainfo.ts'
import { missingLayers } from '../../../src/wire/metainfo/piece-layers.ts'
import type { Metainfo } from '../../../src/wire/metainfo/torrent-types.ts'
import { makeV2Torrent } from '../../kit/content/make-v2-torrent.ts'
import { type DownloadsBench, FakeTorrent, MemoryRecords, startDownloads } from './service-doubles.ts'

const FILES = [
  { path: 'a', length: 200_000 },
  { path: 'b', length: 5 },
]
const hybrid = makeV2Torrent({ files: FILES, hybrid: true, announce: 'http://t.example/a' })
const v1 = parseInfoHash(hybrid.v1Hash) ?? assert.fail()
const short = parseInfoHash(hybrid.v2Hash.slice(0, 40)) ?? assert.fail()
const btih = `xt=urn:btih:${v1}`
const btmh = `xt=urn:btmh:1220${hybrid.v2Hash}`

function torrentOf({ engine }: DownloadsBench, infoHash = v1): FakeTorrent {
  const torrent = engine.torrents.get(infoHash)
  assert.ok(torrent instanceof FakeTorrent)
  return torrent
}

function add({ downloads }: DownloadsBench, uri: string): Promise<{ infohash: string }> {
  return downloads.add({ uri, safe_seeding: false })
}

async function isThere(bench: DownloadsBench, name: string): Promise<boolean> {
  return bench.downloads.magnet(name).then(
    () => true,
    () => false,
  )
}

test('a hybrid is one download, whichever of its hashes names it', async () => {
  const bench = await startDownloads()
  await bench.downloads.addFile(hybrid.torrent, {})
  for (const name of [v1, hybrid.v2Hash, hybrid.v2Hash.toUpperCase()]) assert.equal(await isThere(bench, name), true)
  assert.equal((await add(bench, `magnet:?${btmh}&tr=http://other.example/a`)).infohash, v1)
  assert.equal((await add(bench, `magnet:?${btih}&${btmh}`)).infohash, v1)
  assert.equal(bench.engine.torrents.size, 1)
  assert.deepEqual(torrentOf(bench).tiers, [['http://t.example/a'], ['http://other.example/a']])
  assert.ok(bench.downloads.has(short))
  await bench.downloads.remove(hybrid.v2Hash, false)
  assert.deepEqual([await isThere(bench, v1), await isThere(bench, hybrid.v2Hash)], [false, false])
  assert.equal((await add(bench, `magnet:?${btmh}`)).infohash, short)
})

test('one that was found by v2 is known by v1 too once its metadata is here, also after a restart', async () => {
  const bench = await startDownloads()
  await add(bench, `magnet:?${btmh}`)
  assert.equal(torrentOf(bench, short).spec.infoHashV2, hybrid.v2Hash)
  const metainfo = decodeInfo(hybrid.info, [], { knownAs: short })
  await bench.downloads.engineEvents.metadata(short, metainfo)
  const again = await startDownloads(bench.records)
  for (const one of [bench, again]) {
    assert.equal((await add(one, `magnet:?${btih}`)).infohash, short)
    assert.equal(one.engine.torrents.size, 1)
    const { magnet } = await one.downloads.magnet(v1)
    const { infoHash, infoHashV2 } = parseMagnet(magnet)
    assert.deepEqual([infoHash, infoHashV2], [v1, hybrid.v2Hash])
  }
  assert.equal(torrentOf(again, short).spec.metainfo?.infoHash, short, 'it stays known by what it was')
})

test('two who add the same hybrid at once by other names get one download', async () => {
  const bench = await startDownloads()
  const added = await Promise.all([
    bench.downloads.addFile(hybrid.torrent, {}),
    add(bench, `magnet:?${btmh}`),
    add(bench, `magnet:?${btih}&${btmh}`),
  ])
  assert.equal(new Set(added.map(one => one.infohash)).size, 1)
  assert.equal(bench.engine.torrents.size, 1)
})

test('two magnets that turn out to be one torrent: the second fails with that, and writes nothing', async () => {
  const bench = await startDownloads()
  await add(bench, `magnet:?${btih}`)
  await add(bench, `magnet:?${btmh}`)
  await bench.downloads.engineEvents.metadata(v1, decodeMetainfo(hybrid.torrent))
  const metainfo = decodeInfo(hybrid.info, [], { knownAs: short })
  await assert.rejects(bench.downloads.engineEvents.metadata(short, metainfo), {
    code: 'StateConflict',
    message: `This is the torrent of another download: ${v1}.`,
  })
  assert.equal(bench.records.rows.get(short)?.infoBytes, null)
})

test('piece layers are stored with a file, with metadata and when they come later; exports are whole', async () => {
  const whole = (metainfo: Metainfo | null | undefined): boolean => {
    assert.ok(metainfo?.v2)
    return missingLayers(metainfo.v2).length === 0
  }
  const bench = await startDownloads()
  await add(bench, `magnet:?${btih}`)
  const bare = decodeInfo(hybrid.info, [])
  await bench.downloads.engineEvents.metadata(v1, bare)
  assert.equal(bench.records.rows.get(v1)?.pieceLayers, null)
  const full = decodeMetainfo(hybrid.torrent)
  bench.downloads.engineEvents.layersKnown?.(v1, full)
  await bench.downloads.stop()
  assert.deepEqual(Buffer.from(bench.records.rows.get(v1)?.pieceLayers ?? []), Buffer.from(hybrid.layers))
  const again = await startDownloads(bench.records)
  assert.equal(whole(torrentOf(again).spec.metainfo), true)
  assert.equal(whole(decodeMetainfo(await again.downloads.torrentFile(hybrid.v2Hash))), true)

  const file = await startDownloads()
  await file.downloads.addFile(hybrid.torrent, {})
  assert.deepEqual(Buffer.from(file.records.rows.get(v1)?.pieceLayers ?? []), Buffer.from(hybrid.layers))
})

test('piece layers that are damaged in the records count as none', async () => {
  const records = new MemoryRecords()
  const bench = await startDownloads(records)
  await bench.downloads.addFile(hybrid.torrent, {})
  await records.update(v1, { pieceLayers: Buffer.from('rubbish') })
  const v2 = torrentOf(await startDownloads(records)).spec.metainfo?.v2
  assert.ok(v2)
  assert.equal(missingLayers(v2).length, 1)
})

test('a row of an older version learns its v2 hash from its metadata', async () => {
  const records = new MemoryRecords()
  const bench = await startDownloads(records)
  await bench.downloads.addFile(hybrid.torrent, {})
  await records.update(v1, { infoHashV2: null, pieceLayers: null })
  const again = await startDownloads(records)
  assert.equal(await isThere(again, hybrid.v2Hash), true)
  for await (const record of again.downloads.list({ peers: false, pieces: false, files: false })) {
    assert.equal(record.infohash_v2, hybrid.v2Hash)
  }
})

test("web seeds and super-seeding are the engine's after a restart too, and in exports", async () => {
  const bench = await startDownloads()
  await add(bench, `magnet:?${btih}&ws=http://seed.example/a/`)
  await bench.downloads.patch(v1, { super_seeding: true })
  await bench.downloads.engineEvents.metadata(v1, decodeMetainfo(hybrid.torrent))
  const again = await startDownloads(bench.records)
  const { spec } = torrentOf(again)
  assert.deepEqual(spec.webSeeds, ['http://seed.example/a/'])
  assert.equal(spec.controls?.superSeeding, true)
  assert.deepEqual(parseMagnet((await again.downloads.magnet(v1)).magnet).webSeeds, ['http://seed.example/a/'])
  assert.deepEqual(decodeMetainfo(await again.downloads.torrentFile(v1)).webSeeds, ['http://seed.example/a/'])
})
