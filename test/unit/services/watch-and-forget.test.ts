// Downloads that are watched and forgotten: their hours begin when the last reader leaves, over restarts too.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../../../src/base/errors.ts'
import { makeTorrent } from '../../kit/content/make-torrent.ts'
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
  assert.equal(one.engine.log.at(-1), `remove ${infoHash.slice(0, 4)} true`)
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
