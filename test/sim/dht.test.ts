// A DHT of 250 nodes: what was announced is found, also when every fifth node lies, datagrams are lost, or many nodes
// go.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type InfoHash, infoHashFromBytes, type PeerAddress } from '../../src/base/ids.ts'
import type { PeerSearchOptions } from '../../src/dht/peer-search.ts'
import { compareDistance, idFromKey } from '../../src/wire/dht/dht-id.ts'
import { DhtNetwork, FALSE_PEER, type NetworkNode } from '../kit/sim/dht-network.ts'

const NODES = 250
const ANNOUNCERS = 5
const onlyLook: PeerSearchOptions = { announcePort: null, seed: false, impliedPort: false }

/** Some nodes announce a torrent; their addresses with the ports they announced. */
async function announce(network: DhtNetwork, infoHash: InfoHash): Promise<Set<string>> {
  const announced = new Set<string>()
  const step = Math.floor(network.nodes.length / ANNOUNCERS)
  for (let port = 5000; port < 5000 + ANNOUNCERS; port++) {
    const node = network.nodes[(port - 5000) * step + 1]
    assert.ok(node !== undefined)
    node.dht.peers(infoHash, { announcePort: port, seed: false, impliedPort: false }, () => undefined)
    announced.add(`${node.address.ip}:${port}`)
  }
  await network.clock.advance(60_000)
  return announced
}

/** What `node` finds, and the virtual milliseconds until it had found `wanted` (or all the time it was given). */
async function find(
  network: DhtNetwork,
  node: NetworkNode,
  infoHash: InfoHash,
  wanted: ReadonlySet<string>,
): Promise<{ found: Set<string>; tookMs: number }> {
  const found = new Set<string>()
  const startMs = network.clock.now()
  let tookMs = 60_000
  const source = node.dht.peers(infoHash, onlyLook, (peers: readonly PeerAddress[]) => {
    for (const { ip, port } of peers) found.add(`${ip}:${port}`)
    if ([...wanted].every(peer => found.has(peer))) tookMs = Math.min(tookMs, network.clock.now() - startMs)
  })
  await network.clock.advance(60_000)
  source.close()
  return { found, tookMs }
}

/** Nodes of the network that store peers, nearest to the torrent first: their places in the order of distance. */
function storingRanks(network: DhtNetwork, infoHash: InfoHash): number[] {
  const target = Uint8Array.from(Buffer.from(infoHash, 'hex'))
  const stats = network.nodes.flatMap(node => node.dht.stats()[4] ?? [])
  const id = (key: string): Uint8Array => idFromKey(key) ?? new Uint8Array(20)
  stats.sort((a, b) => compareDistance(target, id(a.id), id(b.id)))
  return stats.flatMap((one, rank) => (one.stored.torrents > 0 ? [rank] : []))
}

test('250 nodes: announces lie with the nearest, and everybody finds them quickly', async context => {
  const network = new DhtNetwork(250)
  await network.grow(NODES)
  const goods = network.nodes.map(node => node.dht.stats().good)
  assert.ok(Math.min(...goods) >= 8, `a node knows only ${Math.min(...goods)} others`)
  const infoHash = infoHashFromBytes(network.random.bytes(20))
  const announced = await announce(network, infoHash)
  const ranks = storingRanks(network, infoHash)
  assert.ok(ranks.length >= 8 && ranks.filter(rank => rank < 8).length >= 7, `stored at ranks ${ranks}`)
  for (let round = 0; round < 5; round++) {
    const { found, tookMs } = await find(network, network.someNode(), infoHash, announced)
    assert.deepEqual(found, announced)
    assert.ok(tookMs < 3000, `took ${tookMs} ms`)
  }
  context.diagnostic(`${network.hub.delivered} datagrams`)
  await network.close()
  assert.equal(network.clock.pending, 0)
})

test('every fifth node lies, and what was announced is found all the same', async context => {
  const network = new DhtNetwork(501)
  await network.grow(Math.floor(NODES * 0.4), 10_000)
  const liars = Array.from({ length: NODES / 5 }, () => network.addLiar(10))
  await network.grow(Math.floor(NODES * 0.4))
  const infoHash = infoHashFromBytes(network.random.bytes(20))
  const announced = await announce(network, infoHash)
  for (let round = 0; round < 5; round++) {
    const { found, tookMs } = await find(network, network.someNode(), infoHash, announced)
    found.delete(`${FALSE_PEER.ip}:${FALSE_PEER.port}`)
    assert.deepEqual(found, announced)
    assert.ok(tookMs < 30_000, `took ${tookMs} ms`)
  }
  const lies = liars.reduce((sum, liar) => sum + liar.lies, 0)
  assert.ok(lies > 200, `only ${lies} lies were told`)
  context.diagnostic(`${lies} lies, ${network.hub.delivered} datagrams`)
  await network.close()
})

test('lost datagrams and a third of the nodes gone: the rest finds what the rest announced', async () => {
  const network = new DhtNetwork(502, { lossPerMille: 30 })
  await network.grow(150)
  const infoHash = infoHashFromBytes(network.random.bytes(20))
  const announced = await announce(network, infoHash)
  const isAnnouncer = (node: NetworkNode): boolean => [...announced].some(key => key.startsWith(`${node.address.ip}:`))
  for (const [index, node] of network.nodes.entries()) if (index % 3 === 0 && !isAnnouncer(node)) node.stop()
  // One announce interval later everything has been announced to nodes that live.
  await network.clock.advance(20 * 60_000)
  const living = network.nodes.filter((node, index) => index % 3 !== 0 && !isAnnouncer(node))
  for (const node of living.slice(0, 5)) {
    const { found } = await find(network, node, infoHash, announced)
    assert.deepEqual(found, announced)
  }
  for (const node of living) {
    const good = node.dht.stats().good
    assert.ok(good >= 8, `a node is left with ${good} good nodes`)
  }
  await network.close()
})

test('a flood at one node holds up neither its lookups nor its answers to others', async () => {
  const network = new DhtNetwork(503)
  await network.grow(60)
  const infoHash = infoHashFromBytes(network.random.bytes(20))
  const announced = await announce(network, infoHash)
  const victim = network.someNode()
  const before = victim.socket.sentDatagrams
  const ping = Buffer.from('d1:ad2:id20:abcdefghij0123456789e1:q4:ping2:roi1e1:t2:aa1:y1:qe')
  const floods = network.clock.every(20, () => {
    for (let i = 0; i < 20; i++) network.hub.deliver(ping, { ip: '203.0.114.9', port: 1000 + i }, victim.address)
  })
  const { found } = await find(network, victim, infoHash, announced)
  floods.cancel()
  assert.deepEqual(found, announced)
  // 60 s at 10 answers a second, the burst, and its own traffic; 60,000 queries came.
  const sent = victim.socket.sentDatagrams - before
  assert.ok(sent < 1200, `${sent} datagrams sent`)
  assert.ok((victim.dht.stats()[4]?.refusedQueries ?? 0) > 50_000)
  await network.close()
})
