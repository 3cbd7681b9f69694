// What an order costs on the wire while it becomes known to all nodes of a market: nodes in memory on virtual time,
// real packets, no losses.

import { MarketNet } from '../kit/market-network.ts'
import type { Figures } from '../../../../bench/lib/samples.ts'

/** Long enough for every node to have compared its book with others. */
const IDLE_MS = 120_000
const ORDERS = 240
/** So many orders a second in all, of all nodes in turn. */
const EACH_MS = 250

/**
 * Bytes of all packets of the overlay that a node sends for an order of anybody, beyond what it sends when there are
 * none; how often a node sends each statement; what a node sends in a second when nothing happens.
 */
export async function gossip(nodes: number): Promise<Figures> {
  const net = new MarketNet(nodes)
  await net.grow(nodes, 120_000)
  const sent = (): number => net.nodes.reduce((all, node) => all + node.sent.bytes, 0)
  const told = (): number => net.nodes.reduce((all, { mesh }) => all + mesh.counts.told, 0)
  const first = sent()
  await net.clock.advance(IDLE_MS)
  const idleBytes = sent() - first
  const [bytes, copies] = [sent(), told()]
  for (let at = 0; at < ORDERS; at++) {
    net.place(net.nodes[at % nodes] ?? fail('no node'))
    await net.clock.advance(EACH_MS)
  }
  const tookMs = await net.clock.until('all books are equal', () => net.areEqual(), IDLE_MS)
  const idle = (idleBytes / IDLE_MS) * (ORDERS * EACH_MS + tookMs)
  const figures = {
    'wire bytes/order': (sent() - bytes - idle) / nodes / ORDERS,
    'copies/order': (told() - copies) / nodes / ORDERS,
    'idle B/s': (idleBytes * 1000) / IDLE_MS / nodes,
    'equal after ms': tookMs,
  }
  await net.close()
  return figures
}

function fail(why: string): never {
  throw new Error(why)
}
