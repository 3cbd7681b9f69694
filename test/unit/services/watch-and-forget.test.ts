// Downloads that are watched and forgotten: their hours begin when the last reader leaves, over restarts too.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../../../src/base/errors.ts'
import type { PatchDownload } from '../../../src/services/downloads/downloads-api.ts'
import { makeTorrent } from '../../kit/content/make-torrent.ts'
import { makeDeferred } from '../../../src/base/deferred.ts'
import { type DownloadsBench, type MemoryRecords, startDownloads } from './service-doubles.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const made = makeTorrent({ name: 'film.mkv', length: 100_000 })
const { infoHash } = made

/** Lets `ms` pass in minutes, as timers see it. */
async function pass(bench: DownloadsBench, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= MINUTE_MS) {
    bench.clock.advance(Math.min(left, MINUTE_MS))
    await nextTurn()
  }
  for (let turn = 0; turn < 5; turn++) await nextTurn()
}

async function bench(records?: MemoryRecords): Promise<DownloadsBench> {
  const started = await startDownloads(records)
  if (records === undefined) await started.downloads.addFile(made.torrent, { watch_and_forget: true })
  return started
}

const isThere = ({ records, engine }: DownloadsBench): boolean => {
  assert.equal(records.rows.has(infoHash), engine.torrents.has(infoHash))
  return records.rows.has(infoHash)
}

const forgotten = ({ emitted }: DownloadsBench): unknown[] => emitted.filter(([type]) => type === 'download_forgotten')

test('one that nobody reads goes with its files after its hours, and an event says so', async () => {
  const one = await bench()
  assert.equal(one.engine.torrents.get(infoHash)?.controls?.forgets, true)
  await pass(one, 23 * HOUR_MS)
  assert.ok(isThere(one))
  await pass(one, 2 * HOUR_MS)
  assert.ok(!isThere(one))
  assert.equal(one.engine.log.at(-1), `remove ${infoHash.slice(0, 4)} made`)
  assert.deepEqual(forgotten(one), [['download_forgotten', { infohash: infoHash, name: 'film.mkv' }]])
  await one.downloads.stop()
})

test('an open reader keeps it, however long; the hours begin when it leaves', async () => {
  const one = await bench()
  const file = await one.downloads.streamable(infoHash, '0', new AbortController())
  const reader = file.openReader()
  await pass(one, 100 * HOUR_MS)
  assert.ok(isThere(one))
  reader.close()
  await pass(one, 23 * HOUR_MS)
  assert.ok(isThere(one))
  // Answers from memory have no reader, and count.
  file.readNow?.(0, 1000, new Uint8Array(1000))
  await pass(one, 23 * HOUR_MS)
  assert.ok(isThere(one))
  await pass(one, 2 * HOUR_MS)
  assert.ok(!isThere(one))
})

test('a restart does not begin the hours anew, and a stop notes what was just read', async () => {
  const one = await bench()
  await pass(one, 20 * HOUR_MS)
  const file = await one.downloads.streamable(infoHash, '0', new AbortController())
  file.openReader().close()
  await one.downloads.stop()
  const atMs = one.clock.wallMs()
  assert.equal(one.records.rows.get(infoHash)?.readAtMs, atMs)
  const two = await bench(one.records)
  two.clock.advance(one.clock.now() - two.clock.now())
  await pass(two, 23 * HOUR_MS)
  assert.ok(isThere(two))
  await pass(two, 2 * HOUR_MS)
  assert.ok(!isThere(two))
})

test('while it is read the time reaches the store in good time: a kill takes ten minutes of its life at most', async () => {
  const one = await bench()
  const file = await one.downloads.streamable(infoHash, '0', new AbortController())
  file.openReader()
  for (let round = 0; round < 20; round++) {
    await pass(one, 7 * MINUTE_MS)
    const noted = one.records.rows.get(infoHash)?.readAtMs ?? 0
    assert.ok(one.clock.wallMs() - noted <= 11 * MINUTE_MS)
  }
})

test('hours that the settings change count at once; 0 keeps it', async () => {
  const one = await bench()
  one.settings.watchCacheHours = 0
  await pass(one, 200 * HOUR_MS)
  assert.ok(isThere(one))
  one.settings.watchCacheHours = 1
  await pass(one, 2 * MINUTE_MS)
  assert.ok(!isThere(one))
})

test('one that is told to forget begins its hours then; one that is told to stay stays, whenever it was read', async () => {
  const one = await startDownloads()
  await one.downloads.addFile(made.torrent, {})
  await pass(one, 500 * HOUR_MS)
  await one.downloads.patch(infoHash, { watch_and_forget: true })
  await pass(one, 2 * HOUR_MS)
  await one.downloads.patch(infoHash, { watch_and_forget: false })
  assert.equal(one.engine.torrents.get(infoHash)?.controls?.forgets, false)
  await pass(one, 500 * HOUR_MS)
  await one.downloads.patch(infoHash, { watch_and_forget: true, labels: ['films'] })
  await pass(one, 23 * HOUR_MS)
  await one.downloads.patch(infoHash, { watch_and_forget: true })
  assert.ok(isThere(one), 'what was read long ago does not count')
  await pass(one, 2 * HOUR_MS)
  assert.ok(!isThere(one), 'and saying it again does not make its life longer')
})

test('a disk that keeps its files does not keep it in the list; one that the store keeps is tried again', async () => {
  const one = await bench()
  one.engine.removeError = new AppError('DiskError')
  await pass(one, 25 * HOUR_MS)
  assert.ok(!isThere(one))
  assert.equal(forgotten(one).length, 1)
  const two = await bench()
  await pass(two, 23 * HOUR_MS)
  const removed = two.records.delete.bind(two.records)
  two.records.delete = () => Promise.reject(new AppError('DiskFull'))
  await pass(two, 2 * HOUR_MS)
  assert.ok(two.records.rows.has(infoHash))
  assert.equal(forgotten(two).length, 0)
  two.records.delete = removed
  await pass(two, HOUR_MS)
  assert.ok(!two.records.rows.has(infoHash))
  await two.downloads.stop()
})

/** Holds what the records are to write next until the answer is called. */
function holdRecords({ records }: DownloadsBench): () => void {
  const gate = makeDeferred<void>()
  const update = records.update.bind(records)
  records.update = async (...change) => {
    records.update = update
    await gate.promise
    return update(...change)
  }
  return () => gate.resolve()
}

test('whether it goes is decided in its turn: what was asked or opened meanwhile counts', async () => {
  const nothing = (): Promise<void> => Promise.resolve()
  const meanwhile: readonly [string, PatchDownload, (one: DownloadsBench) => Promise<void>][] = [
    ['it is to stay', { watch_and_forget: false }, nothing],
    [
      'somebody opens it',
      { labels: ['held'] },
      async ({ downloads }) => {
        const file = await downloads.streamable(infoHash, '0', new AbortController())
        file.openReader()
      },
    ],
    [
      'none goes any more',
      { labels: ['held'] },
      async ({ settings }) => {
        settings.watchCacheHours = 0
      },
    ],
  ]
  for (const [what, change, happens] of meanwhile) {
    const one = await bench()
    await pass(one, 23 * HOUR_MS)
    const release = holdRecords(one)
    const held = one.downloads.patch(infoHash, change)
    await pass(one, 2 * HOUR_MS)
    await happens(one)
    release()
    await held
    await pass(one, 5 * MINUTE_MS)
    assert.ok(isThere(one), what)
    assert.deepEqual(forgotten(one), [])
  }
})

test('removed and added again while it waited: another one, with hours of its own', async () => {
  const one = await bench()
  await pass(one, 23 * HOUR_MS)
  const release = holdRecords(one)
  const held = one.downloads.patch(infoHash, { labels: ['held'] })
  const removed = one.downloads.remove(infoHash, false)
  const added = one.downloads.addFile(made.torrent, { watch_and_forget: true })
  await pass(one, 2 * HOUR_MS)
  release()
  await Promise.all([held, removed, added])
  await pass(one, 5 * MINUTE_MS)
  assert.ok(isThere(one))
  assert.deepEqual(forgotten(one), [])
})

test('hours by which the clock is set ahead are none; set back, they begin again', async () => {
  const one = await bench()
  await pass(one, 2 * HOUR_MS)
  one.clock.setMs += 30 * HOUR_MS
  await pass(one, 21 * HOUR_MS)
  assert.ok(isThere(one), 'only the clock went on')
  await pass(one, 2 * HOUR_MS)
  assert.ok(!isThere(one))
  const two = await bench()
  await pass(two, 2 * HOUR_MS)
  two.clock.setMs -= 24 * 365 * HOUR_MS
  await pass(two, 23 * HOUR_MS)
  assert.ok(isThere(two))
  await pass(two, 2 * HOUR_MS)
  assert.ok(!isThere(two), 'it would have stayed for a year')
})

test('a clock that is wrong at the start, and set right an hour later, costs nobody anything', async () => {
  const one = await bench()
  await pass(one, 2 * HOUR_MS)
  await one.downloads.stop()
  const two = await startDownloads(one.records, false)
  two.clock.setMs = 24 * 365 * HOUR_MS
  await two.downloads.load(two.engine, null)
  await pass(two, 55 * MINUTE_MS)
  two.clock.setMs = one.clock.now() - two.clock.now()
  await pass(two, 20 * HOUR_MS)
  assert.ok(isThere(two))
  await pass(two, 5 * HOUR_MS)
  assert.ok(!isThere(two))
})

test('a note that the store refuses makes its life no shorter', async () => {
  const one = await bench()
  await pass(one, 23 * HOUR_MS)
  const file = await one.downloads.streamable(infoHash, '0', new AbortController())
  file.openReader().close()
  one.records.failWith = new AppError('DiskFull')
  await pass(one, 3 * HOUR_MS)
  assert.equal(one.records.failWith, null)
  assert.ok(isThere(one))
  await pass(one, 22 * HOUR_MS)
  assert.ok(!isThere(one))
})

test('one that could not be loaded stays in the list: its files would stay for ever', async () => {
  const one = await bench()
  await pass(one, 2 * MINUTE_MS)
  await one.downloads.stop()
  const row = one.records.rows.get(infoHash)
  assert.ok(row)
  one.records.rows.set(infoHash, { ...row, infoBytes: new Uint8Array([1]) })
  const two = await bench(one.records)
  await pass(two, 100 * HOUR_MS)
  assert.ok(two.records.rows.has(infoHash))
  assert.deepEqual(forgotten(two), [])
})

test('the last minutes of a reader count, also when they were not due to be noted', async () => {
  const one = await bench()
  await pass(one, MINUTE_MS)
  const file = await one.downloads.streamable(infoHash, '0', new AbortController())
  const reader = file.openReader()
  await pass(one, 8 * MINUTE_MS)
  reader.close()
  const closedMs = one.clock.wallMs()
  await pass(one, MINUTE_MS)
  assert.ok((one.records.rows.get(infoHash)?.readAtMs ?? 0) >= closedMs)
})

test('a version of what is followed stays in the list: with it the key would go', async () => {
  const one = await bench()
  one.downloads.setLineage(infoHash, { updateOf: 'key', updatedBy: null })
  await pass(one, 100 * HOUR_MS)
  assert.ok(isThere(one))
  one.downloads.setLineage(infoHash, null)
  await pass(one, 2 * MINUTE_MS)
  assert.ok(!isThere(one))
})

test('one whose files are on their way to another folder stays until they are there', async () => {
  const one = await bench()
  const end = makeDeferred<void>()
  const torrent = one.engine.torrents.get(infoHash)
  assert.ok(torrent)
  torrent.moveEnd = end.promise
  await one.downloads.patch(infoHash, { destination: '/elsewhere' })
  await pass(one, 30 * HOUR_MS)
  assert.ok(isThere(one))
  end.resolve()
  await pass(one, 5 * MINUTE_MS)
  assert.ok(!isThere(one))
})

test('where another download has the same files they stay, and only the list forgets it', async () => {
  const one = await bench()
  const same = makeTorrent({ name: 'film.mkv', length: 100_000, pieceLength: 16_384 })
  await one.downloads.addFile(same.torrent, {})
  assert.notEqual(same.infoHash, infoHash)
  await pass(one, 25 * HOUR_MS)
  assert.ok(!one.records.rows.has(infoHash))
  assert.equal(one.engine.log.at(-1), `remove ${infoHash.slice(0, 4)} false`)
  assert.ok(one.records.rows.has(same.infoHash))
})

test('where a disk cannot tell now whether another one has the same files it stays in the list, and is looked at again', async () => {
  const one = await bench()
  const elsewhere = makeTorrent({ name: 'other.mkv', length: 100_000 })
  await one.downloads.addFile(elsewhere.torrent, { destination: '/data/elsewhere' })
  one.badFolders.add('/data/elsewhere')
  await pass(one, 26 * HOUR_MS)
  assert.ok(isThere(one))
  one.badFolders.clear()
  await pass(one, 5 * MINUTE_MS)
  assert.ok(!isThere(one))
  assert.equal(one.engine.log.at(-1), `remove ${infoHash.slice(0, 4)} made`)
  await one.downloads.stop()
})

test('what stays of a download that is removed stays for good: one in the same place keeps what it has made', async () => {
  const one = await bench()
  const twin = makeTorrent({ name: 'film.mkv', length: 100_000, pieceLength: 65_536 })
  const elsewhere = makeTorrent({ name: 'other.mkv', length: 100_000 })
  for (const { torrent } of [twin, elsewhere]) await one.downloads.addFile(torrent, {})
  const asked = () => one.engine.torrents.get(infoHash)?.calls.filter(call => call === 'keepMade').length
  await one.downloads.remove(elsewhere.infoHash, false)
  assert.equal(asked(), 0)
  await one.downloads.remove(twin.infoHash, false)
  assert.equal(asked(), 1)
  await one.downloads.stop()
})
