// Super-seeding in whole swarms: each piece leaves the seed about once, and a peer gets only what it was told of.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeHave, encodePlain, encodeRequest } from '../../src/wire/peer/messages.ts'
import { decodeMetainfo } from '../../src/wire/metainfo/metainfo.ts'
import { ExtensionPeer } from '../kit/peers/extension-peer.ts'
import { type MadeTorrent, makeTorrent } from '../kit/content/make-torrent.ts'
import { contentsOf } from '../kit/sim/sim-contents.ts'
import { assertHolds, type SimNode, SimSwarm } from '../kit/sim/sim-swarm.ts'

const KIB = 1024
const SUPER_SEEDING = {
  maxDownloadRate: 0,
  maxUploadRate: 0,
  filePriorities: new Map(),
  sequential: false,
  superSeeding: true,
}

/** A node that has all of `torrent` and super-seeds it. */
async function superSeeder(swarm: SimSwarm, torrent: MadeTorrent, upRate: number): Promise<SimNode> {
  const node = await swarm.node({ line: { upRate } })
  node.disk.put(torrent.infoHash, torrent.content, decodeMetainfo(torrent.torrent).pieceCount)
  const handle = node.add(torrent, { controls: SUPER_SEEDING })
  await swarm.clock.until('seeding', () => handle.snapshot().status === 'seeding', 60_000)
  return node
}

/** Four peers that all know each other and the seed fetch everything; how often the torrent left the seed. */
async function copiesOfSeed(swarm: SimSwarm, torrent: MadeTorrent, seed: SimNode): Promise<number> {
  const nodes: SimNode[] = []
  for (let i = 0; i < 4; i += 1) nodes.push(await swarm.node({ line: { upRate: 400 * KIB } }))
  const peers = [seed, ...nodes].map(node => node.address)
  const handles = nodes.map(node => node.add(torrent, { peers: peers.filter(address => address.ip !== node.host.ip) }))
  for (const handle of handles) await swarm.complete(handle, 1_800_000)
  for (const node of nodes) assertHolds(node, torrent)
  const up = seed.session.get(torrent.infoHash)?.snapshot().totalUp ?? 0
  return up / torrent.content.length
}

test('four peers are served with each piece once', async () => {
  const swarm = new SimSwarm(421)
  const torrent = makeTorrent({ length: 3000 * KIB, pieceLength: 32 * KIB })
  const copies = await copiesOfSeed(swarm, torrent, await superSeeder(swarm, torrent, 100 * KIB))
  assert.ok(copies >= 1 && copies < 1.15, `${copies} copies left the seed`)
  await swarm.close()
})

test('one peer alone gets everything', async () => {
  const swarm = new SimSwarm(422)
  const torrent = makeTorrent({ length: 1000 * KIB })
  const seed = await superSeeder(swarm, torrent, 0)
  const node = await swarm.node()
  const handle = node.add(torrent, { peers: [seed.address] })
  await swarm.complete(handle)
  assertHolds(node, torrent)
  await swarm.close()
})

test('two peers that do not know each other get everything, and do not wait a minute for each piece', async () => {
  const swarm = new SimSwarm(425)
  const torrent = makeTorrent({ length: 1280 * KIB, pieceLength: 32 * KIB })
  const seed = await superSeeder(swarm, torrent, 0)
  const alone = { swarm: { exchangesPeers: () => false } }
  const nodes = [await swarm.node(alone), await swarm.node(alone)]
  const handles = nodes.map(node => node.add(torrent, { peers: [seed.address] }))
  let tookMs = 0
  for (const handle of handles) tookMs += await swarm.complete(handle, 1_800_000)
  for (const node of nodes) {
    assertHolds(node, torrent)
    assert.ok(node.session.connections <= 1, 'they never met')
  }
  assert.ok(tookMs < 400_000, `${tookMs} ms`)
  await swarm.close()
})

test('a peer sees a node that has nothing, gets two pieces announced, and is refused others', async () => {
  const swarm = new SimSwarm(423)
  const torrent = makeTorrent({ length: 1008 * KIB, pieceLength: 16 * KIB })
  const seed = await superSeeder(swarm, torrent, 0)
  const make = async (ip: string): Promise<ExtensionPeer> => {
    const peer = new ExtensionPeer(swarm.network.host(ip), torrent, () => swarm.clock.now())
    peer.connect(seed.address)
    await swarm.clock.until('told', () => peer.haves.length === 2, 5000)
    return peer
  }
  const one = await make('10.7.0.1')
  const types = one.messages.map(message => message.type)
  assert.ok(types.includes('have-none') && !types.includes('have-all') && !types.includes('allowed-fast'))
  assert.equal(one.shakes.at(-1)?.uploadOnly, false)
  const two = await make('10.7.0.2')
  assert.equal(new Set([...one.haves, ...two.haves]).size, 4)
  const [first = -1, second = -1] = one.haves
  one.send(encodePlain('interested'))
  await swarm.clock.until('unchoked', () => one.messages.some(message => message.type === 'unchoke'), 20_000)
  const other = Array.from({ length: 60 }, (_, piece) => piece).find(piece => !one.haves.includes(piece)) ?? -1
  one.send(encodeRequest(other, 0, 16 * KIB))
  one.send(encodeRequest(first, 0, 16 * KIB))
  await swarm.clock.advance(1000)
  const rejected = one.messages.flatMap(message => (message.type === 'reject' ? [message.piece] : []))
  assert.deepEqual(rejected, [other])
  assert.equal(seed.session.get(torrent.infoHash)?.snapshot().totalUp, 16 * KIB)
  // Having the piece is not enough: another must have got it.
  one.send(encodeHave(first))
  await swarm.clock.advance(5000)
  assert.deepEqual(one.haves, [first, second])
  two.send(encodeHave(first))
  await swarm.clock.advance(1000)
  assert.equal(one.haves.length, 3)
  await one.close()
  await two.close()
  await swarm.close()
})

test('a node that lacks something does not pretend to lack everything', async () => {
  const swarm = new SimSwarm(424)
  const torrent = makeTorrent({ length: 1008 * KIB, pieceLength: 16 * KIB })
  const node = await swarm.node()
  const handle = node.add(torrent, { controls: SUPER_SEEDING })
  await swarm.join(node, torrent, { has: piece => piece !== 5 })
  await swarm.clock.until('all but one', () => handle.snapshot().progress > 0.98, 60_000)
  const peer = new ExtensionPeer(swarm.network.host('10.7.0.1'), torrent, () => swarm.clock.now())
  peer.connect(node.address)
  await swarm.clock.until('greeted', () => peer.messages.some(message => message.type === 'bitfield'), 5000)
  assert.deepEqual(peer.haves, [])
  await peer.close()
  await swarm.close()
})

test('a suspension does not end it, and what a user asks for counts from the next peer on', async () => {
  const swarm = new SimSwarm(167)
  const torrent = makeTorrent({ length: 640 * KIB, pieceLength: 64 * KIB })
  const node = await swarm.seeder(torrent, { contents: contentsOf([torrent]).contents })
  const handle = node.session.get(torrent.infoHash) ?? assert.fail()
  let peers = 0
  /** Pieces that a new peer hears of. */
  const shown = async (): Promise<number> => {
    peers += 1
    const peer = new ExtensionPeer(swarm.network.host(`10.8.0.${peers}`), torrent, () => swarm.clock.now())
    peer.connect(node.address)
    const all = (): boolean => peer.messages.some(({ type }) => type === 'have-all' || type === 'bitfield')
    await swarm.clock.until('something is told', () => peer.haves.length >= 2 || all(), 20_000)
    await peer.close()
    await swarm.clock.until('gone', () => node.session.connections === 0, 10_000)
    return all() ? 10 : peer.haves.length
  }
  assert.equal(await shown(), 10)
  handle.setControls(SUPER_SEEDING)
  assert.equal(await shown(), 2)
  await swarm.clock.until('suspended', () => handle.suspended, 60_000)
  assert.equal(await shown(), 2)
  handle.setControls({ ...SUPER_SEEDING, superSeeding: false })
  assert.equal(await shown(), 10)
  await swarm.close()
})
