// Introductions of one overlay against a peer whose packets the test writes: which node becomes a peer, which two are
// introduced, where a peer may have us send a puncture, and what is dropped.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Community } from '../../../../../src/chapters/overlay/core/index.ts'
import {
  introductionRequest,
  introductionResponse,
  newIntroductionRequest,
  newIntroductionResponse,
  newPuncture,
  newPunctureRequest,
  puncture,
  punctureRequest,
} from '../../../../../src/chapters/overlay/wire/introduction-messages.ts'
import { NO_ADDRESS } from '../../../../../src/chapters/overlay/wire/address.ts'
import type { CommunityOptions } from '../../../../../src/chapters/overlay/core/index.ts'
import { OverlayNetwork } from '../../kit/overlay-network.ts'
import { OverlayStranger } from '../../kit/overlay-stranger.ts'

const ID = Buffer.alloc(20, 0x42)
const US = { ip: '20.7.0.9', port: 8090 }
const EXTRA = Uint8Array.of(0, 9)

async function rig(options: Partial<CommunityOptions> = {}): Promise<{
  readonly network: OverlayNetwork
  readonly community: Community
  stranger(ip: string, name?: string): OverlayStranger
  settle(): Promise<void>
}> {
  const network = new OverlayNetwork(1)
  const node = await network.add({ bootstrap: [] })
  // Nobody is walked to: the test alone says what is sent.
  const community = node.overlays.open({ communityId: ID, name: 'TestCommunity', targetPeers: 0, ...options })
  return {
    network,
    community,
    stranger: (ip, name) => new OverlayStranger(network.hub, community.overlay.prefix, ip, name),
    settle: () => network.clock.advance(100),
  }
}

test('a node that asks becomes a peer, is answered with our extra bytes, and is introduced to another, which is asked to puncture', async () => {
  const { community, stranger, settle, network } = await rig()
  const told: string[] = []
  community.introductions.setExtra(() => EXTRA)
  community.introductions.onExtra((peer, extra) =>
    told.push(`${peer.address.ip} ${Buffer.from(extra).toString('hex')}`),
  )
  const [first, second] = [stranger('30.0.0.1'), stranger('30.0.0.2')]
  first.ask(US, { sourceLan: { ip: '192.168.1.5', port: 7000 } })
  await settle()
  assert.deepEqual(first.received(introductionResponse)[0]?.introducedWan, NO_ADDRESS)
  second.ask(US, { extra: Uint8Array.of(0, 1), identifier: 9, sourceLan: { ip: '10.0.0.4', port: 7000 } })
  await settle()
  const answer = second.received(introductionResponse)[0]
  assert.deepEqual(answer?.introducedWan, first.address)
  assert.deepEqual(answer.introducedLan, { ip: '192.168.1.5', port: 7000 })
  assert.equal(answer.identifier, 9)
  assert.deepEqual(answer.destination, second.address)
  assert.deepEqual(Buffer.from(answer.extra), Buffer.from(EXTRA))
  const asked = first.received(punctureRequest)[0]
  assert.deepEqual(asked?.walkerWan, second.address)
  assert.deepEqual(asked.walkerLan, { ip: '10.0.0.4', port: 7000 })
  assert.deepEqual(told, ['30.0.0.1 ', '30.0.0.2 0001'])
  assert.equal(community.overlay.peers().length, 2)
  await network.close()
})

test('a request of the new style is answered in the new style', async () => {
  const { community, stranger, settle, network } = await rig()
  const peer = stranger('30.0.0.3')
  const values = { sourceLan: NO_ADDRESS, sourceWan: NO_ADDRESS, flags: 0, identifier: 4, extra: EXTRA }
  peer.send(newIntroductionRequest, { globalTime: 1n, destination: US, ...values }, US)
  await settle()
  assert.equal(peer.received(newIntroductionResponse)[0]?.identifier, 4)
  peer.send(
    newPunctureRequest,
    { globalTime: 2n, walkerLan: NO_ADDRESS, walkerWan: { ip: '30.0.0.9', port: 7000 }, identifier: 6 },
    US,
  )
  const walker = stranger('30.0.0.9')
  await settle()
  assert.equal(walker.received(newPuncture)[0]?.identifier, 6)
  assert.equal(community.overlay.counts.packetsDropped, 0)
  await network.close()
})

test('an answer counts when it was asked for: then who gives it is a peer, and who it names is walked to', async () => {
  const { community, stranger, settle, network } = await rig({ targetPeers: 20 })
  const peer = stranger('30.0.0.4')
  const named = stranger('30.0.0.5')
  peer.answer(US, { identifier: 1, introducedWan: named.address })
  await settle()
  assert.equal(community.overlay.peers().length, 0)
  assert.equal(community.overlay.counts.packetsDropped, 1)
  community.introductions.ask(peer.address)
  await settle()
  peer.answer(US, { introducedWan: named.address })
  await network.clock.until('the named one is asked', () => named.received(introductionRequest).length > 0, 10_000)
  assert.equal(community.overlay.peers().length, 1)
  // Our address is what it says that we are seen as.
  assert.deepEqual(community.introductions.wan, US)
  await network.close()
})

test('who is on the internet cannot send us into local networks or to ourselves', async () => {
  const { community, stranger, settle, network } = await rig({ targetPeers: 20 })
  const liar = stranger('30.0.0.6')
  const places = [
    { ip: '192.168.0.1', port: 7000 },
    { ip: '127.0.0.1', port: 7000 },
    { ip: '224.0.0.1', port: 7000 },
    { ip: '30.0.0.7', port: 0 },
    US,
  ]
  const hit = places.slice(0, 3).map(({ ip }) => stranger(ip))
  for (const introducedWan of places) {
    community.introductions.ask(liar.address)
    await settle()
    liar.answer(US, { introducedWan, introducedLan: introducedWan })
    liar.send(
      punctureRequest,
      { globalTime: 1n, walkerLan: introducedWan, walkerWan: introducedWan, identifier: 1 },
      US,
    )
    await settle()
  }
  await network.clock.advance(20_000)
  for (const place of hit) assert.equal(place.packets.length, 0, place.address.ip)
  assert.ok(community.overlay.counts.packetsDropped >= 5)
  await network.close()
})

test('only who we know has us send a puncture, and not without end', async () => {
  const { community, stranger, settle, network } = await rig()
  const victim = stranger('30.0.0.8')
  const asker = stranger('30.0.0.10')
  const request = { walkerLan: NO_ADDRESS, walkerWan: victim.address, identifier: 3 }
  asker.send(punctureRequest, { globalTime: 1n, ...request }, US)
  await settle()
  assert.equal(victim.packets.length, 0)
  asker.ask(US)
  await settle()
  asker.send(punctureRequest, { globalTime: 2n, ...request }, US)
  await settle()
  assert.equal(victim.received(puncture).length, 1)
  for (let i = 0; i < 500; i++) asker.send(punctureRequest, { globalTime: 3n, ...request }, US)
  await settle()
  assert.ok(victim.packets.length < 40, String(victim.packets.length))
  assert.equal(community.overlay.peers().length, 1)
  await network.close()
})

test('strangers are dropped above the limit, who is a peer is answered still', async () => {
  const { community, stranger, settle, network } = await rig({ maxPeers: 3 })
  const all = Array.from({ length: 8 }, (_, i) => stranger(`31.0.0.${i + 1}`))
  for (const one of all) {
    one.ask(US)
    await settle()
  }
  assert.equal(community.overlay.peers().length, 4)
  all[0]?.ask(US, { identifier: 78 })
  await settle()
  assert.equal(all[0]?.received(introductionResponse).length, 2)
  assert.equal(all[7]?.packets.length, 0)
  await network.close()
})

test('nodes on loopback claim loopback addresses, and are introduced with them', async () => {
  const network = new OverlayNetwork(1)
  const node = await network.add({ ip: '127.0.0.1', bootstrap: [] })
  const { overlay, introductions } = node.overlays.open({ communityId: ID, name: 'TestCommunity', targetPeers: 0 })
  const us = { ip: '127.0.0.1', port: 8090 }
  const one = new OverlayStranger(network.hub, overlay.prefix, '127.0.0.2')
  one.ask(us)
  await network.clock.advance(100)
  const two = new OverlayStranger(network.hub, overlay.prefix, '127.0.0.3')
  two.ask(us)
  await network.clock.advance(100)
  const answer = two.received(introductionResponse)[0]
  assert.deepEqual(answer?.sourceLan, us)
  assert.deepEqual(answer.introducedLan, one.address)
  assert.equal(answer.introducedWan.ip, answer.sourceWan.ip)
  assert.deepEqual(introductions.wan, NO_ADDRESS)
  await network.close()
})

test('an old request that comes from elsewhere moves nobody who is still there; a new one, or one after silence, does', async () => {
  const { community, stranger, settle, network } = await rig()
  const peer = stranger('30.0.0.1', 'wanderer')
  peer.ask(US, { globalTime: 50n })
  await settle()
  const thief = stranger('30.0.0.2', 'wanderer')
  const where = (): string | undefined => community.overlay.peers()[0]?.address.ip
  // The same key stands for a recording of long ago, which no memory of signatures knows.
  thief.ask(US, { globalTime: 49n })
  await settle()
  assert.equal(where(), '30.0.0.1')
  assert.equal(thief.packets.length, 0)
  thief.ask(US, { globalTime: 51n })
  await settle()
  assert.equal(where(), '30.0.0.2')
  await network.clock.advance(30_000)
  peer.ask(US, { globalTime: 1n })
  await settle()
  assert.equal(where(), '30.0.0.1')
  await network.close()
})
