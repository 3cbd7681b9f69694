// Moves in the queue over doubles: the store first, then the engine and the list; kept over a restart.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError, type ErrorCode } from '../../../../../src/base/errors.ts'
import type { InfoHash } from '../../../../../src/base/ids.ts'
import { MAX_MOVED } from '../../../../../src/services/downloads/queue/queue-api.ts'
import { type DownloadsBench, FakeTorrent, type MemoryRecords, startDownloads } from '../../service-doubles.ts'

const refuses = (code: ErrorCode) => (error: unknown) => error instanceof AppError && error.code === code
const hashOf = (n: number): InfoHash => n.toString(16).padStart(40, '0') as InfoHash

async function withDownloads(count: number): Promise<DownloadsBench> {
  const bench = await startDownloads()
  for (let n = 1; n <= count; n += 1) await bench.downloads.add({ uri: `magnet:?xt=urn:btih:${hashOf(n)}` })
  return bench
}

/** Their numbers in the order of the queue, as the list has them. */
async function line({ downloads }: Pick<DownloadsBench, 'downloads'>): Promise<string> {
  const nothing = { peers: false, pieces: false, files: false }
  const records = []
  for await (const { infohash, queue_order, queue_position } of downloads.list(nothing))
    records.push({ n: Number.parseInt(infohash, 16), queue_order, queue_position })
  const byOrder = records.toSorted((a, b) => a.queue_order - b.queue_order)
  assert.deepEqual(
    byOrder.map(({ queue_position: place }) => place),
    byOrder.map((_, at) => at),
  )
  return byOrder.map(({ n }) => n).join(' ')
}

const torrentOrders = ({ engine }: DownloadsBench): string =>
  [...engine.torrents.values()]
    .map(torrent => {
      assert.ok(torrent instanceof FakeTorrent)
      return { n: Number.parseInt(torrent.infoHash, 16), order: torrent.queueOrder ?? 0 }
    })
    .toSorted((a, b) => a.order - b.order)
    .map(({ n }) => n)
    .join(' ')

const stored = (records: MemoryRecords): string =>
  [...records.rows.values()]
    .toSorted((a, b) => (a.queueOrder ?? a.position) - (b.queueOrder ?? b.position))
    .map(({ infoHash }) => Number.parseInt(infoHash, 16))
    .join(' ')

test('a move is in the store, in the engine and in the list, and is there after a restart', async () => {
  const bench = await withDownloads(4)
  assert.equal(await line(bench), '1 2 3 4')
  assert.equal(torrentOrders(bench), '1 2 3 4')
  const reply = await bench.downloads.moveInQueue([hashOf(4), hashOf(2), hashOf(99)], { step: 'top' })
  assert.deepEqual(reply, {
    modified: true,
    downloads: [
      { infohash: hashOf(2), queue_position: 0 },
      { infohash: hashOf(4), queue_position: 1 },
    ],
  })
  for (const shown of [await line(bench), torrentOrders(bench), stored(bench.records)]) assert.equal(shown, '2 4 1 3')
  const page = await bench.downloads.findPage({
    only: null,
    filter: '',
    sort: 'queue_order',
    descending: false,
    after: null,
    offset: 0,
    limit: 2,
    totals: false,
    facets: false,
  })
  assert.deepEqual(page.infohashes, [hashOf(2), hashOf(4)])
  const [json] = await bench.downloads.pageJson(page, ['queue_position'])
  assert.match(String(json), /"downloads":\[\{"queue_position":0\},\{"queue_position":1\}\]/)
  assert.equal(
    (await bench.downloads.record(hashOf(3), { peers: false, pieces: false, files: false })).queue_position,
    3,
  )
  await bench.downloads.stop()

  const again = await startDownloads(bench.records)
  assert.equal(await line(again), '2 4 1 3')
  assert.equal(torrentOrders(again), '2 4 1 3')
  await again.downloads.add({ uri: `magnet:?xt=urn:btih:${hashOf(5)}` })
  await again.downloads.moveInQueue([hashOf(2)], { step: 'bottom' })
  await again.downloads.add({ uri: `magnet:?xt=urn:btih:${hashOf(6)}` })
  assert.equal(await line(again), '4 1 3 5 2 6', 'a new one is behind all others')
})

test('rows of older versions have no place of their own: they come as they were added', async () => {
  const bench = await withDownloads(3)
  for (const [infoHash, row] of bench.records.rows) {
    const { queueOrder: _, ...old } = row
    bench.records.rows.set(infoHash, old)
  }
  const again = await startDownloads(bench.records)
  assert.equal(await line(again), '1 2 3')
  await again.downloads.moveInQueue([hashOf(3)], { before: hashOf(2) })
  assert.equal(stored(again.records), '1 3 2')
})

test('what the store refuses changes nothing; what is wrong is refused', async () => {
  const bench = await withDownloads(3)
  bench.records.failWith = new AppError('DiskFull')
  await assert.rejects(bench.downloads.moveInQueue([hashOf(3)], { step: 'top' }), refuses('DiskFull'))
  assert.equal(await line(bench), '1 2 3')
  assert.equal(torrentOrders(bench), '1 2 3')
  await assert.rejects(bench.downloads.moveInQueue([hashOf(9)], { step: 'top' }), refuses('DownloadNotFound'))
  await assert.rejects(bench.downloads.moveInQueue([hashOf(1)], { before: hashOf(9) }), refuses('DownloadNotFound'))
  const many = Array.from({ length: MAX_MOVED + 1 }, (_, n) => hashOf(n))
  await assert.rejects(bench.downloads.moveInQueue(many, { step: 'top' }), refuses('InvalidParameter'))
})

test('a download that is removed, or is added again, while a move is written is left as it is', async () => {
  const bench = await withDownloads(3)
  const write = bench.records.setQueueOrders.bind(bench.records)
  bench.records.setQueueOrders = async orders => {
    await bench.downloads.remove(hashOf(3), false)
    await write(orders)
    await bench.downloads.add({ uri: `magnet:?xt=urn:btih:${hashOf(3)}` })
  }
  await bench.downloads.moveInQueue([hashOf(3)], { step: 'top' })
  assert.equal(await line(bench), '1 2 3')
  assert.equal(torrentOrders(bench), '1 2 3')
})

test('moves at the same time are done one after the other', async () => {
  const bench = await withDownloads(4)
  await Promise.all([4, 3, 2].map(n => bench.downloads.moveInQueue([hashOf(n)], { step: 'top' })))
  assert.equal(await line(bench), '2 3 4 1')
})
