// Downloads over circuits as the service deals with them: which engine has them, how they change it, what is shown
// while there are no circuits, and that the plain engine never hears of them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError, type ErrorCode } from '../../../src/base/errors.ts'
import { TorrentInfo } from '../../../src/services/downloads/torrent-info.ts'
import { decodeMetainfo } from '../../../src/wire/metainfo/metainfo.ts'
import { makeTorrent } from '../../kit/content/make-torrent.ts'
import { waitFor } from '../../kit/wait-for.ts'
import { FakeAnonymousEngines } from './anonymous-doubles.ts'
import { type DownloadsBench, type FakeTorrent, MemoryRecords, startDownloads } from './service-doubles.ts'

const NOTHING = { peers: false, pieces: false, files: false }
const made = makeTorrent({ length: 100_000, announce: [['http://t.example/announce']] })
const metainfo = decodeMetainfo(made.torrent)
const magnet = `magnet:?xt=urn:btih:${made.infoHash}&x.pe=203.0.113.9:6881`
const refuses =
  (code: ErrorCode, text = /./) =>
  (error: unknown) =>
    error instanceof AppError && error.code === code && text.test(error.message)

type Bench = DownloadsBench & { readonly anonymous: FakeAnonymousEngines }

async function start(records = new MemoryRecords()): Promise<Bench> {
  const anonymous = new FakeAnonymousEngines()
  return { ...(await startDownloads(records, true, undefined, anonymous)), anonymous }
}

function torrentOf(bench: Bench, hops: number): FakeTorrent {
  const engine = hops === 0 ? bench.engine : bench.anonymous.of(hops)
  const torrent = engine.torrents.get(made.infoHash)
  assert.ok(torrent !== undefined, `not in the engine of ${hops} hops`)
  return torrent
}

const shown = async (bench: Bench) => bench.downloads.record(made.infoHash, NOTHING)

test('PUT with hops: its engine has it, and the plain one hears nothing; so after a restart', async () => {
  const bench = await start()
  await bench.downloads.add({ uri: magnet, anon_hops: 2 })
  assert.deepEqual(torrentOf(bench, 2).spec.peers, [{ ip: '203.0.113.9', port: 6881 }])
  assert.deepEqual(bench.engine.log, [])
  const again = await start(bench.records)
  assert.deepEqual([again.engine.log, again.anonymous.of(2).log.length], [[], 1])
  const record = await shown(again)
  assert.deepEqual([record.hops, record.anon_download, record.safe_seeding], [2, true, true])
  await again.downloads.remove(made.infoHash, true)
  assert.deepEqual(again.engine.log, [])
  assert.deepEqual(again.anonymous.of(2).torrents.size, 0)
})

test('settings that forbid circuits refuse new ones; those that are there wait', async () => {
  const bench = await start()
  await bench.downloads.add({ uri: magnet, anon_hops: 1 })
  const forbidden = new AppError('CircuitsUnavailable', 'Setting tunnel_community.enabled is off.')
  const again = await start(bench.records)
  again.anonymous.forbidden = forbidden
  const other = makeTorrent({ length: 50_000, seed: 4 })
  await assert.rejects(
    again.downloads.addFile(other.torrent, { anon_hops: 1 }),
    refuses('CircuitsUnavailable', /tunnel/),
  )
  await assert.rejects(again.downloads.patch(made.infoHash, { anon_hops: 3 }), refuses('CircuitsUnavailable'))
  assert.equal(torrentOf(again, 1).status, 'metadata')
  assert.deepEqual(await again.downloads.patch(made.infoHash, { anon_hops: 0 }), {
    infohash: made.infoHash,
    modified: true,
  })
  assert.deepEqual([torrentOf(again, 0).status, again.anonymous.of(1).torrents.size], ['metadata', 0])
})

test('status CIRCUITS with its reason until one is ready', async () => {
  const bench = await start()
  await bench.downloads.add({ uri: magnet, anon_hops: 1 })
  const torrent = torrentOf(bench, 1)
  torrent.downRate = 0
  const facts = { candidates: 0, exits: 0, ready: 0, building: 0, lastFailure: null }
  const set = (change: object) => bench.anonymous.known.set(1, { ...facts, ...change })
  const codes = async () => (await bench.downloads.explain(made.infoHash)).reasons.map(({ code }) => code)
  assert.equal((await shown(bench)).status, 'DLSTATUS_CIRCUITS')
  assert.equal((await codes())[0], 'no_relays_known')
  set({ candidates: 3 })
  assert.equal((await codes())[0], 'no_exits_known')
  set({ candidates: 3, exits: 1, building: 2, lastFailure: 'no answer of the second hop' })
  const { reasons, status } = await bench.downloads.explain(made.infoHash)
  assert.deepEqual([status, reasons[0]?.code], ['DLSTATUS_CIRCUITS', 'building_circuits'])
  assert.match(reasons[0]?.message ?? '', /no answer of the second hop/)
  assert.deepEqual((await shown(bench)).circuits, {
    candidates: 3,
    exits: 1,
    ready: 0,
    building: 2,
    last_failure: 'no answer of the second hop',
  })
  set({ ready: 1 })
  assert.equal((await shown(bench)).status, 'DLSTATUS_METADATA')
  set({})
  torrent.learn(metainfo)
  for (const [engineStatus, shownStatus] of [
    ['downloading', 'DLSTATUS_CIRCUITS'],
    ['checking', 'DLSTATUS_HASHCHECKING'],
    ['seeding', 'DLSTATUS_SEEDING'],
    ['stopped', 'DLSTATUS_STOPPED'],
  ] as const) {
    torrent.status = engineStatus
    assert.equal((await shown(bench)).status, shownStatus)
  }
  torrent.status = 'downloading'
  torrent.downRate = 5000
  assert.equal((await shown(bench)).status, 'DLSTATUS_DOWNLOADING', 'what comes in by hidden peers counts')
})

test('the list hears of changed circuits, and of plain downloads nothing', async () => {
  const bench = await start()
  await bench.downloads.addFile(made.torrent, {})
  assert.equal('circuits' in (await shown(bench)), false)
  await bench.downloads.patch(made.infoHash, { anon_hops: 1 })
  const list = async () => Buffer.concat([...(await bench.downloads.listJson())]).toString()
  assert.match(await list(), /"candidates":0/)
  bench.anonymous.known.set(1, { candidates: 7, exits: 1, ready: 0, building: 0, lastFailure: null })
  bench.clock.advance(5000)
  await waitFor('the list', async () => (await list()).includes('"candidates":7'))
})

test('PATCH anon_hops: the old engine lets go before the new one hears; everything stays', async () => {
  const bench = await start()
  const more = { selected_files: [0], destination: '/data/there', max_download_speed: 5, labels: ['a'] }
  await bench.downloads.addFile(made.torrent, more)
  const before = await shown(bench)
  const torrent = torrentOf(bench, 0)
  torrent.totalDown = 777
  const order: string[] = []
  const { engine, anonymous } = bench
  const remove = engine.remove.bind(engine)
  engine.remove = async (...args) => {
    order.push('left')
    await remove(...args)
    order.push('gone')
  }
  const next = anonymous.of(3)
  const add = next.add.bind(next)
  next.add = spec => {
    order.push('added')
    return add(spec)
  }
  const resume = { have: new Uint8Array([0xa0]), suspect: [], files: [], newestMs: 0 }
  anonymous.resumes.set(made.infoHash, resume)
  await bench.downloads.patch(made.infoHash, { anon_hops: 3 })
  assert.deepEqual(order, ['left', 'gone', 'added'])
  const { spec } = torrentOf(bench, 3)
  assert.deepEqual(
    [spec.selectedFiles, spec.destination, spec.totalDown, spec.resume, spec.running, spec.metainfo?.infoHash],
    [[0], '/data/there', 777, resume, true, made.infoHash],
  )
  const after = await shown(bench)
  assert.deepEqual([after.hops, after.anon_download, after.safe_seeding], [3, true, true])
  assert.deepEqual([after.time_added, after.labels], [before.time_added, ['a']])
  const row = bench.records.rows.get(made.infoHash)
  assert.deepEqual([row?.hops, row?.safeSeeding, row?.totalDown], [3, true, 777])
  assert.deepEqual(engine.log, [`add ${made.infoHash.slice(0, 4)}`, `remove ${made.infoHash.slice(0, 4)} false`])
  await bench.downloads.patch(made.infoHash, { anon_hops: 0 })
  assert.deepEqual([(await shown(bench)).hops, (await shown(bench)).safe_seeding], [0, false])
  assert.equal(next.torrents.size, 0)
  await bench.downloads.patch(made.infoHash, { state: 'stop' })
  await bench.downloads.patch(made.infoHash, { anon_hops: 1 })
  assert.equal(torrentOf(bench, 1).spec.running, false, 'what was stopped stays stopped')
})

test('PATCH anon_hops that cannot be stored: it goes on as it was', async () => {
  const bench = await start()
  await bench.downloads.addFile(made.torrent, {})
  bench.records.failWith = new AppError('DiskFull')
  await assert.rejects(bench.downloads.patch(made.infoHash, { anon_hops: 1 }), refuses('DiskFull'))
  assert.equal(torrentOf(bench, 0).status, 'downloading')
  assert.equal(bench.anonymous.of(1).torrents.size, 0)
  assert.equal((await shown(bench)).hops, 0)
})

test('PATCH anon_hops while files are moved is refused', async () => {
  const bench = await start()
  await bench.downloads.addFile(made.torrent, {})
  torrentOf(bench, 0).moveEnd = new Promise(() => undefined)
  await bench.downloads.patch(made.infoHash, { destination: '/data/new' })
  await assert.rejects(bench.downloads.patch(made.infoHash, { anon_hops: 1 }), refuses('StateConflict'))
  assert.equal(torrentOf(bench, 0).spec.infoHash, made.infoHash)
})

test('safe_seeding without hops: complete data goes on over circuits, and stops where they are forbidden', async () => {
  const bench = await start()
  bench.settings.numberHops = 2
  await bench.downloads.addFile(made.torrent, { safe_seeding: true })
  bench.downloads.engineEvents.statusChanged(made.infoHash, 'seeding')
  await waitFor('hidden', async () => (await shown(bench)).hops === 2)
  assert.deepEqual([bench.engine.torrents.size, torrentOf(bench, 2).spec.running], [0, true])
  bench.downloads.engineEvents.statusChanged(made.infoHash, 'seeding')
  await bench.downloads.patch(made.infoHash, {})
  assert.equal(torrentOf(bench, 2).calls.includes('stop'), false)

  const other = await start()
  other.anonymous.forbidden = new AppError('CircuitsUnavailable')
  await other.downloads.addFile(made.torrent, { safe_seeding: true })
  other.downloads.engineEvents.statusChanged(made.infoHash, 'seeding')
  await waitFor('stopped', () => torrentOf(other, 0).status === 'stopped')

  const failing = await start()
  await failing.downloads.addFile(made.torrent, { safe_seeding: true })
  failing.records.failWith = new AppError('DiskError')
  failing.downloads.engineEvents.statusChanged(made.infoHash, 'seeding')
  await waitFor('stopped', () => torrentOf(failing, 0).status === 'stopped')
})

test('an http uri with hops is fetched through circuits, never plainly; updated torrents are refused', async () => {
  const bench = await start()
  bench.sources.set('http://x.example/t', made.torrent)
  await assert.rejects(bench.downloads.add({ uri: 'http://x.example/t', anon_hops: 2 }), refuses('SourceFailed'))
  bench.anonymous.fetched.set('2 http://x.example/t', made.torrent)
  await bench.downloads.add({ uri: 'http://x.example/t', anon_hops: 2 })
  assert.equal(torrentOf(bench, 2).spec.metainfo?.infoHash, made.infoHash)
  const update = `magnet:?xs=urn:btpk:${'ab'.repeat(32)}`
  await assert.rejects(bench.downloads.add({ uri: update, anon_hops: 1 }), refuses('InvalidParameter', /plain DHT/))
})

function infoOver({ clock, previews, downloads }: Bench): TorrentInfo {
  return new TorrentInfo({ clock, previews, downloads })
}

test('torrentinfo with hops looks for metadata over circuits; without it as new downloads do', async () => {
  const bench = await start()
  const info = infoOver(bench)
  const { signal } = new AbortController()
  bench.settings.anonymityEnabled = true
  bench.settings.numberHops = 3
  for (const [hops, asked] of [
    [1, 1],
    [undefined, 3],
  ] as const) {
    const answer = info.read(`magnet:?xt=urn:btih:${made.infoHash}`, signal, hops)
    const engine = bench.anonymous.of(asked)
    await waitFor('the preview', () => engine.torrents.has(made.infoHash))
    const held = assert.rejects(bench.downloads.engineEvents.metadata(made.infoHash, metainfo), refuses('Aborted'))
    assert.equal((await answer).infohash, made.infoHash)
    await held
    bench.clock.advance(6 * 60_000)
  }
  assert.deepEqual(bench.engine.log, [])
  bench.anonymous.fetched.set('3 http://x.example/t', made.torrent)
  assert.equal((await info.read('http://x.example/t', signal)).infohash, made.infoHash)
  await assert.rejects(info.read('http://x.example/t', signal, 2), refuses('SourceFailed'))
  await assert.rejects(info.read(magnet, signal, 7), refuses('InvalidParameter'))
})

test('a preview over circuits waits until a plain one of the same magnet is over, and begins none beside a download', async () => {
  const bench = await start()
  const info = infoOver(bench)
  const first = new AbortController()
  const plain = assert.rejects(info.read(magnet, first.signal, 0), refuses('Aborted'))
  await waitFor('the plain one', () => bench.engine.torrents.has(made.infoHash))
  const second = new AbortController()
  const hidden = info.read(magnet, second.signal, 1)
  hidden.catch(() => undefined)
  await new Promise(resolve => setImmediate(resolve))
  assert.equal(bench.anonymous.of(1).torrents.size, 0)
  first.abort()
  await plain
  await waitFor('the hidden one', () => bench.anonymous.of(1).torrents.has(made.infoHash))
  assert.equal(bench.engine.torrents.size, 0)
  // A download over other circuits takes over.
  await bench.downloads.add({ uri: magnet, anon_hops: 2 })
  assert.deepEqual([bench.anonymous.of(1).torrents.size, bench.anonymous.of(2).torrents.size], [0, 1])
  const later = info.read(magnet, second.signal, 0)
  later.catch(() => undefined)
  await new Promise(resolve => setImmediate(resolve))
  assert.deepEqual(bench.engine.torrents.size, 0, 'a plain look asks the download')
  torrentOf(bench, 2).learn(metainfo)
  assert.equal((await later).download_exists, true)
  assert.equal((await hidden).download_exists, true)
})
