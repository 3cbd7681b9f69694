// What the settings ask for beside the values of a new download: trackers of a file, torrent files that are kept, a
// check and a move at the end. None of it may hold up the download.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InfoHash } from '../../../src/base/ids.ts'
import { parseTrackerFile } from '../../../src/services/downloads/tracker-file.ts'
import { decodeMetainfo } from '../../../src/wire/metainfo/metainfo.ts'
import { makeTorrent } from '../../kit/content/make-torrent.ts'
import { type DownloadsBench, FakeTorrent, startDownloads } from './service-doubles.ts'

const OWN = 'http://own.test/announce'
const EXTRA = ['udp://one.test:1/announce', 'https://two.test/announce']
const LIST = `# public ones\n${EXTRA[0]}\n\nftp://no.test/\nnothing\n${EXTRA[1]}\r\n`
const open = makeTorrent({ length: 100_000, seed: 1, name: 'open', announce: [[OWN]] })
const secret = makeTorrent({ length: 100_000, seed: 2, name: 'secret', announce: [[OWN]], private: true })

async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise(resolve => setImmediate(resolve))
}

function torrentOf({ engine }: DownloadsBench, infoHash: InfoHash): FakeTorrent {
  const torrent = engine.torrents.get(infoHash)
  assert.ok(torrent instanceof FakeTorrent)
  return torrent
}

async function withTrackers(): Promise<DownloadsBench> {
  const bench = await startDownloads()
  bench.settings.trackersFile = '/etc/trackers.txt'
  bench.sources.set('/etc/trackers.txt', Buffer.from(LIST))
  return bench
}

test('a file of trackers: tiers by empty lines, comments and what is no announce URL left out, at most 256', () => {
  assert.deepEqual(parseTrackerFile(LIST), [[EXTRA[0]], [EXTRA[1]]])
  assert.deepEqual(parseTrackerFile(`${EXTRA.join('\n')}\n\n\n`), [EXTRA])
  assert.deepEqual(parseTrackerFile('\0\xff\n# x\n\n'), [])
  const many = Array.from({ length: 300 }, (_, at) => `udp://t${at}.test:1`).join('\n')
  assert.equal(parseTrackerFile(many).flat().length, 256)
})

test('new downloads get the trackers of the file behind their own, private ones never', async () => {
  const bench = await withTrackers()
  await bench.downloads.addFile(open.torrent, {})
  await bench.downloads.addFile(secret.torrent, {})
  const tiers = [[OWN], [EXTRA[0]], [EXTRA[1]]]
  assert.deepEqual(bench.records.rows.get(open.infoHash)?.announceTiers, tiers)
  assert.deepEqual(torrentOf(bench, open.infoHash).tiers, tiers)
  assert.deepEqual(bench.records.rows.get(secret.infoHash)?.announceTiers, [[OWN]])
})

test('a magnet without trackers gets them at once, one with trackers when it is known not to be private', async () => {
  const bench = await withTrackers()
  const magnet = (infoHash: string, tracker = '') => `magnet:?xt=urn:btih:${infoHash}${tracker}`
  const named = `&tr=${encodeURIComponent(OWN)}`
  await bench.downloads.add({ uri: magnet('a'.repeat(40)) })
  assert.deepEqual(bench.records.rows.get('a'.repeat(40) as InfoHash)?.announceTiers, [[EXTRA[0]], [EXTRA[1]]])
  for (const { infoHash, torrent, tiers } of [
    { ...open, tiers: [[OWN], [EXTRA[0]], [EXTRA[1]]] },
    { ...secret, tiers: [[OWN]] },
  ]) {
    await bench.downloads.add({ uri: magnet(infoHash, named) })
    assert.deepEqual(bench.records.rows.get(infoHash)?.announceTiers, [[OWN]])
    await bench.downloads.engineEvents.metadata(infoHash, decodeMetainfo(torrent))
    await settle()
    assert.deepEqual(bench.records.rows.get(infoHash)?.announceTiers, tiers)
  }
})

test('a file of trackers that is not there changes nothing', async () => {
  const bench = await startDownloads()
  bench.settings.trackersFile = '/nowhere'
  await bench.downloads.addFile(open.torrent, {})
  assert.deepEqual(bench.records.rows.get(open.infoHash)?.announceTiers, [[OWN]])
})

test('torrent files are kept under their info hash, of magnets when the metadata comes, and never written over', async () => {
  const bench = await startDownloads()
  await bench.downloads.addFile(open.torrent, {})
  assert.equal(bench.written.size, 0)
  await bench.downloads.remove(open.infoHash, false)
  bench.settings.torrentFolder = '/torrents'
  const path = `/torrents/${open.infoHash}.torrent`
  await bench.downloads.addFile(open.torrent, {})
  const kept = bench.written.get(path)
  assert.deepEqual(decodeMetainfo(kept ?? new Uint8Array()).announceTiers, [[OWN]])
  assert.equal(decodeMetainfo(kept ?? new Uint8Array()).infoHash, open.infoHash)
  await bench.downloads.remove(open.infoHash, false)
  await bench.downloads.addFile(open.torrent, {})
  assert.equal(bench.written.get(path), kept)
  await bench.downloads.add({ uri: `magnet:?xt=urn:btih:${secret.infoHash}` })
  assert.equal(bench.written.size, 1)
  await bench.downloads.engineEvents.metadata(secret.infoHash, decodeMetainfo(secret.torrent))
  await settle()
  assert.equal(bench.written.size, 2)
  // A folder that cannot be used stops no download.
  bench.badFolders.add('/torrents')
  await bench.downloads.remove(open.infoHash, false)
  await bench.downloads.addFile(open.torrent, {})
  assert.ok(bench.records.rows.has(open.infoHash))
})

test('complete downloads are moved from the folder of the settings, and from no other', async () => {
  const bench = await startDownloads()
  bench.settings.completedDir = '/complete'
  await bench.downloads.addFile(open.torrent, {})
  await bench.downloads.addFile(secret.torrent, { destination: '/elsewhere' })
  for (const { infoHash } of [open, secret]) bench.downloads.engineEvents.finished(infoHash, 'x')
  await settle()
  assert.equal(bench.records.rows.get(open.infoHash)?.destination, '/complete')
  assert.notEqual(bench.records.rows.get(open.infoHash)?.finishedAtMs, null)
  assert.equal(bench.records.rows.get(secret.infoHash)?.destination, '/elsewhere')
  assert.equal(torrentOf(bench, secret.infoHash).moves.length, 0)
  // More of it was selected, and is complete now: it is there already.
  bench.downloads.engineEvents.finished(open.infoHash, 'x')
  await settle()
  assert.equal(torrentOf(bench, open.infoHash).moves.length, 1)
})

test('a folder for complete downloads that cannot be used leaves them where they are', async () => {
  const bench = await startDownloads()
  bench.settings.completedDir = '/complete'
  bench.badFolders.add('/complete')
  await bench.downloads.addFile(open.torrent, {})
  bench.downloads.engineEvents.finished(open.infoHash, 'x')
  await settle()
  assert.equal(bench.records.rows.get(open.infoHash)?.destination, '/data/default')
})

test('a check of what is complete comes once, and the move after it; damage is fetched again before the move', async () => {
  const bench = await startDownloads()
  bench.settings.completedDir = '/complete'
  bench.settings.checkAfterComplete = true
  for (const { torrent } of [open, secret]) await bench.downloads.addFile(torrent, {})
  const good = torrentOf(bench, open.infoHash)
  good.progress = 1
  bench.downloads.engineEvents.finished(open.infoHash, 'x')
  await settle()
  assert.deepEqual(
    good.calls.filter(call => call === 'recheck'),
    ['recheck'],
  )
  assert.equal(bench.records.rows.get(open.infoHash)?.destination, '/complete')
  const damaged = torrentOf(bench, secret.infoHash)
  bench.downloads.engineEvents.finished(secret.infoHash, 'x')
  await settle()
  assert.deepEqual(damaged.calls, ['recheck'])
  assert.equal(damaged.moves.length, 0)
  bench.downloads.engineEvents.finished(secret.infoHash, 'x')
  await settle()
  assert.deepEqual(
    damaged.calls.filter(call => call === 'recheck'),
    ['recheck'],
  )
  assert.equal(damaged.moves.length, 1)
})
