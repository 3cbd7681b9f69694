// Holepunching on the memory network: asking for an introduction, being introduced, introducing others, and what a liar
// gets. uTP is a second memory network beside that of TCP.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PeerAddress } from '../../src/base/ids.ts'
import { decodeHolepunch, encodeHolepunch, HOLEPUNCH_ERRORS } from '../../src/wire/peer/ut-holepunch.ts'
import { encodePex } from '../../src/wire/peer/ut-pex.ts'
import { ExtensionPeer, type ExtensionPeerOptions } from '../kit/peers/extension-peer.ts'
import { type MadeTorrent, makeTorrent } from '../kit/content/make-torrent.ts'
import { type MemoryHost, MemoryNetwork } from '../kit/sim/memory-network.ts'
import { type SimNode, SimSwarm } from '../kit/sim/sim-swarm.ts'

const KIB = 1024
const IDS = { ut_pex: 11, ut_holepunch: 12 }
const FLAGS = { encryption: false, seed: false, utp: true, holepunch: true, reachable: false }

/** A swarm whose node has uTP, from `utpHost`. */
class Rig {
  readonly swarm: SimSwarm
  readonly torrent: MadeTorrent
  readonly utp: MemoryNetwork
  readonly utpHost: MemoryHost
  readonly #peers: ExtensionPeer[] = []

  constructor(seed: number, isPrivate = false) {
    this.swarm = new SimSwarm(seed)
    this.torrent = makeTorrent({ length: 500 * KIB, private: isPrivate })
    this.utp = new MemoryNetwork(this.swarm.clock)
    this.utpHost = this.utp.host('10.0.0.1')
  }

  node(): Promise<SimNode> {
    return this.swarm.seeder(this.torrent, { swarm: { utp: this.utpHost } })
  }

  peer(host: MemoryHost, options: ExtensionPeerOptions): ExtensionPeer {
    const peer = new ExtensionPeer(host, this.torrent, () => this.swarm.clock.now(), options)
    this.#peers.push(peer)
    return peer
  }

  /** A scripted peer that has come to the node by TCP. */
  async join(node: SimNode, ip: string, options: ExtensionPeerOptions): Promise<ExtensionPeer> {
    const peer = this.peer(this.swarm.network.host(ip), options)
    peer.connect(node.address)
    await this.swarm.clock.until('shaken hands', () => peer.shakes.length > 0, 10_000)
    await this.swarm.clock.advance(100)
    return peer
  }

  async close(): Promise<void> {
    for (const peer of this.#peers) await peer.close()
    await this.swarm.close()
  }
}

const punches = (peer: ExtensionPeer) => peer.of('ut_holepunch').map(decodeHolepunch)
const rendezvous = (address: PeerAddress): Uint8Array => encodeHolepunch({ type: 'rendezvous', address })
const connect = (address: PeerAddress): Uint8Array => encodeHolepunch({ type: 'connect', address })

test('who cannot be reached is asked for at the peer that named him, and called by uTP', async () => {
  const rig = new Rig(411)
  const node = await rig.node()
  const relay = await rig.join(node, '10.7.0.1', { ids: IDS })
  const hidden = { ip: '10.7.0.2', port: 4002 }
  // By TCP nobody is there.
  const target = rig.peer(rig.utp.host(hidden.ip), { ids: IDS })
  await target.listen(hidden.port)
  relay.tell('ut_pex', encodePex({ added: [{ address: hidden, flags: FLAGS }], dropped: [] }))
  await rig.swarm.clock.until('asked', () => punches(relay).length > 0, 30_000)
  assert.deepEqual(punches(relay), [{ type: 'rendezvous', address: hidden }])
  assert.equal(rig.utpHost.connects, 0, 'not before the other side calls too')
  relay.tell('ut_holepunch', connect(hidden))
  await rig.swarm.clock.until('connected', () => target.connected, 5000)
  assert.equal(rig.utpHost.connects, 1)
  assert.equal(node.host.connects, 1)
  await rig.close()
})

test('an introduction that leads nowhere is asked for a few times, not for ever', async () => {
  const rig = new Rig(412)
  const node = await rig.node()
  const relay = await rig.join(node, '10.7.0.1', { ids: IDS })
  const hidden = { ip: '10.7.0.2', port: 4002 }
  relay.tell('ut_pex', encodePex({ added: [{ address: hidden, flags: FLAGS }], dropped: [] }))
  await rig.swarm.clock.until('asked', () => punches(relay).length > 0, 30_000)
  const refusal = encodeHolepunch({ type: 'error', address: hidden, code: HOLEPUNCH_ERRORS.notConnected })
  for (let minute = 0; minute < 30; minute += 1) {
    relay.tell('ut_holepunch', refusal)
    await rig.swarm.clock.advance(60_000)
  }
  assert.equal(punches(relay).length, 3)
  assert.equal(rig.utpHost.connects, 0)
  await rig.close()
})

test('two peers that ask for it are introduced to each other', async () => {
  const rig = new Rig(413)
  const node = await rig.node()
  const asker = await rig.join(node, '10.7.0.1', { ids: IDS, listenPort: 4001 })
  const target = await rig.join(node, '10.7.0.2', { ids: IDS, listenPort: 4002 })
  asker.tell('ut_holepunch', rendezvous({ ip: '10.7.0.2', port: 4002 }))
  await rig.swarm.clock.advance(500)
  assert.deepEqual(punches(asker), [{ type: 'connect', address: { ip: '10.7.0.2', port: 4002 } }])
  assert.deepEqual(punches(target), [{ type: 'connect', address: { ip: '10.7.0.1', port: 4001 } }])
  await rig.close()
})

test('what cannot be introduced is refused with the reason; who does not offer it is not answered', async () => {
  const rig = new Rig(414)
  const node = await rig.node()
  const asker = await rig.join(node, '10.7.0.1', { ids: IDS, listenPort: 4001 })
  const plain = await rig.join(node, '10.7.0.2', { ids: { ut_pex: 1 }, listenPort: 4002 })
  const errorFor = async (address: PeerAddress): Promise<unknown> => {
    asker.tell('ut_holepunch', rendezvous(address))
    // One token of the bucket comes back.
    await rig.swarm.clock.advance(10_000)
    const answer = punches(asker).at(-1)
    assert.deepEqual(answer?.type === 'error' ? answer.address : null, address)
    return answer?.type === 'error' ? answer.code : null
  }
  assert.equal(await errorFor({ ip: '0.0.0.0', port: 0 }), HOLEPUNCH_ERRORS.noSuchPeer)
  assert.equal(await errorFor({ ip: '10.7.0.99', port: 1 }), HOLEPUNCH_ERRORS.notConnected)
  assert.equal(await errorFor({ ip: '10.7.0.2', port: 4002 }), HOLEPUNCH_ERRORS.noSupport)
  assert.equal(await errorFor({ ip: '10.7.0.1', port: 4001 }), HOLEPUNCH_ERRORS.noSelf)
  plain.tell('ut_holepunch', rendezvous({ ip: '10.7.0.1', port: 4001 }))
  plain.tell('ut_holepunch', connect({ ip: '10.7.0.3', port: 4003 }))
  await rig.swarm.clock.advance(5000)
  assert.equal(punches(asker).length, 4)
  assert.deepEqual(
    plain.received.filter(message => message.name !== 'ut_pex'),
    [],
  )
  assert.equal(rig.utpHost.connects, 0)
  await rig.close()
})

test('a peer that asks and names without end gets little done', async () => {
  const rig = new Rig(415)
  const node = await rig.node()
  const liar = await rig.join(node, '10.7.0.1', { ids: IDS, listenPort: 4001 })
  const victim = await rig.join(node, '10.7.0.2', { ids: IDS, listenPort: 4002 })
  for (let i = 0; i < 200; i += 1) {
    liar.tell('ut_holepunch', rendezvous({ ip: '10.7.0.2', port: 4002 }))
    liar.tell('ut_holepunch', connect({ ip: '10.9.0.1', port: 1000 + i }))
  }
  await rig.swarm.clock.advance(3000)
  assert.equal(punches(liar).length, 5)
  assert.equal(punches(victim).length, 5)
  assert.ok(rig.utpHost.connects <= 5, `${rig.utpHost.connects} calls`)
  // Whom we are connected to is not called again.
  await rig.swarm.clock.advance(60_000)
  const calls = rig.utpHost.connects
  liar.tell('ut_holepunch', connect({ ip: '10.7.0.2', port: 4002 }))
  await rig.swarm.clock.advance(3000)
  assert.equal(rig.utpHost.connects, calls)
  await rig.close()
})

test('a private torrent takes no part in it, and without uTP it is not offered', async () => {
  const rig = new Rig(416, true)
  const node = await rig.node()
  const peer = await rig.join(node, '10.7.0.1', { ids: IDS, listenPort: 4001 })
  assert.equal(peer.nodeId('ut_holepunch'), 0)
  await rig.close()
  const plain = new SimSwarm(417)
  const torrent = makeTorrent({ length: 500 * KIB })
  const other = await plain.seeder(torrent)
  const asker = new ExtensionPeer(plain.network.host('10.7.0.1'), torrent, () => plain.clock.now(), { ids: IDS })
  asker.connect(other.address)
  await plain.clock.until('shaken hands', () => asker.shakes.length > 0, 10_000)
  assert.equal(asker.nodeId('ut_holepunch'), 0)
  assert.ok(asker.nodeId('ut_pex') > 0)
  await asker.close()
  await plain.close()
})
