// Statistics of a node with overlays: an entry each beside the DHT, and sums over both ports.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NodeStatistics } from '../../../../../src/services/diagnostics/statistics.ts'
import { FakeOverlay } from '../../kit/fake-overlay.ts'
import { networkCounts } from '../../../../kit/doubles/network-counts.ts'

const none = { pending: 0, success: 0, failed: 0 }

function statistics(overlay: FakeOverlay): NodeStatistics {
  return new NodeStatistics({
    databaseBytes: () => Promise.resolve(12_345),
    figures: {},
    metadata: () => none,
    sources: () => none,
    overlay: () => overlay,
  })
}

test('overlays of circuits: an entry each beside the DHT, their datagrams beside those of the port for peers', () => {
  const overlay = new FakeOverlay().withEverything()
  const made = statistics(overlay)
  made.setNetwork(networkCounts)
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
