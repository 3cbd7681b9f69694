// The discovery overlay: lists of overlays sent and read, pings, the old form of requests; and where nodes begin:
// names, servers, nowhere.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PeerAddress } from '../../../../../src/base/ids.ts'
import { Bootstrap } from '../../../../../src/chapters/overlay/core/bootstrap.ts'
import { OwnAddresses } from '../../../../../src/chapters/overlay/core/own-addresses.ts'
import { NO_ADDRESS } from '../../../../../src/chapters/overlay/wire/address.ts'
import { COMMUNITY_IDS, communityIdBytes } from '../../../../../src/chapters/overlay/wire/community-ids.ts'
import {
  discoveryPing,
  discoveryPong,
  similarityRequest,
  similarityResponse,
} from '../../../../../src/chapters/overlay/wire/discovery-messages.ts'
import {
  introductionRequest,
  introductionResponse,
  oldDiscoveryRequest,
} from '../../../../../src/chapters/overlay/wire/introduction-messages.ts'
import { prefixOf } from '../../../../../src/chapters/overlay/wire/packet.ts'
import { FakeNames, OverlayNetwork } from '../../kit/overlay-network.ts'
import { OverlayStranger } from '../../kit/overlay-stranger.ts'
import { VirtualClock } from '../../../../kit/sim/virtual-clock.ts'

const idOf = (text: string): Uint8Array => communityIdBytes(text) as Uint8Array
const PREFIX = prefixOf(idOf(COMMUNITY_IDS.discovery))
const TUNNELS = idOf(COMMUNITY_IDS.tunnels)
const US = { ip: '20.7.0.9', port: 8090 }
const SIMILARITY = { globalTime: 1n, identifier: 5, lan: NO_ADDRESS, wan: NO_ADDRESS, flags: 0 }

test('who tells that it is in an overlay of ours is a peer there, and is asked for what it says of itself there', async () => {
  const network = new OverlayNetwork(1)
  const node = await network.add({ bootstrap: [] })
  const { overlay, introductions } = node.overlays.open({
    communityId: TUNNELS,
    name: 'TunnelCommunity',
    targetPeers: 0,
    maxPeers: 2,
  })
  introductions.setExtra(() => Uint8Array.of(0, 9))
  const peers = Array.from({ length: 4 }, (_, i) => new OverlayStranger(network.hub, PREFIX, `30.0.0.${i + 1}`))
  for (const peer of peers) {
    peer.send(similarityRequest, { ...SIMILARITY, ids: Buffer.concat([Buffer.alloc(20, 1), TUNNELS]) }, US)
    await network.clock.advance(200)
    const ids = peer.received(similarityResponse)[0]?.ids.map(id => Buffer.from(id).toString('hex'))
    assert.deepEqual(ids, [COMMUNITY_IDS.discovery, COMMUNITY_IDS.dht, COMMUNITY_IDS.tunnels])
  }
  assert.equal(overlay.peers().length, 2)
  const tunnels = prefixOf(TUNNELS)
  const asked = peers[0]?.packets.filter(packet => Buffer.from(packet.subarray(0, 22)).equals(tunnels)) ?? []
  assert.equal(asked.length, 1)
  assert.equal(asked[0]?.[22], introductionRequest.id)
  peers[0]?.send(similarityRequest, { ...SIMILARITY, globalTime: 9n, ids: Buffer.alloc(21) }, US)
  await network.clock.advance(200)
  assert.equal(peers[0]?.received(similarityResponse).length, 1)
  await network.close()
})

test('pings are answered; pongs that nobody waits for are dropped; the old form names whom to meet', async () => {
  const network = new OverlayNetwork(1)
  await network.add({ bootstrap: [] })
  const [a, b, c] = ['a', 'b', 'c'].map((name, i) => new OverlayStranger(network.hub, PREFIX, `30.0.1.${i + 1}`, name))
  assert.ok(a !== undefined && b !== undefined && c !== undefined)
  a.send(discoveryPing, { globalTime: 1n, identifier: 12 }, US)
  a.send(discoveryPong, { globalTime: 1n, identifier: 12 }, US)
  for (const peer of [a, b]) peer.ask(US)
  await network.clock.advance(500)
  assert.equal(a.received(discoveryPong)[0]?.identifier, 12)
  for (const [at, wanted] of [a, b, a, b].entries()) {
    const name = Buffer.concat([Buffer.from('Y'), wanted.identity.mid])
    const where = { destination: US, sourceLan: NO_ADDRESS, sourceWan: NO_ADDRESS, flags: 0 }
    c.send(
      oldDiscoveryRequest,
      { globalTime: BigInt(at), wanted: name, ...where, identifier: at, extra: new Uint8Array(0) },
      US,
    )
    await network.clock.advance(500)
    const answers: readonly { readonly introducedWan: PeerAddress }[] = c
      .received(introductionResponse)
      .filter(({ identifier }) => identifier === at)
    assert.deepEqual(answers[0]?.introducedWan, wanted.address)
  }
  await network.close()
})

test('our address is what most of those who answered say; local addresses say nothing', () => {
  const own = new OwnAddresses({ bound: () => ({ ip: '0.0.0.0', port: 8090 }), localIps: () => ['192.168.1.2'] })
  const from = (last: number): { ip: string; port: number } => ({ ip: `30.0.0.${last}`, port: 1 })
  own.vote(from(1), { ip: '192.168.1.2', port: 8090 })
  assert.equal(own.wan, null)
  own.vote(from(1), { ip: '80.1.1.1', port: 4000 })
  own.vote(from(2), { ip: '80.1.1.1', port: 4000 })
  for (let i = 0; i < 20; i++) own.vote(from(9), { ip: '99.9.9.9', port: 9 })
  assert.deepEqual(own.wan, { ip: '80.1.1.1', port: 4000 })
  for (let i = 3; i < 6; i++) own.vote(from(i), { ip: '80.2.2.2', port: 4000 })
  assert.deepEqual(own.wan, { ip: '80.2.2.2', port: 4000 })
  assert.deepEqual(own.lanFor(from(1)), { ip: '192.168.1.2', port: 8090 })
  assert.deepEqual(own.lanFor({ ip: '127.0.0.1', port: 1 }), { ip: '127.0.0.1', port: 8090 })
  assert.ok(own.isOurPort({ ip: '80.2.2.2', port: 4000 }) && own.isOurPort({ ip: '192.168.1.2', port: 8090 }))
  assert.ok(!own.isOurPort({ ip: '80.2.2.2', port: 4001 }))
})

test('servers are asked twice a minute at most; names are looked up; those of the network are never peers, those of settings may be', async () => {
  const clock = new VirtualClock()
  const resolver = new FakeNames()
  resolver.known.set('dispersy1.tribler.org', '130.161.1.1')
  const asked: string[] = []
  const ask = (address: { readonly ip: string; readonly port: number }): void =>
    void asked.push(`${address.ip}:${address.port}`)
  const network = new Bootstrap(null, { clock, resolver })
  network.ask('a', ask)
  await clock.advance(0)
  assert.equal(asked.length, 14)
  assert.equal(asked.at(-1), '130.161.1.1:6421')
  assert.ok(
    network.isServer({ ip: '130.161.1.1', port: 6421 }) && network.isServer({ ip: '130.161.119.206', port: 6422 }),
  )
  network.ask('a', ask)
  await clock.advance(29_000)
  assert.equal(asked.length, 14)
  network.ask('b', ask)
  await clock.advance(1_000)
  network.ask('a', ask)
  assert.equal(asked.length, 42)
  const chosen = new Bootstrap(
    [
      { host: '30.0.0.1', port: 5 },
      { host: 'nowhere.example', port: 6 },
    ],
    { clock, resolver },
  )
  asked.length = 0
  chosen.ask('a', ask)
  await clock.advance(0)
  assert.deepEqual(asked, ['30.0.0.1:5'])
  assert.ok(!chosen.isServer({ ip: '30.0.0.1', port: 5 }))
  chosen.stop()
  await clock.advance(60_000)
  chosen.ask('a', ask)
  assert.equal(asked.length, 1)
})
