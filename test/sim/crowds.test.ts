// One address does not take all places (decision 0368): peers that connect, addresses that trackers name, an IPv6
// network, many torrents; and the addresses that are exempt.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ExtensionPeer } from '../kit/peers/extension-peer.ts'
import { type MadeTorrent, makeTorrent } from '../kit/content/make-torrent.ts'
import { type SimNode, SimSwarm } from '../kit/sim/sim-swarm.ts'

const KIB = 1024
const MOST = 3
const SESSION = { maxConnectionsPerIp: MOST }

let names = 0

/** A peer at `ip` that calls the node and leeches nothing. */
function knock(swarm: SimSwarm, node: SimNode, torrent: MadeTorrent, ip: string): ExtensionPeer {
  const options = { name: `n${(names += 1)}` }
  const peer = new ExtensionPeer(swarm.network.host(ip), torrent, () => swarm.clock.now(), options)
  peer.connect(node.address)
  return peer
}

const connected = (peers: readonly ExtensionPeer[]): number => peers.filter(peer => peer.connected).length

async function close(swarm: SimSwarm, peers: readonly ExtensionPeer[]): Promise<void> {
  for (const peer of peers) await peer.close()
  await swarm.close()
}

for (const [kind, most, ipOf] of [
  ['an address', MOST, () => '9.1.0.1'],
  ['a network of IPv6', MOST, i => `2a00:1:2:3::${i + 1}`],
  ['networks of IPv6', 10, i => `2a00:1:2:${i}::1`],
  ['a local network', 10, () => '10.7.0.1'],
] as readonly [string, number, (i: number) => string][]) {
  test(`of ten that knock from ${kind} ${most} are let in, and others beside them`, async () => {
    const swarm = new SimSwarm(461)
    const torrent = makeTorrent({ length: 500 * KIB })
    const node = await swarm.seeder(torrent, { session: SESSION })
    const crowd = Array.from({ length: 10 }, (_, i) => knock(swarm, node, torrent, ipOf(i)))
    await swarm.clock.advance(2000)
    const other = knock(swarm, node, torrent, '9.2.0.1')
    await swarm.clock.advance(2000)
    assert.equal(connected(crowd), most)
    assert.ok(other.connected)
    // A place that was given up is there for the next.
    crowd.find(peer => peer.connected)?.hangUp()
    await swarm.clock.advance(2000)
    const late = [knock(swarm, node, torrent, ipOf(3)), knock(swarm, node, torrent, ipOf(4))]
    await swarm.clock.advance(2000)
    assert.equal(connected([...crowd, ...late]), most === MOST ? MOST : 11)
    await close(swarm, [...crowd, other, ...late])
  })
}

test('who is named with many ports is called at a few of them', async () => {
  const swarm = new SimSwarm(462)
  const torrent = makeTorrent({ length: 500 * KIB })
  const node = await swarm.node({ session: { ...SESSION, maxConnectionsPerTorrent: 8 } })
  const crowd: ExtensionPeer[] = []
  const addresses = []
  for (let port = 7000; port < 7020; port += 1) {
    const options = { name: `p${port}` }
    const peer = new ExtensionPeer(swarm.network.host('9.1.0.1'), torrent, () => swarm.clock.now(), options)
    addresses.push(await peer.listen(port))
    crowd.push(peer)
  }
  const handle = node.add(torrent)
  const announcer = node.announcers.made.get(torrent.infoHash)
  announcer?.answer(addresses)
  await swarm.clock.advance(5000)
  assert.equal(connected(crowd), MOST)
  assert.equal(node.host.connects, MOST)
  const seed = swarm.peer(torrent)
  announcer?.answer([await seed.listen()])
  await swarm.complete(handle, 60_000)
  await close(swarm, crowd)
})

test('of all torrents together an address has a quarter of the places', async () => {
  const swarm = new SimSwarm(463)
  const node = await swarm.node({ session: { ...SESSION, maxConnections: 20 } })
  const crowd: ExtensionPeer[] = []
  for (let seed = 1; seed <= 5; seed += 1) {
    const torrent = makeTorrent({ length: 500 * KIB, seed })
    node.add(torrent)
    for (let i = 0; i < 4; i += 1) crowd.push(knock(swarm, node, torrent, '9.1.0.1'))
    await swarm.clock.advance(2000)
  }
  assert.equal(connected(crowd), 5)
  await close(swarm, crowd)
})
