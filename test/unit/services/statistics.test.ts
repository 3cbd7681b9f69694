// Statistics: zeros of the right type before anything runs, the counters of parts that do, sums that are true.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../../src/base/errors.ts'
import type { FetchedSource } from '../../../src/ports/source-fetch.ts'
import { NodeStatistics } from '../../../src/services/diagnostics/statistics.ts'
import { CountedFetch, sumOf } from '../../../src/services/diagnostics/work-counts.ts'
import { networkCounts } from '../../kit/doubles/network-counts.ts'

const none = { pending: 0, success: 0, failed: 0 }

function statistics(): NodeStatistics {
  return new NodeStatistics({
    databaseBytes: () => Promise.resolve(12_345),
    figures: { num_channels: () => Promise.resolve(7) },
    metadata: () => ({ pending: 2, success: 3, failed: 1 }),
    sources: () => none,
    overlay: () => null,
  })
}

test('before the engine runs there are zeros and no overlay', async () => {
  const made = statistics()
  assert.deepEqual(made.communities(), [])
  assert.deepEqual(made.dispersy(), {
    wan_address: '0.0.0.0:0',
    lan_address: '0.0.0.0:0',
    connection: 'unknown',
    runtime: 0,
    total_downloaded: 0,
    total_uploaded: 0,
    packets_sent: 0,
    packets_received: 0,
  })
  const { torrent_queue_stats: queues, ...rest } = await made.tribler()
  assert.deepEqual(rest, { num_channels: 7, database_size: 12_345 })
  assert.deepEqual(queues, [
    { failed: 1, total: 6, pending: 2, success: 3, type: 'DHT' },
    { failed: 0, total: 0, pending: 0, success: 0, type: 'HTTP' },
  ])
})

test('then what its counters say, each in its place', () => {
  const made = statistics()
  made.setNetwork(networkCounts)
  assert.deepEqual(made.dispersy(), {
    wan_address: '198.51.100.1:8',
    lan_address: '[fd00::1]:7',
    connection: 'public',
    runtime: 12.5,
    total_downloaded: 400,
    total_uploaded: 300,
    packets_sent: 1,
    packets_received: 2,
  })
  assert.deepEqual(made.communities(), [
    {
      identifier: 'mainline_dht6',
      member: 'ab',
      classification: 'MainlineDHT',
      candidates: 7,
      global_time: 0,
      packets_sent: 8,
      packets_received: 9,
    },
  ])
})

test('a fetch is pending until it ends, and then well or not', async () => {
  const ends: ((source: FetchedSource | Error) => void)[] = []
  const counted = new CountedFetch({
    fetch: () =>
      new Promise((resolve, reject) => {
        ends.push(end => (end instanceof Error ? reject(end) : resolve(end)))
      }),
    close: () => Promise.resolve(),
  })
  const [good, bad] = [counted.fetch('http://a/'), counted.fetch('http://b/')]
  assert.deepEqual(counted.counts, { pending: 2, success: 0, failed: 0 })
  ends[0]?.({ kind: 'magnet', uri: 'magnet:?' })
  ends[1]?.(new AppError('SourceFailed'))
  assert.deepEqual(await good, { kind: 'magnet', uri: 'magnet:?' })
  await assert.rejects(bad, { code: 'SourceFailed' })
  assert.deepEqual(counted.counts, { pending: 0, success: 1, failed: 1 })
  assert.deepEqual(sumOf(counted.counts, { pending: 1, success: 2, failed: 3 }), { pending: 1, success: 3, failed: 4 })
})
