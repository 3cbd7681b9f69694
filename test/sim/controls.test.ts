// Bounds and second chances that other simulations would not miss: each test here fails when its control is taken out.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TcpStream, TcpStreamHandlers } from '../../src/ports/tcp.ts'
import { UPLOAD_QUEUE } from '../../src/torrent/peers/peer-uploads.ts'
import { encodeExtendedHandshake } from '../../src/wire/peer/extension.ts'
import { encodeExtended } from '../../src/wire/peer/messages.ts'
import type { FakePeer } from '../kit/peers/fake-peer.ts'
import { type MadeTorrent, makeTorrent } from '../kit/content/make-torrent.ts'
import { type SimNode, SimSwarm } from '../kit/sim/sim-swarm.ts'
import { awake } from '../kit/sim/awake.ts'

const KIB = 1024

/** A peer that says it has the metadata and never answers a request for it. */
async function mute(swarm: SimSwarm, node: SimNode, torrent: MadeTorrent): Promise<FakePeer> {
  const peer = await swarm.join(node, torrent, { hasMetadata: false, unchokes: false })
  const m = new Map([['ut_metadata', 77]])
  peer.send(encodeExtended(0, encodeExtendedHandshake({ m, metadataSize: torrent.info.length })))
  await swarm.clock.advance(1000)
  return peer
}

test('metadata asked of a mute peer is asked of another after ten seconds, or at once when it leaves', async () => {
  for (const leaves of [false, true]) {
    const swarm = new SimSwarm(301)
    const torrent = makeTorrent({ length: 300 * KIB })
    const node = await swarm.node()
    const handle = node.add(torrent, { metainfo: null })
    const peer = await mute(swarm, node, torrent)
    await swarm.join(node, torrent)
    await swarm.clock.advance(1000)
    assert.equal(awake(handle).metainfo, null)
    if (leaves) peer.hangUp()
    await swarm.clock.until('metadata', () => awake(handle).metainfo !== null, leaves ? 1500 : 15_000)
    await swarm.close()
  }
})

test('what a peer was asked for and took away with it can be asked of others', async () => {
  const swarm = new SimSwarm(302)
  const torrent = makeTorrent({ length: 2000 * KIB, pieceLength: 64 * KIB })
  const node = await swarm.node({ arenaBytes: 512 * KIB })
  const handle = node.add(torrent)
  for (let i = 0; i < 16; i += 1) {
    const silent = await swarm.join(node, torrent, { serves: 'nothing' })
    await swarm.clock.advance(1000)
    assert.ok(silent.requests.length > 0, 'memory is left for requests')
    silent.hangUp()
    await swarm.clock.advance(100)
  }
  await swarm.join(node, torrent)
  await swarm.complete(handle, 60_000)
  await swarm.close()
})

test('a request that is lost while others are answered is made again after half a minute', async () => {
  const swarm = new SimSwarm(303)
  const torrent = makeTorrent({ length: 6000 * KIB, pieceLength: 64 * KIB })
  const node = await swarm.node()
  const handle = node.add(torrent)
  let lost = ''
  const serves = (piece: number, begin: number) => {
    if (lost !== '') return 'good'
    lost = `${piece} ${begin}`
    return 'nothing'
  }
  const peer = await swarm.join(node, torrent, { serves }, { upRate: 64 * KIB })
  const again = () => peer.requests.filter(({ piece, begin }) => `${piece} ${begin}` === lost)
  await swarm.clock.until('asked again', () => again().length === 2, 45_000)
  await swarm.complete(handle)
  await swarm.close()
})

test('a snubbing peer keeps one request; the others come back to those who serve', async () => {
  const swarm = new SimSwarm(304)
  const torrent = makeTorrent({ length: 2000 * KIB })
  const node = await swarm.node()
  const handle = node.add(torrent)
  await swarm.join(node, torrent, { serves: 'nothing' })
  await swarm.clock.advance(50_000)
  assert.ok((handle.peers()[0]?.requestsOut ?? 0) > 1)
  await swarm.clock.advance(15_000)
  assert.equal(handle.peers()[0]?.snubbed, true)
  assert.equal(handle.peers()[0]?.requestsOut, 1)
  await swarm.close()
})

test('requests of a peer are queued up to the number it was told; the rest is rejected', async () => {
  const swarm = new SimSwarm(305)
  const torrent = makeTorrent({ length: 2000 * KIB })
  const node = await swarm.seeder(torrent, { session: { maxUploadRate: 20 * KIB } })
  const handle = node.session.get(torrent.infoHash)
  const leecher = await swarm.join(node, torrent, { has: () => false })
  leecher.say(true)
  await swarm.clock.until('unchoked', () => !leecher.choked, 15_000)
  for (let i = 0; i < UPLOAD_QUEUE + 300; i += 1) leecher.request(i % 60)
  await swarm.clock.advance(500)
  const queued = handle?.peers()[0]?.requestsIn ?? 0
  assert.ok(queued <= UPLOAD_QUEUE && queued > UPLOAD_QUEUE - 50, `${queued} requests`)
  assert.ok(leecher.rejects.length >= 250, `${leecher.rejects.length} rejects`)
  await swarm.close()
})

test('for a slow peer little is read ahead, and no slot is held', async () => {
  const swarm = new SimSwarm(306)
  const torrent = makeTorrent({ length: 2000 * KIB })
  const node = await swarm.seeder(torrent, { line: { upRate: 20 * KIB } })
  const leecher = await swarm.join(node, torrent, { has: () => false })
  leecher.say(true)
  await swarm.clock.until('unchoked', () => !leecher.choked, 15_000)
  for (let piece = 0; piece < 60; piece += 1) leecher.request(piece)
  let [slots, ahead] = [0, 0]
  for (let i = 0; i < 50; i += 1) {
    await swarm.clock.advance(100)
    slots = Math.max(slots, node.ranges.slotCount - node.ranges.freeCount)
    const arrived = leecher.blocks.reduce((sum, block) => sum + block.length, 0)
    ahead = Math.max(ahead, (node.session.get(torrent.infoHash)?.peers()[0]?.upTotal ?? 0) - arrived)
  }
  assert.ok(leecher.blocks.length > 0)
  assert.equal(slots, 0)
  assert.ok(ahead >= 16 * KIB && ahead <= 64 * KIB, `${ahead} bytes read ahead`)
  await swarm.close()
})

test('no more connections are being made at a time than allowed', async () => {
  const swarm = new SimSwarm(307)
  const torrent = makeTorrent({ length: 500 * KIB })
  const node = await swarm.node({ session: { maxHalfOpen: 5 } })
  const pending = new Set<TcpStreamHandlers>()
  let most = 0
  // A network that swallows every call.
  node.host.connect = (remote, _options, handlers): TcpStream => {
    pending.add(handlers)
    most = Math.max(most, pending.size)
    const nothing = () => undefined
    const destroy = () => {
      if (pending.delete(handlers)) queueMicrotask(() => handlers.close(new Error('gone')))
    }
    swarm.clock.after(10_000, destroy)
    const still = { cork: nothing, uncork: nothing, pause: nothing, resume: nothing }
    return { ...still, remote, incoming: false, bufferedBytes: 0, write: () => true, destroy }
  }
  const peers = Array.from({ length: 60 }, (_, i) => ({ ip: `10.7.0.${i + 1}`, port: 6881 }))
  node.add(torrent, { peers })
  node.add(makeTorrent({ length: 500 * KIB, seed: 2 }), { peers })
  await swarm.clock.advance(25_000)
  assert.equal(most, 5)
  await swarm.close()
})

test('a reader that waits for what a check finds goes on when the check ends', async () => {
  const swarm = new SimSwarm(308)
  const torrent = makeTorrent({ length: 900 * KIB })
  const node = await swarm.seeder(torrent)
  const handle = node.session.get(torrent.infoHash)
  assert.ok(handle)
  node.disk.faults.delayMs = 100
  const done = awake(handle).recheck()
  await swarm.clock.advance(150)
  const reader = awake(handle).openReader(0)
  let there = 0
  void Promise.resolve(reader.waitFor(800 * KIB)).then(bytes => {
    there = bytes
  })
  let checked = false
  void done.then(() => {
    checked = true
  })
  await swarm.clock.until('checked', () => checked, 60_000)
  await swarm.clock.until('read', () => there > 0, 1000)
  reader.close()
  await swarm.close()
})

test('a choke rejects what is queued: only what was on its way still comes', async () => {
  const swarm = new SimSwarm(309)
  const torrent = makeTorrent({ length: 6000 * KIB })
  const node = await swarm.seeder(torrent, { session: { uploadSlots: 1 }, line: { upRate: 20 * KIB } })
  const first = await swarm.join(node, torrent, { has: () => false })
  first.say(true)
  await swarm.clock.until('unchoked', () => !first.choked, 15_000)
  const second = await swarm.join(node, torrent, { has: () => false })
  second.say(true)
  for (let piece = 0; piece < 180; piece += 1) first.request(piece)
  await swarm.clock.until('choked', () => first.choked, 120_000)
  const before = first.blocks.length
  await swarm.clock.advance(20_000)
  assert.ok(first.blocks.length - before <= 12, `${first.blocks.length - before} blocks after the choke`)
  assert.equal(first.blocks.length + first.rejects.length, 180)
  await swarm.close()
})

test('checkpoints come every half minute while pieces come, not with each of them', async () => {
  const swarm = new SimSwarm(310)
  const torrent = makeTorrent({ length: 6000 * KIB })
  const node = await swarm.node()
  node.add(torrent)
  await swarm.join(node, torrent, {}, { upRate: 50 * KIB })
  await swarm.clock.advance(10_000)
  const before = node.disk.counts.syncs
  await swarm.clock.advance(95_000)
  const taken = node.disk.counts.syncs - before
  assert.ok(taken >= 2 && taken <= 4, `${taken} checkpoints in 95 s`)
  await swarm.close()
})

test('when places are short, who neither wants nor gives makes room after two minutes', async () => {
  const swarm = new SimSwarm(311)
  const torrent = makeTorrent({ length: 500 * KIB })
  const node = await swarm.seeder(torrent, { session: { maxConnectionsPerTorrent: 2 } })
  const idle = await swarm.join(node, torrent, { has: () => false })
  const keen = await swarm.join(node, torrent, { has: () => false })
  keen.say(true)
  for (let i = 0; i < 13; i += 1) {
    await swarm.clock.advance(10_000)
    for (const peer of [idle, keen]) if (peer.connected) peer.send(new Uint8Array(4))
  }
  assert.equal(idle.connected, false)
  assert.equal(keen.connected, true)
  await swarm.close()
})
