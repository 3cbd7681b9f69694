// The overlay's DHT node against an asker whose packets the test writes: tokens, forged and too large values, floods,
// wrong mids, punctures; and against one who answers falsely.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  connectPeerRequest,
  connectPeerResponse,
  dhtPingRequest,
  dhtPingResponse,
  findRequest,
  findResponse,
  storePeerRequest,
  storePeerResponse,
  storeRequest,
  storeResponse,
} from '../../../../../src/chapters/overlay/wire/dht-messages.ts'
import { overlayNodeId } from '../../../../../src/chapters/overlay/wire/dht-node-id.ts'
import { encodeSignedValue, encodeUnsignedValue } from '../../../../../src/chapters/overlay/wire/dht-value.ts'
import { NO_ADDRESS } from '../../../../../src/chapters/overlay/wire/address.ts'
import { COMMUNITY_IDS, communityIdBytes } from '../../../../../src/chapters/overlay/wire/community-ids.ts'
import { punctureRequest } from '../../../../../src/chapters/overlay/wire/introduction-messages.ts'
import { prefixOf } from '../../../../../src/chapters/overlay/wire/packet.ts'
import { type OverlayNode, OverlayNetwork } from '../../kit/overlay-network.ts'
import { OverlayStranger } from '../../kit/overlay-stranger.ts'

const PREFIX = prefixOf(communityIdBytes(COMMUNITY_IDS.dht) as Uint8Array)
const KEY = Buffer.alloc(20, 0x33)
const US = { ip: '20.7.0.9', port: 8090 }

interface Rig {
  readonly network: OverlayNetwork
  readonly node: OverlayNode
  readonly asker: OverlayStranger
  settle(ms?: number): Promise<void>
  stranger(ip: string): OverlayStranger
  token(of: OverlayStranger): Promise<Uint8Array>
}

async function rig(): Promise<Rig> {
  const network = new OverlayNetwork(1)
  const node = await network.add({ bootstrap: [] })
  const stranger = (ip: string): OverlayStranger => new OverlayStranger(network.hub, PREFIX, ip)
  const settle = (ms = 600): Promise<void> => network.clock.advance(ms)
  const token = async (of: OverlayStranger): Promise<Uint8Array> => {
    of.send(findRequest, { identifier: 1, lan: NO_ADDRESS, target: KEY, offset: 0, forceNodes: true }, US)
    await settle()
    return of.received(findResponse).at(-1)?.token ?? new Uint8Array(20)
  }
  return { network, node, asker: stranger('30.0.0.1'), settle, stranger, token }
}

test('a value is stored with a token of the same asker and address only, and for its time', async () => {
  const { network, node, asker, stranger, settle, token } = await rig()
  const mine = await token(asker)
  const values = [encodeUnsignedValue(Buffer.from('v'))]
  const other = stranger('30.0.0.2')
  other.send(storeRequest, { identifier: 2, token: mine, target: KEY, values }, US)
  asker.send(storeRequest, { identifier: 3, token: Buffer.alloc(20, 1), target: KEY, values }, US)
  await settle()
  assert.equal(node.overlays.dhtStats.targets, 0)
  asker.send(storeRequest, { identifier: 4, token: mine, target: KEY, values }, US)
  await settle()
  assert.equal(asker.received(storeResponse)[0]?.identifier, 4)
  other.send(findRequest, { identifier: 5, lan: NO_ADDRESS, target: KEY, offset: 0, forceNodes: false }, US)
  await settle()
  assert.deepEqual(
    other.received(findResponse)[0]?.values.map(value => Buffer.from(value)),
    [Buffer.from(values[0] ?? [])],
  )
  await settle(310_000)
  asker.send(storeRequest, { identifier: 6, token: mine, target: Buffer.alloc(20, 9), values }, US)
  await settle()
  assert.equal(node.overlays.dhtStats.targets, 2)
  await settle(310_000)
  asker.send(storeRequest, { identifier: 7, token: mine, target: Buffer.alloc(20, 8), values }, US)
  await settle()
  assert.equal(node.overlays.dhtStats.targets, 2)
  await settle(3_700_000)
  assert.equal(node.overlays.dhtStats.targets, 0)
  await network.close()
})

test('forged, older, too large and too many values are not stored', async () => {
  const { network, node, asker, settle, token } = await rig()
  const good = encodeSignedValue(Buffer.from('new'), 5, asker.identity)
  const forged = Uint8Array.from(good)
  forged[4] = (forged[4] ?? 0) ^ 1
  const bad = [
    [forged],
    [Buffer.alloc(171)],
    [Buffer.from([9, 1])],
    [Buffer.alloc(0)],
    Array.from({ length: 9 }, () => good),
  ]
  for (const values of bad) {
    asker.send(storeRequest, { identifier: 2, token: await token(asker), target: KEY, values }, US)
    await settle()
  }
  assert.equal(asker.received(storeResponse).length, 0)
  assert.equal(node.overlays.dhtStats.targets, 0)
  const old = encodeSignedValue(Buffer.from('old'), 4, asker.identity)
  asker.send(storeRequest, { identifier: 3, token: await token(asker), target: KEY, values: [good, old] }, US)
  await settle(1_000)
  asker.send(findRequest, { identifier: 4, lan: NO_ADDRESS, target: KEY, offset: 0, forceNodes: false }, US)
  await settle()
  const found = asker.received(findResponse).at(-1)?.values ?? []
  assert.deepEqual(
    found.map(value => Buffer.from(value)),
    [Buffer.from(good)],
  )
  await network.close()
})

test('who asks more than ten times in five seconds waits; everybody is pinged and known', async () => {
  const { network, node, asker, settle } = await rig()
  for (let identifier = 0; identifier < 60; identifier++) asker.send(dhtPingRequest, { identifier }, US)
  await settle(1_000)
  assert.ok(asker.received(dhtPingResponse).length <= 13, String(asker.received(dhtPingResponse).length))
  assert.ok(asker.received(dhtPingRequest).length >= 1)
  assert.equal(node.overlays.dhtStats.nodes, 1)
  // It never answers: it is forgotten.
  await settle(200_000)
  assert.equal(node.overlays.dhtStats.nodes, 0)
  await network.close()
})

test('a peer stores itself under its own mid, is found by it, and is asked to puncture; silent it is forgotten', async () => {
  const { network, node, asker, stranger, settle, token } = await rig()
  const other = stranger('30.0.0.7')
  const { mid } = asker.identity
  asker.send(storePeerRequest, { identifier: 1, token: await token(asker), target: other.identity.mid }, US)
  await settle()
  assert.equal(node.overlays.dhtStats.storedPeers, 0)
  asker.send(storePeerRequest, { identifier: 2, token: await token(asker), target: mid }, US)
  await settle()
  assert.equal(asker.received(storePeerResponse)[0]?.identifier, 2)
  other.send(connectPeerRequest, { identifier: 8, lan: NO_ADDRESS, target: mid }, US)
  await settle()
  assert.deepEqual(other.received(connectPeerResponse)[0]?.nodes[0]?.address, asker.address)
  assert.ok(asker.received(punctureRequest).some(({ walkerWan }) => walkerWan.ip === other.address.ip))
  await settle(70_000)
  assert.equal(node.overlays.dhtStats.storedPeers, 0)
  await network.close()
})

test('an answer of somebody else than who was asked, or that names places it may not, leads nowhere', async () => {
  const { network, node, asker, stranger, settle } = await rig()
  asker.send(dhtPingRequest, { identifier: 1 }, US)
  await settle()
  const trap = stranger('192.168.3.3')
  const find = node.overlays.dht.find(KEY)
  await settle()
  const { identifier } = asker.received(findRequest).at(-1) ?? { identifier: 0 }
  const values = [encodeUnsignedValue(Buffer.from('lie'))]
  const liar = stranger('30.0.0.3')
  const nodes = [{ address: trap.address, publicKey: trap.identity.publicKey }]
  liar.send(findResponse, { identifier, token: KEY, values, nodes: [] }, US)
  asker.send(findResponse, { identifier, token: KEY, values: [], nodes }, US)
  await settle(10_000)
  assert.deepEqual(await find, [])
  assert.equal(trap.packets.length, 0)
  await network.close()
})

test('who is looked for by mid is only who has the key of it', async () => {
  const { network, node, asker, stranger, settle } = await rig()
  asker.send(dhtPingRequest, { identifier: 1 }, US)
  await settle()
  const wanted = stranger('30.0.0.4')
  const other = stranger('30.0.0.5')
  const connect = node.overlays.dht.connect(wanted.identity.mid)
  await settle()
  const asked = asker.received(findRequest).at(-1)
  asker.send(findResponse, { identifier: asked?.identifier ?? 0, token: KEY, values: [], nodes: [] }, US)
  await settle()
  const { identifier } = asker.received(connectPeerRequest).at(-1) ?? { identifier: 0 }
  const nodes = [{ address: other.address, publicKey: other.identity.publicKey }]
  asker.send(connectPeerResponse, { identifier, nodes }, US)
  await settle(10_000)
  assert.equal(await connect, null)
  assert.equal(other.packets.length, 0)
  await network.close()
})

test('the first node of an answer is punctured for the asker; a later one is asked through who named it', async () => {
  const { network, node, asker, stranger, settle } = await rig()
  asker.send(dhtPingRequest, { identifier: 1 }, US)
  await settle()
  const [x, y] = [stranger('30.0.1.1'), stranger('30.0.1.2')]
  x.send(findRequest, { identifier: 2, lan: NO_ADDRESS, target: KEY, offset: 0, forceNodes: true }, US)
  await settle()
  assert.deepEqual(x.received(findResponse)[0]?.nodes[0]?.address, asker.address)
  assert.deepEqual(asker.received(punctureRequest).at(-1)?.walkerWan, x.address)
  // x is a node of the table by now and does not answer; asker names y behind a third.
  const third = stranger('30.0.1.3')
  const nodes = [third, y].map(each => ({ address: each.address, publicKey: each.identity.publicKey }))
  const find = node.overlays.dht.find(KEY)
  await settle(100)
  const first = asker.received(findRequest).at(-1)
  asker.send(findResponse, { identifier: first?.identifier ?? 0, token: KEY, values: [], nodes }, US)
  await settle(100)
  assert.equal(y.received(findRequest).length, 0)
  assert.ok(third.received(findRequest).length > 0)
  const through = asker.received(findRequest).at(-1)
  assert.deepEqual(Buffer.from(through?.target ?? []), Buffer.from(overlayNodeId(y.address.ip, y.identity.mid)))
  asker.send(findResponse, { identifier: through?.identifier ?? 0, token: KEY, values: [], nodes: [] }, US)
  await settle(100)
  assert.equal(y.received(findRequest).length, 1)
  await settle(20_000)
  assert.deepEqual(await find, [])
  await network.close()
})
