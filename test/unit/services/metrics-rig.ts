// What tests of the figures for Prometheus read: the figures of a made-up node, by name and labels.

import assert from 'node:assert/strict'
import type { OverlayNetwork } from '../../../src/ports/overlay-network.ts'
import type { MetricFamily } from '../../../src/services/diagnostics/metrics-api.ts'
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

/** An engine that has some of everything. */
export const engine: EngineMetrics = {
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
      hash: 'avx2',
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

/** All families; `overlay` and `others`: what chapters add. */
export function familiesOf(
  running: EngineMetrics | null,
  overlay: OverlayNetwork | null = null,
  others: () => readonly MetricFamily[] = () => [],
): Promise<readonly MetricFamily[]> {
  const deps = { version: '1.2.3', process: async () => process, databaseBytes: async () => 4096, volumes: () => [] }
  return new NodeMetrics({ ...deps, engine: () => running, overlay: () => overlay, others }).families()
}

/** Values by name, suffix and labels. */
export async function rows(...of: Parameters<typeof familiesOf>): Promise<Map<string, number>> {
  return rowsOf(await familiesOf(...of))
}

/** Names are those of Prometheus, and none is there twice. */
export function assertNames(families: readonly MetricFamily[]): void {
  assert.equal(new Set(families.map(({ name }) => name)).size, families.length)
  for (const { name, type, help } of families) {
    assert.match(name, /^[a-z][a-z0-9_]*$/)
    assert.equal(type === 'counter', name.endsWith('_total'), name)
    assert.match(help, /^[A-Z].*\.$/)
  }
}
