// The smaller extensions in a torrent: donthave, the port of a DHT node, our address by `yourip`, places by priority,
// local discovery as the only source of peers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressKey, type PeerAddress } from '../../src/base/ids.ts'
import { LocalDiscovery } from '../../src/lsd/discovery.ts'
import { ExternalAddress } from '../../src/torrent/index.ts'
import { peerPriority } from '../../src/torrent/peers/peer-priority.ts'
import { encodeDontHave } from '../../src/wire/peer/lt-donthave.ts'
import { encodeHave, encodePlain, encodePort, encodeRequest } from '../../src/wire/peer/messages.ts'
import { ExtensionPeer, joinExtensionPeer } from '../kit/peers/extension-peer.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { MemoryCable } from '../kit/sim/memory-multicast.ts'
import { SeededRandom } from '../kit/sim/seeded-random.ts'
import { silentLog } from '../kit/doubles/silent-log.ts'
import { assertHolds, type SimNode, SimSwarm } from '../kit/sim/sim-swarm.ts'

const KIB = 1024

test('a piece that a peer gives up is not asked of it any more', async () => {
  const swarm = new SimSwarm(431)
  const torrent = makeTorrent({ length: 500 * KIB, pieceLength: 16 * KIB })
  const node = await swarm.node()
  const handle = node.add(torrent)
  const peer = await joinExtensionPeer(swarm, node, torrent, '10.7.0.1', { seed: true })
  const completed = (): number => handle.peers()[0]?.completed ?? -1
  assert.equal(completed(), 1)
  for (const piece of [0, 7, 31]) peer.tell('lt_donthave', encodeDontHave(piece))
  peer.tell('lt_donthave', encodeDontHave(7))
  await swarm.clock.advance(100)
  assert.equal(completed(), (32 - 3) / 32)
  assert.equal(handle.peers()[0]?.seed, false)
  peer.tell('lt_donthave', encodeDontHave(32))
  await swarm.clock.advance(100)
  assert.equal(peer.connected, false, 'there is no such piece')
  await peer.close()
  await swarm.close()
})

test('requests for a piece that is given up go to others', async () => {
  const swarm = new SimSwarm(432)
  const torrent = makeTorrent({ length: 500 * KIB, pieceLength: 16 * KIB })
  const node = await swarm.node()
  const handle = node.add(torrent)
  const fickle = await joinExtensionPeer(swarm, node, torrent, '10.7.0.1', { seed: true })
  fickle.send(encodePlain('unchoke'))
  await swarm.clock.until('asked', () => fickle.messages.some(message => message.type === 'request'), 5000)
  for (let piece = 0; piece < 32; piece += 1) fickle.tell('lt_donthave', encodeDontHave(piece))
  await swarm.clock.advance(100)
  assert.equal(handle.peers()[0]?.requestsOut, 0)
  assert.equal(handle.peers()[0]?.downInterested, false)
  await swarm.join(node, torrent)
  const tookMs = await swarm.complete(handle)
  assert.ok(tookMs < 20_000, `${tookMs} ms`)
  await fickle.close()
  await swarm.close()
})

test('losing pieces without end ends the connection', async () => {
  const swarm = new SimSwarm(433)
  const torrent = makeTorrent({ length: 500 * KIB, pieceLength: 16 * KIB })
  const node = await swarm.node()
  node.add(torrent)
  const peer = await joinExtensionPeer(swarm, node, torrent, '10.7.0.1', { seed: true })
  for (let round = 0; round < 150 && peer.connected; round += 1) {
    peer.tell('lt_donthave', encodeDontHave(3))
    await swarm.clock.advance(50)
    peer.send(encodeHave(3))
    await swarm.clock.advance(50)
  }
  assert.equal(peer.connected, false)
  await peer.close()
  await swarm.close()
})

test('peers hear of our DHT node and we of theirs, but not in a private torrent', async () => {
  for (const isPrivate of [false, true]) {
    const swarm = new SimSwarm(434)
    const torrent = makeTorrent({ length: 500 * KIB, private: isPrivate })
    const nodes: string[] = []
    const dht = { port: 7881, nodeAt: (address: PeerAddress) => nodes.push(addressKey(address)) }
    const node = await swarm.seeder(torrent, { swarm: { dht } })
    const peer = await joinExtensionPeer(swarm, node, torrent, '10.7.0.1', { dht: true })
    const without = await joinExtensionPeer(swarm, node, torrent, '10.7.0.2')
    const ports = (of: ExtensionPeer) => of.messages.flatMap(message => (message.type === 'port' ? [message.port] : []))
    for (let port = 0; port < 20; port += 1) peer.send(encodePort(port))
    await swarm.clock.advance(100)
    assert.equal(peer.nodeDht, !isPrivate)
    assert.deepEqual(ports(peer), isPrivate ? [] : [7881])
    assert.deepEqual(ports(without), [])
    assert.deepEqual(nodes, isPrivate ? [] : [1, 2, 3, 4, 5].map(port => `10.7.0.1:${port}`))
    await peer.close()
    await without.close()
    await swarm.close()
  }
})

test('peers tell us our address, and we tell them theirs', async () => {
  const swarm = new SimSwarm(435)
  const torrent = makeTorrent({ length: 500 * KIB })
  const external = new ExternalAddress(swarm.clock)
  const node = await swarm.seeder(torrent, { swarm: { external } })
  const yourIp = Uint8Array.of(8, 8, 4, 4)
  const local = await joinExtensionPeer(swarm, node, torrent, '10.7.0.1', { yourIp })
  assert.equal(external.get(4), null, 'a neighbour sees us from inside')
  const peers = [local]
  for (const ip of ['9.1.0.1', '9.2.0.1']) peers.push(await joinExtensionPeer(swarm, node, torrent, ip, { yourIp }))
  assert.equal(external.get(4), '8.8.4.4')
  assert.equal(external.isSettled(4), true)
  assert.deepEqual([...(peers[1]?.shakes[0]?.yourIp ?? [])], [9, 1, 0, 1])
  const six = await joinExtensionPeer(swarm, node, torrent, '2a00::7', { yourIp: new Uint8Array(16).fill(0x2a) })
  assert.deepEqual([...(six.shakes[0]?.yourIp ?? [])], [0x2a, ...Array.from({ length: 14 }, () => 0), 7])
  assert.equal(external.get(6), '2a2a:2a2a:2a2a:2a2a:2a2a:2a2a:2a2a:2a2a')
  for (const peer of [...peers, six]) await peer.close()
  await swarm.close()
})

/** Asks for `count` blocks, so that its place is of use (decision 0480). */
function takeBlocks(peer: ExtensionPeer, count: number): void {
  peer.send(encodePlain('interested'))
  for (let index = 0; index < count; index++) peer.send(encodeRequest(index, 0, 16 * KIB))
}

test('when all places are taken by peers of use, one with a higher priority takes the one of the lowest', async () => {
  const swarm = new SimSwarm(436)
  const torrent = makeTorrent({ length: 500 * KIB })
  const external = new ExternalAddress(swarm.clock)
  external.vote('8.8.4.4', '9.9.9.9', 'tracker')
  const node = await swarm.seeder(torrent, { session: { maxConnectionsPerTorrent: 4 }, swarm: { external } })
  const own = { ip: '8.8.4.4', port: node.session.listenPort }
  const priorityOf = (ip: string): number => peerPriority(own, { ip, port: 1 })
  const ips = Array.from({ length: 12 }, (_, i) => `${20 + i}.${i * 7}.3.1`).sort(
    (a, b) => priorityOf(a) - priorityOf(b),
  )
  const [lowest = '', ...others] = ips
  const highest = others.pop() ?? ''
  const here = new Map<string, ExtensionPeer>()
  for (const ip of others.slice(0, 4)) here.set(ip, await joinExtensionPeer(swarm, node, torrent, ip))
  const connected = (): string[] => [...here].filter(([, peer]) => peer.connected).map(([ip]) => ip)
  const knock = async (ip: string): Promise<ExtensionPeer> => {
    const peer = new ExtensionPeer(swarm.network.host(ip), torrent, () => swarm.clock.now())
    here.set(ip, peer)
    peer.connect(node.address)
    await swarm.clock.advance(1500)
    return peer
  }
  const early = await knock(highest)
  assert.equal(early.connected, false, 'nobody gives way who has only just come')
  for (const peer of here.values()) if (peer.connected) peer.send(encodePlain('interested'))
  await swarm.clock.advance(50_000)
  for (const peer of here.values()) if (peer.connected) takeBlocks(peer, 8)
  await swarm.clock.advance(10_000)
  await knock(lowest)
  assert.deepEqual(connected(), others.slice(0, 4))
  await knock(highest)
  assert.deepEqual(connected(), [...others.slice(1, 4), highest])
  for (const peer of [...here.values(), early]) await peer.close()
  await swarm.close()
})

test('local discovery alone brings peers together', async () => {
  const swarm = new SimSwarm(437)
  const torrent = makeTorrent({ length: 500 * KIB })
  const cable = new MemoryCable()
  const discoveries: LocalDiscovery[] = []
  const discover = async (node: SimNode, seed: number): Promise<void> => {
    const discovery = new LocalDiscovery(
      { families: [4] },
      {
        clock: swarm.clock,
        random: new SeededRandom(seed),
        log: silentLog,
        multicast: cable.host({ 4: node.host.ip, 6: '::' }),
        listenPort: () => node.session.listenPort,
        torrents: () => Array.from(node.session.list(), handle => handle.infoHash),
        wants: infoHash => node.session.get(infoHash)?.awake?.metainfo?.private === false,
        found: (infoHash, peer) => node.session.get(infoHash)?.awake?.addPeers([peer]),
      },
    )
    await discovery.start()
    discoveries.push(discovery)
  }
  const seed = await swarm.seeder(torrent)
  await discover(seed, 1)
  await swarm.clock.advance(60_000)
  const node = await swarm.node()
  const handle = node.add(torrent)
  await discover(node, 2)
  await swarm.complete(handle, 60_000)
  assertHolds(node, torrent)
  for (const discovery of discoveries) await discovery.stop()
  await swarm.close()
})
