// DHT nodes of ours on real sockets and the real clock, many in this process: a network for other clients to live in.

import { execFileSync } from 'node:child_process'
import type { PeerAddress } from '../../../src/base/ids.ts'
import { DhtNode } from '../../../src/dht/node.ts'
import { type DhtOptions, defaultDhtOptions } from '../../../src/dht/types.ts'
import { SystemClock } from '../../../src/io/clock.ts'
import { nodeEd25519 } from '../../../src/io/ed25519.ts'
import { SystemRandom } from '../../../src/io/random.ts'
import { DgramNetwork } from '../../../src/io/net/udp-dgram.ts'
import { waitFor } from '../wait-for.ts'

/** A node and where it is. */
export interface RealDhtNode {
  readonly address: PeerAddress
  readonly dht: DhtNode
  stop(): Promise<void>
}

/** Starts a node at `ip` and a free port; it knows `contacts`. `heard` gets a copy of each datagram. */
export async function startDhtNode(
  ip: string,
  contacts: readonly PeerAddress[],
  options: Partial<DhtOptions> = {},
  heard: (bytes: Uint8Array) => void = () => undefined,
): Promise<RealDhtNode> {
  const family = ip.includes(':') ? 6 : 4
  const socket = await new DgramNetwork().bind({ family, ip, port: 0 }, (bytes, from) => {
    heard(Uint8Array.from(bytes))
    dht.receive(family, bytes, from)
  })
  const bootstrap = contacts.map(contact => ({ host: contact.ip, port: contact.port }))
  const dht: DhtNode = new DhtNode(
    { ...defaultDhtOptions, bootstrap, ...options },
    {
      clock: new SystemClock(),
      random: new SystemRandom(),
      resolver: { resolve: () => Promise.reject(new Error('no such name')) },
      ed25519: nodeEd25519,
      senders: { 4: family === 4 ? socket : null, 6: family === 6 ? socket : null },
    },
    null,
  )
  dht.start()
  return {
    address: { ip, port: socket.address.port },
    dht,
    stop: async () => {
      dht.stop()
      await socket.close()
    },
  }
}

/** A network of nodes, one at each of `ips`, of which the first are known to the others. */
export async function startDhtNetwork(ips: readonly string[]): Promise<RealDhtNode[]> {
  const nodes: RealDhtNode[] = []
  for (const ip of ips) {
    const contacts = nodes.slice(0, 3).map(node => node.address)
    nodes.push(await startDhtNode(ip, contacts))
  }
  return nodes
}

/** Waits until each node knows `count` others, or all there are. */
export async function settled(nodes: readonly RealDhtNode[], count: number): Promise<void> {
  const known = (): number[] => nodes.map(node => node.dht.stats().good)
  await waitFor('a settled network', () => Math.min(...known()) >= Math.min(count, nodes.length - 1), 30_000, known)
}

/** Makes addresses that look public ones of the namespace (test/kit/netns); nothing leaves it. */
export function claimPublicAddresses(...networks: readonly string[]): void {
  for (const network of networks) execFileSync('ip', ['route', 'replace', 'local', network, 'dev', 'lo'])
}

/** Makes one IPv6 address of the namespace its own. */
export function claimAddress6(ip: string): void {
  execFileSync('ip', ['-6', 'addr', 'add', `${ip}/128`, 'dev', 'lo', 'nodad'])
}

/**
 * Lets Transmission believe in IPv6: it looks which address would reach a certain one of the network, and has no IPv6
 * DHT when that is none. Nothing is sent there.
 */
export function claimReach6(ip: string): void {
  execFileSync('ip', ['-6', 'route', 'replace', '2001:1890:1112:1::20/128', 'dev', 'lo', 'src', ip])
}
