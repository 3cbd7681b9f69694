// What users ask of a download: checked whole, durable first, told to the engine, shown in the record; sent files,
// trackers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError, type ErrorCode } from '../../../src/base/errors.ts'
import type { DownloadRecord, FileRecord, PatchDownload } from '../../../src/services/api.ts'
import { choosePriorities, limitInForce } from '../../../src/services/downloads/download-controls.ts'
import type { Downloads } from '../../../src/services/downloads/downloads.ts'
import { makeTorrent } from '../../kit/content/make-torrent.ts'
import { type DownloadsBench, FakeTorrent, type MemoryRecords, startDownloads } from './service-doubles.ts'

const made = makeTorrent({
  files: [
    { path: 'a.bin', length: 40_000 },
    { path: 'b.bin', length: 70_000 },
    { path: 'c.bin', length: 0 },
  ],
  announce: [['http://t.example/announce'], ['http://u.example/announce']],
})
const refuses = (code: ErrorCode) => (error: unknown) => error instanceof AppError && error.code === code

interface Bench extends DownloadsBench {
  readonly torrent: FakeTorrent
  patch(change: PatchDownload): Promise<{ modified: boolean }>
}

async function bench(records?: MemoryRecords): Promise<Bench> {
  const made = await startDownloads(records)
  if (records === undefined) await made.downloads.addFile(torrentFile, {})
  const torrent = made.engine.torrents.get(infoHash)
  assert.ok(torrent instanceof FakeTorrent)
  return { ...made, torrent, patch: change => made.downloads.patch(infoHash, change) }
}

const { torrent: torrentFile, infoHash } = made

async function record(downloads: Downloads): Promise<DownloadRecord & { files: FileRecord[] }> {
  for await (const { files, ...rest } of downloads.list({ peers: false, pieces: false, files: true })) {
    return { ...rest, files: [...(files ?? [])] }
  }
  return assert.fail('nothing is listed')
}

test('a torrent file that is sent is added with what was asked for', async () => {
  const { downloads, records, engine } = await startDownloads()
  const answer = await downloads.addFile(torrentFile, {
    destination: '/data/x',
    labels: [' films ', 'films', 'new'],
    max_upload_speed: 500,
    file_priorities: [0, 7],
    sequential: true,
    seeding_ratio: 1.5,
  })
  assert.deepEqual(answer, { started: true, infohash: infoHash })
  const row = records.rows.get(infoHash)
  assert.equal(row?.sourceUri, '')
  assert.deepEqual(row?.selectedFiles, [1, 2])
  assert.deepEqual(row?.controls, {
    maxDownloadRate: 0,
    maxUploadRate: 500,
    seedingRatio: 1.5,
    seedingMinutes: null,
    filePriorities: [[1, 7]],
    sequential: true,
    superSeeding: false,
    overwrite: false,
    watchAndForget: false,
    labels: ['films', 'new'],
  })
  const { spec } = engine.torrents.get(infoHash) as FakeTorrent
  assert.deepEqual(spec.controls?.filePriorities, new Map([[1, 7]]))
  assert.equal(spec.controls?.maxUploadRate, 500)
  await assert.rejects(downloads.addFile(Buffer.from('no torrent'), {}), refuses('TorrentUnreadable'))
  await assert.rejects(downloads.addFile(torrentFile, { anon_hops: 1 }), refuses('CircuitsUnavailable'))
})

test('priorities of a magnet whose files are not known are refused, and nothing is added', async () => {
  const { downloads, records } = await startDownloads()
  const uri = `magnet:?xt=urn:btih:${infoHash}`
  await assert.rejects(downloads.add({ uri, file_priorities: [1] }), refuses('MetadataNotFound'))
  assert.equal(records.rows.size, 0)
  await downloads.add({ uri, labels: ['later'] })
  assert.deepEqual(records.rows.get(infoHash)?.controls?.labels, ['later'])
})

test('limits: the record shows the lower of both, 0 = none', async () => {
  assert.deepEqual(
    [limitInForce(0, 0), limitInForce(5, 0), limitInForce(0, 7), limitInForce(5, 7), limitInForce(9, 7)],
    [0, 5, 7, 5, 7],
  )
  const { downloads, torrent, patch } = await bench()
  await patch({ max_download_speed: 200, max_upload_speed: 300 })
  assert.deepEqual([torrent.controls?.maxDownloadRate, torrent.controls?.maxUploadRate], [200, 300])
  const shown = await record(downloads)
  assert.deepEqual([shown.max_download_speed, shown.max_upload_speed], [200, 300])
  await patch({ max_download_speed: 5000, max_upload_speed: 0 })
  const after = await record(downloads)
  assert.deepEqual([after.max_download_speed, after.max_upload_speed], [1000, 0])
})

test('controls are durable before they are answered, and the engine has them after a restart', async () => {
  const first = await bench()
  await first.patch({ sequential: true, labels: ['a'], seeding_time: 30, file_priorities: [-1, 2] })
  const second = await bench(first.records)
  assert.equal(second.torrent.spec.controls?.sequential, true)
  assert.deepEqual(second.torrent.spec.controls?.filePriorities, new Map([[1, 2]]))
  const shown = await record(second.downloads)
  assert.deepEqual([shown.sequential, shown.labels, shown.seeding_time, shown.seeding_ratio], [true, ['a'], 30, -2])
  assert.deepEqual(
    shown.files.map(file => file.priority),
    [4, 2, 4],
  )
})

test('what the store refuses the engine does not hear', async () => {
  const { records, torrent, patch } = await bench()
  records.failWith = new AppError('DiskFull')
  await assert.rejects(patch({ max_upload_speed: 7 }), refuses('DiskFull'))
  assert.equal(torrent.controls, null)
  assert.deepEqual(torrent.calls, [])
})

test('priority 0 deselects, any other selects; a selection of the same request comes first', async () => {
  const { downloads, records, torrent, patch } = await bench()
  await patch({ file_priorities: [0] })
  assert.deepEqual(torrent.selectedFiles, [1, 2])
  assert.deepEqual(
    (await record(downloads)).files.map(file => file.priority),
    [0, 4, 4],
  )
  await patch({ selected_files: [0], file_priorities: [-1, 7] })
  assert.deepEqual(torrent.selectedFiles, [0, 1])
  await patch({ selected_files: [0] })
  assert.deepEqual(records.rows.get(infoHash)?.controls?.filePriorities, [[1, 7]], 'remembered while it is deselected')
  await patch({ file_priorities: [4, 4, 4] })
  assert.equal(torrent.selectedFiles, null)
  assert.deepEqual(records.rows.get(infoHash)?.controls?.filePriorities, [])
})

test('choosePriorities: the bounds', () => {
  const all = { selectedFiles: null, filePriorities: [] }
  assert.throws(() => choosePriorities(all, [1, 1], 1), refuses('InvalidParameter'))
  assert.throws(() => choosePriorities(all, [8], 1), refuses('InvalidParameter'))
  assert.throws(() => choosePriorities(all, [1.5], 1), refuses('InvalidParameter'))
  assert.throws(() => choosePriorities(all, [1], null), refuses('MetadataNotFound'))
  assert.deepEqual(choosePriorities(all, [], 3), { selectedFiles: null, filePriorities: [] })
  assert.deepEqual(choosePriorities(all, [0, 0, 0], 3), { selectedFiles: [], filePriorities: [] })
})

test('a request with one wrong value changes nothing', async () => {
  const { records, torrent, patch } = await bench()
  const wrong: PatchDownload[] = [
    { selected_files: [0], file_priorities: [1, 1, 1, 1] },
    { selected_files: [9], labels: ['x'] },
    { sequential: true, labels: ['a,b'] },
    { sequential: true, labels: ['x'.repeat(65)] },
    { sequential: true, labels: Array.from({ length: 33 }, (_, n) => `l${n}`) },
    { sequential: true, labels: ['line\nbreak'] },
    { sequential: true, seeding_ratio: -1.5 },
    { anon_hops: 0, labels: [] },
  ]
  for (const change of wrong) await assert.rejects(patch(change), refuses('InvalidParameter'), JSON.stringify(change))
  assert.equal(records.rows.get(infoHash)?.controls, null)
  assert.equal(records.rows.get(infoHash)?.selectedFiles, null)
  assert.deepEqual(torrent.calls, [])
})

test('trackers are added, taken away and asked; what is answered is durable', async () => {
  const { downloads, records, torrent } = await bench()
  const other = 'udp://v.example:6969/announce'
  assert.equal(await downloads.addTracker(infoHash, other), true)
  assert.equal(await downloads.addTracker(infoHash, other), false)
  assert.deepEqual(records.rows.get(infoHash)?.announceTiers.flat().at(-1), other)
  assert.equal(await downloads.removeTracker(infoHash, 'http://t.example/announce'), true)
  assert.equal(await downloads.removeTracker(infoHash, 'http://t.example/announce'), false)
  assert.deepEqual(records.rows.get(infoHash)?.announceTiers, [['http://u.example/announce'], [other]])
  assert.deepEqual(torrent.tiers, [['http://u.example/announce'], [other]])
  assert.equal(await downloads.forceAnnounce(infoHash), true)
  assert.equal(await downloads.forceAnnounce(infoHash, other), true)
  assert.equal(await downloads.forceAnnounce(infoHash, 'http://nobody.example/'), false)
  assert.deepEqual(torrent.calls, ['announce all', `announce ${other}`, 'announce http://nobody.example/'])
  for (const url of ['ftp://x/', 'wss://x/', 'nonsense', `http://x/${'y'.repeat(3000)}`]) {
    await assert.rejects(downloads.addTracker(infoHash, url), refuses('InvalidParameter'), url)
  }
})

test('a tracker gets another URL in its place, and another tier; durable before it is answered', async () => {
  const { downloads, records, torrent } = await bench()
  const [t, u, v] = ['http://t.example/announce', 'http://u.example/announce', 'udp://v.example:6969/announce'] as const
  const tiers = () => records.rows.get(infoHash)?.announceTiers
  await downloads.setTrackers(infoHash, [
    [t, u, t],
    [v, u],
  ])
  assert.equal(await downloads.changeTracker(infoHash, t, { newUrl: 'http://n.example/' }), true)
  assert.deepEqual(tiers(), [['http://n.example/', u], [v]])
  assert.equal(await downloads.changeTracker(infoHash, u, { tier: 1 }), true)
  assert.deepEqual(tiers(), [['http://n.example/'], [v, u]])
  assert.equal(await downloads.changeTracker(infoHash, v, { tier: 2 }), true)
  assert.deepEqual(tiers(), [['http://n.example/'], [u], [v]])
  assert.equal(await downloads.changeTracker(infoHash, v, { newUrl: t, tier: 0 }), true)
  assert.deepEqual(tiers(), [['http://n.example/', t], [u]])
  assert.deepEqual(torrent.tiers, tiers())
  assert.equal(await downloads.changeTracker(infoHash, u, { newUrl: u, tier: 1 }), false)
  const wrong: [string, { newUrl?: string; tier?: number }, 'InvalidParameter' | 'StateConflict'][] = [
    ['http://nobody.example/', { tier: 0 }, 'InvalidParameter'],
    [u, { tier: 3 }, 'InvalidParameter'],
    [u, { newUrl: 'ftp://x/' }, 'InvalidParameter'],
    [u, { newUrl: `http://x/${'y'.repeat(3000)}` }, 'InvalidParameter'],
    [u, { newUrl: t }, 'StateConflict'],
  ]
  for (const [url, change, code] of wrong) {
    await assert.rejects(downloads.changeTracker(infoHash, url, change), refuses(code), JSON.stringify([url, change]))
  }
  const many = Array.from({ length: 257 }, (_, n) => [`udp://t${n}.example:1`])
  await assert.rejects(downloads.setTrackers(infoHash, many), refuses('StateConflict'))
  assert.deepEqual(tiers(), [['http://n.example/', t], [u]])
})

test('a private torrent takes another passkey of its tracker, and no other host', async () => {
  const { downloads, records } = await startDownloads()
  const secret = makeTorrent({ private: true, announce: [['http://p.example/old/announce']] })
  await downloads.addFile(secret.torrent, {})
  const change = (newUrl: string) =>
    downloads.changeTracker(secret.infoHash, 'http://p.example/old/announce', { newUrl })
  for (const spy of ['http://spy.example/', 'http://p.example.spy.example/', 'http://p.example@spy.example/']) {
    await assert.rejects(change(spy), refuses('StateConflict'), spy)
    await assert.rejects(downloads.setTrackers(secret.infoHash, [[spy]]), refuses('StateConflict'), spy)
  }
  assert.equal(await change('https://p.example/new/announce'), true)
  assert.deepEqual(records.rows.get(secret.infoHash)?.announceTiers, [['https://p.example/new/announce']])
})

test('a private torrent takes no tracker, not even by hand', async () => {
  const { downloads } = await startDownloads()
  const secret = makeTorrent({ private: true, announce: [['http://p.example/announce']] })
  await downloads.addFile(secret.torrent, {})
  await assert.rejects(downloads.addTracker(secret.infoHash, 'http://spy.example/'), refuses('StateConflict'))
})
