// Whole sessions with each other and with scripted peers: a swarm, fast extension, metadata both ways, a disk that
// fills.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allowedFastSet } from '../../src/wire/peer/allowed-fast.ts'
import { encodeAllowedFast } from '../../src/wire/peer/messages.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { assertHolds, SimSwarm } from '../kit/sim/sim-swarm.ts'
import { awake } from '../kit/sim/awake.ts'

const KIB = 1024

test('one seeder and five leechers: everybody gets everything, and the leechers help each other', async () => {
  const swarm = new SimSwarm(51)
  const torrent = makeTorrent({ length: 4000 * KIB, pieceLength: 64 * KIB })
  const seeder = await swarm.seeder(torrent, { line: { upRate: 200 * KIB } })
  const leechers = []
  for (let i = 0; i < 5; i++) {
    const node = await swarm.node({ line: { upRate: 400 * KIB } })
    leechers.push({ node, handle: node.add(torrent) })
  }
  for (const { node, handle } of leechers) {
    awake(handle).addPeers([
      seeder.address,
      ...leechers.map(other => other.node.address).filter(at => at !== node.address),
    ])
  }
  for (const { node, handle } of leechers) {
    await swarm.complete(handle, 200_000)
    assertHolds(node, torrent)
    assert.ok(node.events.includes('finished file.bin'), `${node.events}`)
  }
  const copies = (seeder.session.get(torrent.infoHash)?.snapshot().totalUp ?? 0) / torrent.content.length
  assert.ok(copies < 3, `the seeder sent ${copies} copies, five were made`)
  for (const { node } of leechers)
    assert.deepEqual(node.announcers.made.get(torrent.infoHash)?.calls.slice(0, 1), ['started'])
  await swarm.close()
})

test('fast extension: a choked peer may have the allowed pieces, other requests are rejected', async () => {
  const swarm = new SimSwarm(52)
  const torrent = makeTorrent({ length: 4000 * KIB, pieceLength: 64 * KIB })
  const node = await swarm.seeder(torrent, { session: { uploadSlots: 0 } })
  const peer = await swarm.join(node, torrent, { has: () => false })
  await swarm.clock.advance(1000)
  assert.ok(peer.messages.includes('have-all'))
  const expected = allowedFastSet(peer.host.ip, torrent.infoHash, peer.pieceCount)
  assert.deepEqual(
    [...peer.allowed].toSorted((a, b) => a - b),
    [...expected].toSorted((a, b) => a - b),
  )
  const allowed = peer.allowed[0] ?? -1
  const other = [...Array(peer.pieceCount).keys()].find(piece => !peer.allowed.includes(piece)) ?? -1
  peer.say(true)
  peer.request(allowed)
  peer.request(other)
  await swarm.clock.advance(1000)
  assert.equal(peer.choked, true)
  assert.deepEqual(
    peer.blocks.map(block => block.piece),
    [allowed],
  )
  assert.deepEqual(
    peer.rejects.map(block => block.piece),
    [other],
  )
  await swarm.close()
})

test('fast extension: the node takes allowed pieces while it is choked, and asks again for what was rejected', async () => {
  const swarm = new SimSwarm(53)
  const torrent = makeTorrent({ length: 2000 * KIB, pieceLength: 64 * KIB })
  const node = await swarm.node()
  const handle = node.add(torrent)
  const peer = await swarm.join(node, torrent, { unchokes: false })
  peer.send(encodeAllowedFast(3))
  peer.send(encodeAllowedFast(7))
  await swarm.clock.until('two pieces', () => node.journal.verified(torrent.infoHash).size === 2, 10_000)
  assert.deepEqual(
    [...new Set(peer.requests.map(request => request.piece))].toSorted((a, b) => a - b),
    [3, 7],
  )
  let rejects = 20
  peer.behaviour.serves = () => (rejects-- > 0 ? 'reject' : 'good')
  peer.unchoke()
  await swarm.complete(handle, 120_000)
  assertHolds(node, torrent)
  await swarm.close()
})

test('without the fast extension a choke makes requests void and they are asked for again', async () => {
  const swarm = new SimSwarm(54)
  const torrent = makeTorrent({ length: 2000 * KIB, pieceLength: 64 * KIB })
  const node = await swarm.node()
  const handle = node.add(torrent)
  const peer = await swarm.join(node, torrent, { fast: false, serves: 'nothing' })
  await swarm.clock.until('asked', () => peer.requests.length > 0, 10_000)
  peer.choke()
  peer.behaviour.serves = 'good'
  await swarm.clock.advance(1000)
  assert.ok(!peer.messages.includes('have-none'))
  assert.equal(handle.peers()[0]?.requestsOut, 0)
  peer.unchoke()
  await swarm.complete(handle, 60_000)
  await swarm.close()
})

test('metadata: a magnet gets it from a peer, checks it, and gives it to others', async () => {
  const swarm = new SimSwarm(55)
  const torrent = makeTorrent({ length: 100_000 * KIB, pieceLength: 32 * KIB, name: 'big' })
  assert.ok(torrent.info.length > 40_000, 'several pieces of metadata')
  const node = await swarm.node()
  const handle = node.add(torrent, { metainfo: null, name: 'dn of the magnet' })
  assert.equal(handle.snapshot().status, 'metadata')
  const bare = await swarm.join(node, torrent, { hasMetadata: false, has: () => false })
  await swarm.clock.advance(5000)
  assert.equal(awake(handle).metainfo, null)
  await swarm.join(node, torrent, { unchokes: false })
  await swarm.clock.until('metadata', () => awake(handle).metainfo !== null, 20_000)
  assert.ok(node.events.includes('metadata big'), `${node.events}`)
  assert.equal(handle.snapshot().name, 'big')
  const asker = await swarm.join(node, torrent, { has: () => false })
  await swarm.clock.until('told of its size', () => asker.nodeMetadataSize === torrent.info.length, 5000)
  for (let piece = 0; piece * 16 * KIB < torrent.info.length; piece++) asker.requestMetadata(piece)
  await swarm.clock.advance(2000)
  const pieces = [...asker.metadata].sort((a, b) => a[0] - b[0]).map(([, bytes]) => bytes)
  assert.deepEqual(Buffer.concat(pieces), Buffer.from(torrent.info))
  assert.equal(bare.metadata.size, 0)
  await swarm.close()
})

test('metadata: what does not fit the info hash is thrown away and fetched from another peer', async () => {
  const swarm = new SimSwarm(56)
  const torrent = makeTorrent({ length: 300 * KIB, name: 'right' })
  const wrong = makeTorrent({ length: 300 * KIB, name: 'wrong', seed: 9 })
  const node = await swarm.node()
  const handle = node.add(torrent, { metainfo: null })
  const liar = await swarm.join(node, { ...torrent, info: wrong.info })
  await swarm.clock.advance(5000)
  assert.equal(awake(handle).metainfo, null)
  await swarm.join(node, torrent)
  await swarm.clock.until('metadata', () => awake(handle).metainfo !== null, 60_000)
  assert.equal(handle.snapshot().name, 'right')
  await swarm.complete(handle)
  void liar
  await swarm.close()
})

test('a full disk stops the torrent with an error; when there is space again it goes on by itself', async () => {
  const swarm = new SimSwarm(57)
  const torrent = makeTorrent({ length: 2000 * KIB, pieceLength: 64 * KIB })
  const other = makeTorrent({ length: 1000 * KIB, pieceLength: 64 * KIB, seed: 2 })
  const node = await swarm.node()
  const handle = node.add(torrent)
  await swarm.join(node, torrent, {}, { upRate: 100 * KIB })
  await swarm.clock.advance(5000)
  const kept = node.journal.verified(torrent.infoHash).size
  assert.ok(kept > 0)
  node.disk.faults.full = true
  await swarm.clock.until('error', () => handle.snapshot().status === 'error', 30_000)
  assert.match(handle.snapshot().error, /full/i)
  assert.ok(
    node.events.some(event => event.startsWith('failed ')),
    `${node.events}`,
  )
  assert.equal(node.arena.freeCount, node.arena.slotCount, 'its memory is free for others')
  node.disk.faults.full = false
  await swarm.clock.until('goes on', () => handle.snapshot().status === 'downloading', 120_000)
  await swarm.join(node, torrent)
  await swarm.complete(handle)
  assertHolds(node, torrent)
  void other
  await swarm.close()
})
