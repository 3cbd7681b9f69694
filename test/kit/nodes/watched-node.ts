// What the tests in namespaces share: a node with everything turned on that could send, in the near host of
// two-hosts.ts, and counters that must stand still.

import assert from 'node:assert/strict'
import { downloadRecord } from './downloads-client.ts'
import { type NodeProcess, startNode } from './node-process.ts'
import type { TwoHosts } from './two-hosts.ts'
import { waitFor } from '../wait-for.ts'

/** Where nobody is: each try is a packet. */
export const NOBODY = '10.78.3.9'
/** Trackers where nobody is, by address and by name. */
export const DEAD_TRACKERS: readonly string[] = [
  `http://${NOBODY}/announce`,
  `udp://${NOBODY}:9/announce`,
  'http://tracker.example.org/announce',
  'udp://tracker.example.org:9/announce',
]
/** How long nothing may leave, ms: announces, dials, look-ups, searches and retransmissions would all show by then. */
const SILENCE_MS = 8_000

/** All ways to find and reach peers, and a webhook for every event. */
const EVERYTHING = {
  'libtorrent.utp': true,
  'libtorrent.dht': true,
  'libtorrent.dht_bootstrap': `${NOBODY}:6881,router.example.org:6881`,
  'libtorrent.pex': true,
  'libtorrent.lsd': true,
  'libtorrent.upnp': true,
  'libtorrent.natpmp': true,
  'webhooks.urls': `http://${NOBODY}/hook,http://hook.example.org/`,
  'webhooks.events': '',
  'network.allow_private': '10.78.0.0/16',
} as const

/** Runs `use` with such a node; it is stopped in the end. */
export async function withNode(
  hosts: TwoHosts,
  settings: Readonly<Record<string, string | number | boolean>>,
  use: (node: NodeProcess) => Promise<void>,
): Promise<void> {
  const node = await startNode({
    settings: { 'api.http_host': hosts.controlIp, ...EVERYTHING, ...settings },
    prefix: hosts.prefix('near'),
  })
  try {
    await use(node)
  } finally {
    await node.stop()
  }
}

/** Watches for SILENCE_MS that a counter stands still. */
export async function silent(count: () => number): Promise<void> {
  const start = performance.now()
  const before = count()
  await waitFor('the silence', () => {
    const now = count()
    assert.equal(now, before, `${now - before} packets left`)
    return performance.now() - start > SILENCE_MS
  })
}

/** A magnet with peers and trackers. */
export function magnetOf(infoHash: string, peers: readonly string[], trackers: readonly string[]): string {
  const parts = [...peers.map(peer => `x.pe=${peer}`), ...trackers.map(url => `tr=${encodeURIComponent(url)}`)]
  return [`magnet:?xt=urn:btih:${infoHash}`, ...parts].join('&')
}

/** The port the node listens at for peers. */
export async function peerPort(node: NodeProcess): Promise<number> {
  const { variables } = await node.get<{ variables: { ports: Record<string, number> } }>('/variables')
  return variables.ports['libtorrent~port'] ?? 0
}

/** Addresses of the peers a download is connected to. */
export async function connectedIps(node: NodeProcess, infoHash: string): Promise<string[]> {
  const record = (await downloadRecord(node, infoHash, '?get_peers=1')) as { peers?: readonly { ip: string }[] }
  return (record.peers ?? []).map(({ ip }) => ip)
}
