// Moves of downloads: durable from the request on, one at a time, over restarts, given up, failed, and out of the way
// of everything else.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeDeferred } from '../../../src/base/deferred.ts'
import { AppError, type ErrorCode } from '../../../src/base/errors.ts'
import type { InfoHash } from '../../../src/base/ids.ts'
import type { DownloadRecord } from '../../../src/services/api.ts'
import { makeTorrent } from '../../kit/content/make-torrent.ts'
import { type DownloadsBench, FakeTorrent, startDownloads } from './service-doubles.ts'

const one = makeTorrent({ length: 100_000, seed: 1, name: 'one' })
const two = makeTorrent({ length: 100_000, seed: 2, name: 'two' })
const refuses = (code: ErrorCode) => (error: unknown) => error instanceof AppError && error.code === code

async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await new Promise(resolve => setImmediate(resolve))
}

async function withBoth(): Promise<DownloadsBench> {
  const bench = await startDownloads()
  await bench.downloads.addFile(one.torrent, { destination: '/data/old' })
  await bench.downloads.addFile(two.torrent, { destination: '/data/old' })
  return bench
}

function torrentOf(bench: DownloadsBench, infoHash: InfoHash): FakeTorrent {
  const torrent = bench.engine.torrents.get(infoHash)
  assert.ok(torrent instanceof FakeTorrent)
  return torrent
}

/** destination, movingTo and movedFrom of a row. */
function places(bench: DownloadsBench, infoHash: InfoHash): unknown[] {
  const row = bench.records.rows.get(infoHash)
  return [row?.destination, row?.movingTo, row?.movedFrom]
}

async function shown(bench: DownloadsBench, infoHash: InfoHash): Promise<DownloadRecord | undefined> {
  for await (const record of bench.downloads.list({ peers: false, pieces: false, files: false })) {
    if (record.infohash === infoHash) return record as DownloadRecord
  }
  return undefined
}

test('a move: answered when it is durable, shown until it is done, then the old files go', async () => {
  const bench = await withBoth()
  const torrent = torrentOf(bench, one.infoHash)
  const end = makeDeferred<void>()
  torrent.moveEnd = end.promise
  const answer = await bench.downloads.patch(one.infoHash, { destination: '/data/new' })
  assert.deepEqual(answer, { infohash: one.infoHash, modified: true })
  assert.deepEqual(places(bench, one.infoHash), ['/data/old', '/data/new', null])
  await settle()
  const during = await shown(bench, one.infoHash)
  assert.deepEqual([during?.destination, during?.moving_to], ['/data/old', '/data/new'])
  assert.equal((await bench.downloads.explain(one.infoHash)).reasons[0]?.code, 'moving_storage')
  // The same again is nothing new; another place is refused while it is on its way.
  await bench.downloads.patch(one.infoHash, { destination: '/data/new' })
  await assert.rejects(bench.downloads.patch(one.infoHash, { destination: '/data/third' }), refuses('StateConflict'))
  end.resolve()
  await settle()
  assert.deepEqual(places(bench, one.infoHash), ['/data/new', null, null])
  assert.deepEqual(torrent.calls, ['leave /data/old'])
  const after = await shown(bench, one.infoHash)
  assert.deepEqual([after?.destination, after?.moving_to], ['/data/new', ''])
  assert.deepEqual(bench.emitted.at(-1), ['storage_moved', { infohash: one.infoHash, destination: '/data/new' }])
  assert.equal(torrent.moves.length, 1)
})

test('moves follow each other; other changes of the download do not wait', async () => {
  const bench = await withBoth()
  const end = makeDeferred<void>()
  torrentOf(bench, one.infoHash).moveEnd = end.promise
  await bench.downloads.patch(one.infoHash, { destination: '/data/new' })
  await bench.downloads.patch(two.infoHash, { destination: '/data/new' })
  await settle()
  assert.equal(torrentOf(bench, two.infoHash).moves.length, 0)
  await bench.downloads.patch(one.infoHash, { state: 'stop', labels: ['x'] })
  assert.equal(torrentOf(bench, one.infoHash).status, 'stopped')
  end.resolve()
  await settle()
  assert.equal(torrentOf(bench, two.infoHash).moves.length, 1)
  assert.deepEqual(places(bench, two.infoHash), ['/data/new', null, null])
  assert.deepEqual(bench.records.rows.get(one.infoHash)?.controls?.labels, ['x'])
})

test('a move that fails leaves everything where it is, and says why', async () => {
  const bench = await withBoth()
  const failure = Promise.reject(new AppError('DiskFull', 'The disk is full: /data/new'))
  failure.catch(() => undefined)
  torrentOf(bench, one.infoHash).moveEnd = failure
  await bench.downloads.patch(one.infoHash, { destination: '/data/new' })
  await settle()
  assert.deepEqual(places(bench, one.infoHash), ['/data/old', null, null])
  assert.deepEqual(bench.emitted.at(-1), [
    'storage_move_failed',
    { infohash: one.infoHash, error: 'The disk is full: /data/new' },
  ])
  bench.badFolders.add('/bad')
  await assert.rejects(bench.downloads.patch(one.infoHash, { destination: '/bad' }), refuses('InvalidParameter'))
  assert.deepEqual(places(bench, one.infoHash), ['/data/old', null, null])
})

test('the folder where the files are gives the move up', async () => {
  const bench = await withBoth()
  const torrent = torrentOf(bench, one.infoHash)
  torrent.moveEnd = makeDeferred<void>().promise
  await bench.downloads.patch(one.infoHash, { destination: '/data/new' })
  await settle()
  await bench.downloads.patch(one.infoHash, { destination: '/data/old' })
  assert.equal(torrent.moves[0]?.signal.aborted, true)
  assert.deepEqual(places(bench, one.infoHash), ['/data/old', null, null])
  assert.equal(bench.emitted.filter(([type]) => String(type).startsWith('storage_')).length, 0)
})

test('a removal ends the move first, also of one that waits behind another', async () => {
  const bench = await withBoth()
  const torrent = torrentOf(bench, one.infoHash)
  torrent.moveEnd = makeDeferred<void>().promise
  await bench.downloads.patch(one.infoHash, { destination: '/data/new' })
  await bench.downloads.patch(two.infoHash, { destination: '/data/new' })
  await settle()
  await bench.downloads.remove(two.infoHash, true)
  assert.equal(torrent.moves[0]?.signal.aborted, false)
  await bench.downloads.remove(one.infoHash, true)
  assert.equal(torrent.moves[0]?.signal.aborted, true)
  await settle()
  assert.equal(bench.records.rows.size, 0)
})

test('a stop cuts a move off, and the next start goes on with it as a resumed one', async () => {
  const bench = await withBoth()
  torrentOf(bench, one.infoHash).moveEnd = makeDeferred<void>().promise
  await bench.downloads.patch(one.infoHash, { destination: '/data/new' })
  await bench.downloads.patch(two.infoHash, { destination: '/data/new' })
  await settle()
  await bench.downloads.stop()
  assert.deepEqual(places(bench, one.infoHash), ['/data/old', '/data/new', null])
  assert.deepEqual(places(bench, two.infoHash), ['/data/old', '/data/new', null])
  const next = await startDownloads(bench.records)
  await settle()
  assert.equal(torrentOf(next, one.infoHash).moves[0]?.resumed, true)
  assert.deepEqual(places(next, one.infoHash), ['/data/new', null, null])
  assert.deepEqual(places(next, two.infoHash), ['/data/new', null, null])
})

test('a kill after the commit: the next start deletes what is left in the old place', async () => {
  const bench = await withBoth()
  const row = bench.records.rows.get(one.infoHash)
  assert.ok(row)
  bench.records.rows.set(one.infoHash, { ...row, destination: '/data/new', movedFrom: '/data/old' })
  const next = await startDownloads(bench.records)
  await settle()
  assert.deepEqual(torrentOf(next, one.infoHash).calls, ['leave /data/old'])
  assert.deepEqual(places(next, one.infoHash), ['/data/new', null, null])
})

test('files that lie where another download has its own keep their names', async () => {
  const bench = await withBoth()
  const twin = makeTorrent({ name: 'one', length: 20_000, seed: 77 })
  await bench.downloads.addFile(twin.torrent, { destination: '/data/old' })
  const rename = () => bench.downloads.renameFile(one.infoHash, { path: '', name: 'uno' })
  await assert.rejects(rename(), refuses('StateConflict'))
  assert.deepEqual(torrentOf(bench, one.infoHash).moves, [])
  await bench.downloads.remove(twin.infoHash, false)
  // Who shares a place is looked at again after a minute.
  bench.clock.advance(60_000)
  assert.equal(await rename(), true)
})

test('a move leaves files where another download has its own; the last that moves takes the old ones away', async () => {
  const bench = await withBoth()
  const twin = makeTorrent({ name: 'one', length: 20_000, seed: 77 })
  const torrent = torrentOf(bench, one.infoHash)
  const end = makeDeferred<void>()
  torrent.moveEnd = end.promise
  await bench.downloads.patch(one.infoHash, { destination: '/data/new' })
  await settle()
  // It comes while the first is on its way.
  await bench.downloads.addFile(twin.torrent, { destination: '/data/old' })
  end.resolve()
  await settle()
  assert.deepEqual(places(bench, one.infoHash), ['/data/new', null, null])
  assert.deepEqual(torrent.calls, [])
  await bench.downloads.patch(twin.infoHash, { destination: '/data/new' })
  await settle()
  assert.deepEqual(places(bench, twin.infoHash), ['/data/new', null, null])
  assert.deepEqual(torrentOf(bench, twin.infoHash).calls, ['leave /data/old'])
})

test('where the disks do not tell, files stay until the next request or start', async () => {
  const bench = await withBoth()
  const far = makeTorrent({ name: 'far', length: 1000, seed: 78 })
  await bench.downloads.addFile(far.torrent, { destination: '/far' })
  bench.badFolders.add('/far')
  await bench.downloads.patch(one.infoHash, { destination: '/data/new' })
  await settle()
  assert.deepEqual(places(bench, one.infoHash), ['/data/new', null, '/data/old'])
  assert.deepEqual(torrentOf(bench, one.infoHash).calls, [])
  bench.badFolders.delete('/far')
  // What a disk said of a folder counts for a minute.
  bench.clock.advance(60_000)
  const third = () => bench.downloads.patch(one.infoHash, { destination: '/data/third' })
  await assert.rejects(third(), refuses('StateConflict'))
  await settle()
  assert.deepEqual(places(bench, one.infoHash), ['/data/new', null, null])
  assert.deepEqual(torrentOf(bench, one.infoHash).calls, ['leave /data/old'])
})

test('a rename: the row says the new names when all files have them, and nothing of one that failed', async () => {
  const bench = await withBoth()
  const torrent = torrentOf(bench, one.infoHash)
  const names = (): unknown => bench.records.rows.get(one.infoHash)?.renames
  assert.equal(await bench.downloads.renameFile(one.infoHash, { path: '', name: 'uno' }), true)
  const uno = { now: [['one', 'uno']], to: null, from: null }
  assert.deepEqual(names(), uno)
  assert.deepEqual(torrent.calls, ['leave /data/old'])
  const [move] = torrent.moves
  assert.deepEqual([move?.destination, move?.resumed, move?.fresh], ['/data/old', false, ['uno']])
  assert.deepEqual(
    move?.files?.map(file => file.path),
    [['uno']],
  )
  torrent.moveEnd = Promise.reject(new AppError('DiskFull'))
  torrent.moveEnd.catch(() => undefined)
  await assert.rejects(bench.downloads.renameFile(one.infoHash, { path: '', name: 'eins' }), refuses('DiskFull'))
  assert.deepEqual(names(), uno)
  await assert.rejects(bench.downloads.renameFile(one.infoHash, { path: 'x', name: 'y' }), refuses('FileNotFound'))
  await assert.rejects(
    bench.downloads.renameFile(two.infoHash, { path: '', name: '../y' }),
    refuses('InvalidParameter'),
  )
  bench.badFolders.add('/data/old')
  await assert.rejects(
    bench.downloads.renameFile(one.infoHash, { path: '', name: 'eins' }),
    refuses('InvalidParameter'),
  )
  assert.deepEqual(names(), uno)
})

test('a rename waits for no move and no move for it: the one that comes is refused', async () => {
  const bench = await withBoth()
  const torrent = torrentOf(bench, one.infoHash)
  torrent.moveEnd = makeDeferred<void>().promise
  await bench.downloads.patch(one.infoHash, { destination: '/data/new' })
  const renamed = bench.downloads.renameFile(one.infoHash, { path: '', name: 'uno' })
  await assert.rejects(renamed, refuses('StateConflict'))
  assert.deepEqual(places(bench, one.infoHash), ['/data/old', '/data/new', null])
})
