// The figures of a node: what runs is shown in seconds and bytes, what does not run is left out.

import { circuitFamilies } from '../../../src/chapters/circuits/service/circuit-metrics.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MetricFamily } from '../../../src/services/diagnostics/metrics-api.ts'
import { FakeOverlay } from '../../kit/doubles/fake-overlay.ts'
import { type EngineMetrics, NodeMetrics, type ProcessFigures } from '../../../src/services/diagnostics/metrics.ts'

const process: ProcessFigures = {
  cpuSeconds: 1.5,
  residentBytes: 8e7,
  heapUsedBytes: 1e7,
  heapTotalBytes: 2e7,
  startedAtSeconds: 1.7e9,
  openDescriptors: null,
  loopBusySeconds: 0.25,
  loopDelay: { quantiles: [[0.5, 0.001]], sumSeconds: 2, count: 1000 },
}

const engine: EngineMetrics = {
  figures: () => ({
    session: {
      torrents: new Map([['seeding', 3]]),
      downBytes: 10,
      upBytes: 20,
      piecesVerified: 4,
      piecesFailed: 1,
      peersConnected: 7,
      peersHalfOpen: 2,
    },
    pool: {
      threads: 2,
      queuedJobs: 5,
      waiting: 6,
      workersLost: 0,
      openFiles: 9,
      lanesWaiting: 8,
      jobs: { 'piece.commit': { count: 4, waitMs: 250, runMs: 1500 } },
    },
    arenas: [{ id: 'block', slotCount: 10, freeCount: 4 }],
  }),
  counts: {
    datagrams: () => ({ packetsSent: 1, packetsReceived: 2, bytesSent: 3, bytesReceived: 4 }),
    runtimeSec: () => 0,
    overlays: () => [{ name: 'mainline_dht4', member: '', candidates: 12, packetsSent: 0, packetsReceived: 0 }],
    lanAddress: () => null,
    wanAddress: () => null,
    isPublic: () => false,
  },
}

function rowsOf(families: readonly MetricFamily[]): Map<string, number> {
  return new Map(
    families.flatMap(({ name, samples }) =>
      samples.map(({ suffix = '', labels = {}, value }) => [
        `${name}${suffix} ${Object.values(labels).join(' ')}`.trim(),
        value,
      ]),
    ),
  )
}

async function rows(running: EngineMetrics | null, overlay: FakeOverlay | null = null): Promise<Map<string, number>> {
  const deps = { version: '1.2.3', process: async () => process, databaseBytes: async () => 4096, volumes: () => [] }
  const others = () => (overlay?.running === true ? circuitFamilies(overlay) : [])
  return rowsOf(await new NodeMetrics({ ...deps, engine: () => running, overlay: () => overlay, others }).families())
}

test('before the engine runs: the process and the store alone', async () => {
  const found = await rows(null)
  assert.equal(found.get('tributary_info 1.2.3'), 1)
  assert.equal(found.get('process_cpu_seconds_total'), 1.5)
  assert.equal(found.get('tributary_database_bytes'), 4096)
  assert.equal(found.get('tributary_event_loop_delay_seconds 0.5'), 0.001)
  assert.equal(found.get('tributary_event_loop_delay_seconds_count'), 1000)
  assert.ok(![...found.keys()].some(name => /process_open_fds|tributary_(torrents|payload|peers|job)/.test(name)))
})

test('the engine: payload, pieces, peers, waits in seconds, slots and overlays', async () => {
  const found = await rows(engine)
  const expected: [string, number][] = [
    ['tributary_torrents seeding', 3],
    ['tributary_payload_bytes_total down', 10],
    ['tributary_payload_bytes_total up', 20],
    ['tributary_pieces_total verified', 4],
    ['tributary_pieces_total failed', 1],
    ['tributary_peers connected', 7],
    ['tributary_peers half_open', 2],
    ['tributary_jobs_waiting thread', 5],
    ['tributary_jobs_waiting queue', 6],
    ['tributary_jobs_waiting disk', 8],
    ['tributary_job_wait_seconds_sum piece.commit', 0.25],
    ['tributary_job_wait_seconds_count piece.commit', 4],
    ['tributary_job_run_seconds_sum piece.commit', 1.5],
    ['tributary_arena_slots block free', 4],
    ['tributary_arena_slots block lent', 6],
    ['tributary_udp_packets_total received', 2],
    ['tributary_overlay_nodes mainline_dht4', 12],
  ]
  for (const [name, value] of expected) assert.equal(found.get(name), value, name)
})

test('circuits: states, roles, places, candidates and bytes while overlays run; nothing of them before', async () => {
  const found = await rows(engine, new FakeOverlay().withEverything())
  const expected: [string, number][] = [
    ['tributary_overlay_nodes mainline_dht4', 12],
    ['tributary_overlay_nodes TunnelCommunity', 9],
    ['tributary_circuits ready', 2],
    ['tributary_circuits extending', 1],
    ['tributary_circuits closing', 1],
    ['tributary_circuits_of_others exit', 1],
    ['tributary_circuits_of_others rendezvous', 0],
    ['tributary_circuit_places taken', 3],
    ['tributary_circuit_places free', 17],
    ['tributary_circuit_candidates exit', 4],
    ['tributary_circuit_bytes_total own down', 90_000_000],
    ['tributary_circuit_bytes_total relayed both', 5_000_000],
    ['tributary_circuit_bytes_total exited up', 70_000],
    ['tributary_overlay_packets_total TunnelCommunity dropped', 3],
    ['tributary_overlay_bytes_total TunnelCommunity received', 2000],
  ]
  for (const [name, value] of expected) assert.equal(found.get(name), value, name)
  for (const quiet of [null, new FakeOverlay()]) {
    assert.ok(![...(await rows(engine, quiet)).keys()].some(name => name.includes('circuit')))
  }
})

test('names are those of Prometheus: counters end in _total, and nothing is reported twice', async () => {
  const deps = {
    version: '1',
    process: async () => process,
    databaseBytes: async () => 0,
    volumes: () => [],
    engine: () => engine,
    overlay: () => new FakeOverlay().withEverything(),
    others: () => circuitFamilies(new FakeOverlay().withEverything()),
  }
  const families = await new NodeMetrics(deps).families()
  assert.equal(new Set(families.map(({ name }) => name)).size, families.length)
  for (const { name, type, help } of families) {
    assert.match(name, /^[a-z][a-z0-9_]*$/)
    assert.equal(type === 'counter', name.endsWith('_total'), name)
    assert.match(help, /^[A-Z].*\.$/)
  }
})
