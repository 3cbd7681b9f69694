// Statistics: zeros of the right type before anything runs, the counters of parts that do, sums that are true.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../../src/base/errors.ts'
import type { NetworkCounts } from '../../../src/ports/network-counts.ts'
import type { FetchedSource } from '../../../src/ports/source-fetch.ts'
import { NodeStatistics } from '../../../src/services/diagnostics/statistics.ts'
import { CountedFetch, sumOf } from '../../../src/services/diagnostics/work-counts.ts'
import { FakeOverlay } from '../../kit/doubles/fake-overlay.ts'

const none = { pending: 0, success: 0, failed: 0 }

function statistics(overlay: FakeOverlay | null = null): NodeStatistics {
  return new NodeStatistics({
    databaseBytes: () => Promise.resolve(12_345),
    figures: { num_channels: () => Promise.resolve(7) },
    metadata: () => ({ pending: 2, success: 3, failed: 1 }),
    sources: () => none,
    overlay: () => overlay,
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

const network: NetworkCounts = {
  datagrams: () => ({ packetsSent: 1, packetsReceived: 2, bytesSent: 300, bytesReceived: 400 }),
  runtimeSec: () => 12.5,
  overlays: () => [{ name: 'mainline_dht6', member: 'ab', candidates: 7, packetsSent: 8, packetsReceived: 9 }],
  lanAddress: () => ({ ip: 'fd00::1', port: 7 }),
  wanAddress: () => ({ ip: '198.51.100.1', port: 8 }),
  isPublic: () => true,
}

test('then what its counters say, each in its place', () => {
  const made = statistics()
  made.setNetwork(network)
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

test('overlays of circuits: an entry each beside the DHT, their datagrams beside those of the port for peers', () => {
  const overlay = new FakeOverlay().withEverything()
  const made = statistics(overlay)
  made.setNetwork(network)
  const [dht, discovery, tunnel] = made.communities()
  assert.equal(dht?.classification, 'MainlineDHT')
  assert.equal(discovery?.classification, 'DiscoveryCommunity')
  assert.deepEqual(tunnel, {
    identifier: 'a4'.repeat(20),
    member: 'be'.repeat(20),
    classification: 'TunnelCommunity',
    candidates: 9,
    global_time: 777,
    packets_sent: 10,
    packets_received: 20,
    packets_dropped: 3,
    bytes_sent: 1000,
    bytes_received: 2000,
  })
  assert.deepEqual(made.dispersy(), {
    wan_address: '192.0.2.77:7759',
    lan_address: '192.168.1.5:7759',
    connection: 'public',
    runtime: 61.5,
    total_downloaded: 4400,
    total_uploaded: 2300,
    packets_sent: 21,
    packets_received: 42,
  })
  assert.deepEqual(made.ipv8(), { total_up: 2000, total_down: 4000, session_uptime: 61.5 })
  overlay.wan = null
  assert.equal(made.dispersy().wan_address, '198.51.100.1:8')
})

test('overlays that do not run are shown as nothing, whatever they remember', () => {
  const overlay = new FakeOverlay().withEverything()
  overlay.running = false
  const made = statistics(overlay)
  assert.deepEqual(made.communities(), [])
  assert.equal(made.dispersy().total_downloaded, 0)
  assert.equal(made.dispersy().lan_address, '0.0.0.0:0')
  assert.deepEqual(made.ipv8(), { total_up: 0, total_down: 0, session_uptime: 0 })
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
