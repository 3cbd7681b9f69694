// Fifty addresses of one network took all places of a node, and peers that did nothing kept them for minutes: no other
// peer was served. Now a network has a quarter, and the peer that neither asked nor gave for longest makes room for a
// new one (decision 0480).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodePlain, encodeRequest } from '../../../src/wire/peer/messages.ts'
import { ExtensionPeer } from '../../kit/peers/extension-peer.ts'
import { FakePeer } from '../../kit/peers/fake-peer.ts'
import { type MadeTorrent, makeTorrent } from '../../kit/content/make-torrent.ts'
import { type SimNode, SimSwarm } from '../../kit/sim/sim-swarm.ts'
import { awake } from '../../kit/sim/awake.ts'

const KIB = 1024
const PLACES = 400
/** As the settings' defaults. */
const SESSION = {
  maxConnections: PLACES,
  maxConnectionsPerTorrent: PLACES,
  maxConnectionsPerIp: 8,
  uploadSlots: 8,
}

/** Who takes places and does as little as it can. */
class Crowd {
  readonly peers: ExtensionPeer[] = []
  readonly #swarm: SimSwarm
  readonly #node: SimNode
  /** Asks for a block of an allowed or unchoked piece a minute, and calls again when it is dropped. */
  readonly #stubborn: boolean

  constructor(swarm: SimSwarm, node: SimNode, stubborn: boolean) {
    this.#swarm = swarm
    this.#node = node
    this.#stubborn = stubborn
  }

  get connected(): number {
    return this.peers.filter(peer => peer.connected).length
  }

  /** Connections from these addresses, one each, a hundred a quarter of a second. */
  async come(torrent: MadeTorrent, ips: readonly string[], seed = false): Promise<void> {
    for (const [at, ip] of ips.entries()) {
      const options = { name: `a${this.peers.length}`, seed }
      const peer = new ExtensionPeer(this.#swarm.network.host(ip), torrent, () => this.#swarm.clock.now(), options)
      this.peers.push(peer)
      peer.connect(this.#node.address)
      if (at % 50 === 49) await this.advance(250)
    }
    await this.advance(2000)
  }

  /** Lets time pass. */
  async advance(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 250) {
      for (const [at, peer] of this.peers.entries()) this.#act(peer, at)
      await this.#swarm.clock.advance(Math.min(250, left))
    }
  }

  #act(peer: ExtensionPeer, at: number): void {
    if (!this.#stubborn) return
    if (peer.closed) return peer.connect(this.#node.address)
    if (!peer.connected) return
    if (!peer.messages.some(({ type }) => type === 'interested')) peer.send(encodePlain('interested'))
    const [allowed] = peer.messages.flatMap(message => (message.type === 'allowed-fast' ? [message.piece] : []))
    // Each in its own quarter of a second of the minute.
    const quarters = Math.round(this.#swarm.clock.now() / 250)
    if (quarters % 240 === at % 240) peer.send(encodeRequest(allowed ?? 0, 0, 16 * KIB))
  }

  async close(): Promise<void> {
    for (const peer of this.peers) await peer.close()
  }
}

const ATTACKS: readonly (readonly [string, boolean, string[]])[] = [
  ['fifty addresses of one /24', false, Array.from({ length: 400 }, (_, i) => `9.1.2.${1 + (i % 50)}`)],
  ['a /48 of IPv6', false, Array.from({ length: 400 }, (_, i) => `2a00:1:2:${(1 + i).toString(16)}::1`)],
  ['four hundred different /16', false, Array.from({ length: 400 }, (_, i) => `${20 + (i >> 8)}.${i & 255}.0.1`)],
  [
    'four hundred that ask one block a minute',
    true,
    Array.from({ length: 400 }, (_, i) => `${20 + (i >> 8)}.${i & 255}.0.1`),
  ],
]

for (const [name, stubborn, ips] of ATTACKS) {
  test(`honest peers are served within 5 s, and stay: ${name}`, { timeout: 120_000 }, async () => {
    const swarm = new SimSwarm(480)
    const torrent = makeTorrent({ length: 20_000 * KIB, pieceLength: 64 * KIB })
    const node = await swarm.seeder(torrent, { session: SESSION })
    const crowd = new Crowd(swarm, node, stubborn)
    await crowd.come(torrent, ips)
    await crowd.advance(65_000)
    if (name.includes('/24') || name.includes('/48')) assert.ok(crowd.connected <= PLACES / 4, `${crowd.connected}`)
    else assert.ok(crowd.connected >= PLACES - 8, `${crowd.connected} of the crowd connected`)
    const honest: FakePeer[] = []
    for (let i = 0; i < 4; i += 1) {
      const host = swarm.network.host(`8.8.${i}.7`, { downRate: 100 * KIB })
      const peer = new FakePeer(host, torrent, () => swarm.clock.now(), { has: () => false, leeches: 4 })
      swarm.peers.push(peer)
      honest.push(peer)
      peer.connect(node.address)
    }
    await crowd.advance(5000)
    assert.deepEqual(
      honest.map(peer => peer.blocks.length > 0),
      [true, true, true, true],
    )
    await crowd.advance(20_000)
    for (const peer of honest) assert.ok(peer.connected && peer.blocks.length >= 40, `${peer.blocks.length} blocks`)
    assert.ok(node.session.connections <= PLACES)
    await crowd.close()
    await swarm.close()
  })
}

test('who gives or takes slowly keeps its place when hundreds come, and one that misses data gets through to a seed', async () => {
  const swarm = new SimSwarm(481)
  const torrent = makeTorrent({ length: 1000 * KIB, pieceLength: 64 * KIB })
  const node = await swarm.node({ session: { ...SESSION, maxConnections: 40, maxConnectionsPerTorrent: 40 } })
  const handle = node.add(torrent)
  const slow = new FakePeer(swarm.network.host('8.8.1.1', { upRate: KIB }), torrent, () => swarm.clock.now(), {
    has: piece => piece === 0,
  })
  swarm.peers.push(slow)
  slow.connect(node.address)
  await swarm.clock.advance(40_000)
  const crowd = new Crowd(swarm, node, true)
  await crowd.come(
    torrent,
    Array.from({ length: 80 }, (_, i) => `20.${i}.0.1`),
    true,
  )
  await crowd.advance(10_000)
  assert.ok(slow.connected, 'who gives us a block every 16 s stays')
  const seed = new FakePeer(swarm.network.host('8.8.2.2', { upRate: 100 * KIB }), torrent, () => swarm.clock.now())
  swarm.peers.push(seed)
  const address = await seed.listen()
  // The slow one has given all it has: nothing comes any more.
  await swarm.clock.until('the slow one is done', () => handle.snapshot().downRate === 0, 120_000)
  awake(handle).addPeers([address])
  await crowd.advance(30_000)
  assert.equal(handle.snapshot().status, 'seeding')
  await crowd.close()
  await swarm.close()
})
