// Downloads over doubles: what is answered, what is durable by then, what the engine was told.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError, type ErrorCode } from '../../../src/base/errors.ts'
import type { DownloadRecord, ListOptions } from '../../../src/services/api.ts'
import type { Downloads } from '../../../src/services/downloads/downloads.ts'
import { decodeMetainfo, encodeMetainfo } from '../../../src/wire/metainfo/metainfo.ts'
import { makeTorrent } from '../../kit/content/make-torrent.ts'
import { type DownloadsBench, FakeTorrent, startDownloads } from './service-doubles.ts'

const NOTHING = { peers: false, pieces: false, files: false }
const made = makeTorrent({
  files: [
    { path: 'a.bin', length: 40_000 },
    { path: 'b.bin', length: 70_000 },
    { path: 'c.bin', length: 0 },
  ],
  announce: [['http://t.example/announce']],
})
const magnet = `magnet:?xt=urn:btih:${made.infoHash}&dn=shown&tr=http%3A%2F%2Fother.example%2Fannounce`
const metainfo = decodeMetainfo(made.torrent)

const refuses = (code: ErrorCode) => (error: unknown) => error instanceof AppError && error.code === code

async function listed(downloads: Downloads, options: ListOptions): Promise<DownloadRecord[]> {
  const records: DownloadRecord[] = []
  for await (const { files, ...record } of downloads.list(options))
    records.push(files === undefined ? record : { ...record, files: [...files] })
  return records
}

async function withTorrent(): Promise<DownloadsBench & { torrent: FakeTorrent }> {
  const bench = await startDownloads()
  bench.sources.set('/x.torrent', made.torrent)
  await bench.downloads.add({ uri: '/x.torrent', destination: '/data/here' })
  return { ...bench, torrent: torrentOf(bench) }
}

function torrentOf(bench: DownloadsBench): FakeTorrent {
  const torrent = bench.engine.torrents.get(made.infoHash)
  assert.ok(torrent instanceof FakeTorrent)
  return torrent
}

test('a torrent that is in the engine without being a download gives way to one', async () => {
  const dropped: string[] = []
  const bench = await startDownloads(undefined, true, undefined, null, {
    owns: infoHash => infoHash === made.infoHash && dropped.length === 0,
    drop: async infoHash => void dropped.push(infoHash),
  })
  bench.sources.set('/x.torrent', made.torrent)
  await bench.downloads.add({ uri: '/x.torrent' })
  assert.deepEqual(dropped, [made.infoHash])
  assert.ok(torrentOf(bench).spec.running)
})

test('a torrent file is added: answered, stored with its metadata, running', async () => {
  const bench = await startDownloads()
  bench.sources.set('/x.torrent', made.torrent)
  const answer = await bench.downloads.add({ uri: '/x.torrent', selected_files: [1, 0, 1] })
  assert.deepEqual(answer, { started: true, infohash: made.infoHash })
  const row = bench.records.rows.get(made.infoHash)
  assert.deepEqual(row?.selectedFiles, [0, 1])
  assert.equal(row?.destination, '/data/default')
  assert.equal(row?.pieceCount, 4)
  assert.deepEqual(Buffer.from(row?.infoBytes ?? []), Buffer.from(made.info))
  const { spec } = torrentOf(bench)
  assert.equal(spec.running, true)
  assert.equal(spec.resume, null)
  assert.deepEqual(spec.announceTiers, [['http://t.example/announce']])
})

test('the record has every field of the interface and both pseudo trackers', async () => {
  const { downloads, torrent } = await withTorrent()
  torrent.have = new Uint8Array([0b10100000])
  const [record] = await listed(downloads, { peers: true, pieces: true, files: true })
  assert.deepEqual(record, {
    name: 'folder',
    infohash: made.infoHash,
    infohash_v2: null,
    progress: 0.25,
    queued: false,
    queue_order: 1,
    queue_position: 0,
    status: 'DLSTATUS_DOWNLOADING',
    size: 110_000,
    eta: 90,
    speed_down: 11,
    speed_up: 0,
    num_peers: 7,
    num_seeds: 3,
    num_connected_peers: 2,
    num_connected_seeds: 1,
    total_up: 0,
    total_down: 0,
    total_pieces: 4,
    ratio: 0,
    hops: 0,
    anon_download: false,
    safe_seeding: false,
    max_upload_speed: 0,
    max_download_speed: 1000,
    destination: '/data/here',
    availability: 1.5,
    error: '',
    time_added: 1_700_001_000,
    vod_mode: false,
    vod_prebuffering_progress: 0,
    vod_prebuffering_progress_consec: 0,
    labels: [],
    sequential: false,
    super_seeding: false,
    watch_and_forget: false,
    seeding_ratio: -2,
    seeding_time: -2,
    moving_to: '',
    time_finished: 0,
    time_scrubbed: 0,
    trackers: [
      { url: 'http://t.example/announce', status: 'Working', peers: 4 },
      { url: '[DHT]', status: 'Disabled', peers: 0 },
      { url: '[PeX]', status: 'Disabled', peers: 0 },
    ],
    files: [
      { index: 0, name: 'a.bin', size: 40_000, included: true, progress: 0, priority: 4 },
      { index: 1, name: 'b.bin', size: 70_000, included: true, progress: 0, priority: 4 },
      { index: 2, name: 'c.bin', size: 0, included: true, progress: 0, priority: 4 },
    ],
    peers: [],
    pieces: 'oA==',
  })
  const [plain] = await listed(downloads, NOTHING)
  assert.deepEqual(
    ['files', 'peers', 'pieces'].filter(name => name in (plain ?? {})),
    [],
  )
})

test('a known infohash answers 200, merges trackers and changes nothing else', async () => {
  const bench = await withTorrent()
  const answer = await bench.downloads.add({ uri: magnet, destination: '/elsewhere', selected_files: [0] })
  assert.deepEqual(answer, { started: true, infohash: made.infoHash })
  const row = bench.records.rows.get(made.infoHash)
  assert.deepEqual(row?.announceTiers, [['http://t.example/announce'], ['http://other.example/announce']])
  assert.equal(row?.destination, '/data/here')
  assert.equal(row?.selectedFiles, null)
  assert.equal(bench.engine.torrents.size, 1)
})

test('a private torrent takes no foreign trackers', async () => {
  const bench = await startDownloads()
  const secret = makeTorrent({ private: true, announce: [['http://p.example/announce']] })
  bench.sources.set('/p.torrent', secret.torrent)
  await bench.downloads.add({ uri: '/p.torrent' })
  await bench.downloads.add({ uri: `magnet:?xt=urn:btih:${secret.infoHash}&tr=http%3A%2F%2Fspy.example%2Fannounce` })
  assert.deepEqual(bench.engine.torrents.get(secret.infoHash)?.tiers, [['http://p.example/announce']])
})

test('two PUTs at once add one torrent', async () => {
  const bench = await startDownloads()
  const answers = await Promise.all([bench.downloads.add({ uri: magnet }), bench.downloads.add({ uri: magnet })])
  assert.deepEqual(answers[0], answers[1])
  assert.equal(bench.engine.log.length, 1)
})

test('what cannot be stored is not added', async () => {
  const bench = await startDownloads()
  bench.records.failWith = new AppError('DiskFull')
  await assert.rejects(bench.downloads.add({ uri: magnet }), refuses('DiskFull'))
  assert.equal(bench.engine.torrents.size, 0)
  assert.deepEqual(await listed(bench.downloads, NOTHING), [])
})

test('uris that cannot be used are refused with their code', async () => {
  const bench = await startDownloads()
  bench.sources.set('http://x.example/t', Buffer.from('<html>'))
  const cases: [string, ErrorCode][] = [
    ['ftp://x.example/t', 'BadScheme'],
    ['relative/path.torrent', 'BadScheme'],
    ['magnet:?dn=nothing', 'BadMagnet'],
    ['http://x.example/t', 'TorrentUnreadable'],
    ['http://x.example/missing', 'SourceFailed'],
    ['file://host/x.torrent', 'TorrentUnreadable'],
  ]
  for (const [uri, code] of cases) await assert.rejects(bench.downloads.add({ uri }), refuses(code), uri)
  bench.badFolders.add('/bad')
  await assert.rejects(bench.downloads.add({ uri: magnet, destination: '/bad' }), refuses('InvalidParameter'))
  assert.deepEqual(bench.engine.log, [])
})

test('the destination is looked at while the torrent is read, and made once that is known', async () => {
  const bench = await startDownloads()
  bench.sources.set('/a.torrent', Buffer.from('no torrent'))
  bench.sources.set('/b.torrent', encodeMetainfo(metainfo))
  bench.sources.set('http://x.example/t', encodeMetainfo(metainfo))
  const stepsOf = async (uri: string): Promise<string[]> => {
    bench.steps.splice(0)
    await bench.downloads.add({ uri, destination: '/to' }).catch(() => undefined)
    return [...bench.steps]
  }
  assert.deepEqual(await stepsOf('/a.torrent'), ['look', 'read'])
  // Another host may take its time: a look would be old by then.
  assert.deepEqual(await stepsOf('http://x.example/t'), ['read', 'look', 'prepare'])
  assert.deepEqual(await stepsOf('/b.torrent'), ['look', 'read'], 'it is there already')
  await bench.downloads.remove(metainfo.infoHash, false)
  assert.deepEqual(await stepsOf('/b.torrent'), ['look', 'read', 'prepare'])
})

test('anonymous downloads: checked first, then refused while there are no circuits', async () => {
  const bench = await startDownloads()
  const add = (more: object) => bench.downloads.add({ uri: magnet, ...more })
  await assert.rejects(add({ anon_hops: 4, safe_seeding: true }), refuses('InvalidParameter'))
  await assert.rejects(add({ anon_hops: 1, safe_seeding: false }), refuses('SafeSeedingRequired'))
  await assert.rejects(add({ anon_hops: 1 }), refuses('CircuitsUnavailable'))
  bench.settings.safeSeedingEnabled = false
  await assert.rejects(add({ anon_hops: 1 }), refuses('SafeSeedingRequired'))
  bench.settings.anonymityEnabled = true
  await assert.rejects(add({ safe_seeding: true }), refuses('CircuitsUnavailable'))
  assert.equal(bench.records.rows.size, 0)
  await add({ anon_hops: 0 })
  assert.equal((await listed(bench.downloads, NOTHING))[0]?.safe_seeding, false)
})

test('PATCH anon_hops stands alone; 0 works, more waits for circuits', async () => {
  const { downloads } = await withTorrent()
  const patch = (change: object) => downloads.patch(made.infoHash, change)
  await assert.rejects(patch({ anon_hops: 0, state: 'stop' }), refuses('InvalidParameter'))
  await assert.rejects(patch({ anon_hops: 9 }), refuses('InvalidParameter'))
  await assert.rejects(patch({ anon_hops: 2 }), refuses('CircuitsUnavailable'))
  assert.deepEqual(await patch({ anon_hops: 0 }), { infohash: made.infoHash, modified: true })
  assert.deepEqual(await patch({}), { infohash: made.infoHash, modified: false })
})

test('stop and resume are durable before they are answered', async () => {
  const { downloads, records, torrent } = await withTorrent()
  await downloads.patch(made.infoHash, { state: 'stop' })
  assert.equal(records.rows.get(made.infoHash)?.userStopped, true)
  assert.equal(torrent.status, 'stopped')
  await downloads.patch(made.infoHash, { state: 'resume' })
  assert.equal(records.rows.get(made.infoHash)?.userStopped, false)
  assert.deepEqual(torrent.calls, ['stop', 'resume'])
})

test('a recheck is answered once it is durable, and refused when it could not begin', async () => {
  const { downloads, torrent } = await withTorrent()
  let begun: () => void = () => undefined
  torrent.recheck = given =>
    new Promise(() => {
      begun = given ?? begun
    })
  let answered = false
  const answer = downloads.patch(made.infoHash, { state: 'recheck' }).then(() => {
    answered = true
  })
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
  assert.equal(answered, false)
  begun()
  await answer
  torrent.recheck = () => Promise.reject(new AppError('DiskError'))
  await assert.rejects(downloads.patch(made.infoHash, { state: 'recheck' }), refuses('DiskError'))
})

test('files come before state, and a bad index changes nothing', async () => {
  const { downloads, records, torrent } = await withTorrent()
  await downloads.patch(made.infoHash, { selected_files: [2, 1], state: 'recheck' })
  assert.deepEqual(torrent.calls, ['select 1,2', 'recheck'])
  assert.deepEqual(records.rows.get(made.infoHash)?.selectedFiles, [1, 2])
  await assert.rejects(
    downloads.patch(made.infoHash, { selected_files: [3], state: 'stop' }),
    refuses('InvalidParameter'),
  )
  assert.deepEqual(torrent.calls.length, 2)
  assert.deepEqual(records.rows.get(made.infoHash)?.selectedFiles, [1, 2])
})

test('a magnet keeps its metadata before the engine goes on, and drops indexes it does not have', async () => {
  const bench = await startDownloads()
  await bench.downloads.add({ uri: `${magnet}&so=1,7` })
  assert.deepEqual(bench.records.rows.get(made.infoHash)?.selectedFiles, [1, 7])
  assert.equal((await listed(bench.downloads, NOTHING))[0]?.status, 'DLSTATUS_METADATA')
  assert.equal((await listed(bench.downloads, NOTHING))[0]?.name, 'shown')
  await assert.rejects(bench.downloads.torrentFile(made.infoHash), refuses('MetadataNotFound'))
  await assert.rejects(bench.downloads.patch(made.infoHash, { state: 'recheck' }), refuses('StateConflict'))
  await bench.downloads.engineEvents.metadata(made.infoHash, metainfo)
  const row = bench.records.rows.get(made.infoHash)
  assert.deepEqual(row?.selectedFiles, [1])
  assert.equal(row?.name, 'folder')
  assert.deepEqual(Buffer.from(row?.infoBytes ?? []), Buffer.from(made.info))
})

test('the exported torrent has the same info dictionary and the present trackers', async () => {
  const { downloads } = await withTorrent()
  await downloads.add({ uri: magnet })
  const exported = decodeMetainfo(await downloads.torrentFile(made.infoHash))
  assert.equal(exported.infoHash, made.infoHash)
  assert.deepEqual(exported.announceTiers, [['http://t.example/announce'], ['http://other.example/announce']])
})

test('the exported torrent keeps comment and creator, also after a restart', async () => {
  const noted = encodeMetainfo({
    infoBytes: made.info,
    announceTiers: [],
    comment: 'of mine',
    createdBy: 'me',
    creationDateSec: 1_500_000_000,
  })
  const first = await startDownloads()
  first.sources.set('/x.torrent', noted)
  await first.downloads.add({ uri: '/x.torrent' })
  const second = await startDownloads(first.records)
  for (const { downloads } of [first, second]) {
    const { comment, createdBy, creationDateSec } = decodeMetainfo(await downloads.torrentFile(made.infoHash))
    assert.deepEqual([comment, createdBy, creationDateSec], ['of mine', 'me', 1_500_000_000])
  }
})

test('removing: the engine first, then the row; unknown ones are 404', async () => {
  const { downloads, records, engine } = await withTorrent()
  const answer = await downloads.remove(made.infoHash.toUpperCase(), true)
  assert.deepEqual(answer, { infohash: made.infoHash, removed: true })
  assert.equal(engine.log.at(-1), `remove ${made.infoHash.slice(0, 4)} true`)
  assert.equal(records.rows.size, 0)
  assert.deepEqual(await listed(downloads, NOTHING), [])
  await assert.rejects(downloads.remove(made.infoHash, true), refuses('DownloadNotFound'))
  await assert.rejects(downloads.remove('zz', true), refuses('DownloadNotFound'))
})

test('data that cannot be deleted is reported; the download is gone all the same', async () => {
  const { downloads, records, engine } = await withTorrent()
  engine.removeError = new AppError('DiskError', 'read-only')
  await assert.rejects(downloads.remove(made.infoHash, true), refuses('DiskError'))
  assert.equal(records.rows.size, 0)
  assert.deepEqual(await listed(downloads, NOTHING), [])
})

test('finished and failed torrents become events; the time of completion stays', async () => {
  const { downloads, records, emitted } = await withTorrent()
  downloads.engineEvents.finished(made.infoHash, 'folder')
  downloads.engineEvents.failed(made.infoHash, 'The disk is full.')
  await downloads.stop()
  assert.deepEqual(emitted, [
    ['torrent_finished', { infohash: made.infoHash, name: 'folder' }],
    ['torrent_error', { infohash: made.infoHash, error: 'The disk is full.' }],
    ['downloads_added', { count: 1, downloads: [{ infohash: made.infoHash, name: 'folder' }] }],
  ])
  assert.equal(records.rows.get(made.infoHash)?.finishedAtMs, 1_700_001_000_000)
})

test('safe_seeding asked for without hops: complete data is not seeded to plain peers', async () => {
  const bench = await startDownloads()
  bench.sources.set('/x.torrent', made.torrent)
  await bench.downloads.add({ uri: '/x.torrent', safe_seeding: true })
  assert.equal((await listed(bench.downloads, NOTHING))[0]?.safe_seeding, true)
  bench.downloads.engineEvents.statusChanged(made.infoHash, 'seeding')
  await bench.downloads.stop()
  assert.deepEqual(torrentOf(bench).calls, ['stop'])
  assert.equal(bench.records.rows.get(made.infoHash)?.userStopped, true)
})

test('plain downloads go on seeding', async () => {
  const { downloads, torrent } = await withTorrent()
  downloads.engineEvents.statusChanged(made.infoHash, 'seeding')
  await downloads.stop()
  assert.deepEqual(torrent.calls, [])
})

test('after a restart everything is listed as waiting, then loaded as it was', async () => {
  const first = await withTorrent()
  await first.downloads.add({ uri: magnet.replace(made.infoHash, 'a'.repeat(40)) })
  await first.downloads.patch(made.infoHash, { state: 'stop' })
  first.torrent.totalUp = 11
  first.torrent.totalDown = 22
  await first.downloads.stop()
  const second = await startDownloads(first.records, false)
  const waiting = await listed(second.downloads, { peers: true, pieces: true, files: true })
  assert.deepEqual(
    waiting.map(record => [record.infohash, record.status, record.name]),
    [
      [made.infoHash, 'DLSTATUS_WAITING4HASHCHECK', 'folder'],
      ['a'.repeat(40), 'DLSTATUS_WAITING4HASHCHECK', 'shown'],
    ],
  )
  await assert.rejects(async () => second.downloads.files(made.infoHash), refuses('NotReady'))
  await assert.rejects(async () => second.downloads.files('b'.repeat(40)), refuses('DownloadNotFound'))
  await assert.rejects(second.downloads.add({ uri: magnet }), refuses('NotReady'))
  await assert.rejects(second.downloads.patch(made.infoHash, { state: 'resume' }), refuses('NotReady'))
  await second.downloads.load(second.engine)
  const { spec } = torrentOf(second)
  assert.equal(spec.running, false)
  assert.equal(spec.metainfo?.infoHash, made.infoHash)
  assert.deepEqual([spec.totalUp, spec.totalDown], [11, 22])
  assert.equal((await listed(second.downloads, NOTHING))[1]?.status, 'DLSTATUS_METADATA')
})

test('a row that cannot be loaded shows its error and does not hold up the others', async () => {
  const first = await withTorrent()
  await first.downloads.add({ uri: magnet.replace(made.infoHash, 'a'.repeat(40)) })
  await first.records.update(made.infoHash, { infoBytes: Buffer.from('rubbish') })
  const second = await startDownloads(first.records)
  const [broken, fine] = await listed(second.downloads, NOTHING)
  assert.equal(broken?.status, 'DLSTATUS_STOPPED_ON_ERROR')
  assert.notEqual(broken?.error, '')
  assert.equal(fine?.status, 'DLSTATUS_METADATA')
  await second.downloads.remove(made.infoHash, false)
  assert.equal(second.records.rows.size, 1)
})

test('counters of all time reach the store while the node runs', async () => {
  const { records, torrent, clock } = await withTorrent()
  torrent.totalDown = 500
  clock.advance(6000)
  assert.equal(records.rows.get(made.infoHash)?.totalDown, 500)
})

test('streams: the file, its tag, vod fields while a reader is open', async () => {
  const { downloads, torrent } = await withTorrent()
  torrent.have = new Uint8Array([0b01100000])
  const asker = new AbortController()
  const file = await downloads.streamable(made.infoHash, '1', asker)
  assert.deepEqual([file.name, file.size, file.tag], ['b.bin', 70_000, `${made.infoHash}-1`])
  const reader = file.openReader()
  await reader.waitFor(0)
  const [open] = await listed(downloads, NOTHING)
  assert.equal(open?.vod_mode, true)
  // b.bin lies in pieces 1, 2 and 3; 1 and 2 are here.
  assert.equal(open?.vod_prebuffering_progress, 2 / 3)
  assert.equal(open?.vod_prebuffering_progress_consec, 2 / 3)
  reader.close()
  assert.equal((await listed(downloads, NOTHING))[0]?.vod_mode, false)
  assert.equal(torrent.openReaders, 0)
  for (const index of ['3', '-1', 'x', '1.5', '']) {
    assert.throws(() => downloads.streamable(made.infoHash, index, asker), refuses('FileNotFound'), index)
  }
})

test('a stream of a magnet waits for metadata, for a minute', async () => {
  const bench = await startDownloads()
  await bench.downloads.add({ uri: magnet })
  const asker = new AbortController()
  const waiting = bench.downloads.streamable(made.infoHash, '0', asker)
  torrentOf(bench).learn(metainfo)
  assert.equal((await waiting).name, 'a.bin')
  torrentOf(bench).metainfo = null
  const late = Promise.resolve(bench.downloads.streamable(made.infoHash, '0', asker))
  bench.clock.advance(61_000)
  await assert.rejects(late, refuses('MetadataTimeout'))
  const gone = new AbortController()
  const aborted = Promise.resolve(bench.downloads.streamable(made.infoHash, '0', gone))
  gone.abort()
  await assert.rejects(aborted, refuses('Aborted'))
})
