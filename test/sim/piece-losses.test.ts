// Pieces that are lost while they are seeded: peers hear of it (BEP 54), the rest is served on, the piece is fetched
// again.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeDontHave } from '../../src/wire/peer/lt-donthave.ts'
import { encodePlain, encodeRequest } from '../../src/wire/peer/messages.ts'
import { ExtensionPeer } from '../kit/peers/extension-peer.ts'
import { type MadeTorrent, makeTorrent } from '../kit/content/make-torrent.ts'
import { assertHolds, type SimNode, SimSwarm } from '../kit/sim/sim-swarm.ts'

const KIB = 1024
const PIECE = 16 * KIB

/** A peer that may ask the node for blocks. */
async function unchoked(
  swarm: SimSwarm,
  node: SimNode,
  torrent: MadeTorrent,
  ip: string,
  ids: Record<string, number>,
): Promise<ExtensionPeer> {
  const peer = new ExtensionPeer(swarm.network.host(ip), torrent, () => swarm.clock.now(), { ids })
  peer.connect(node.address)
  await swarm.clock.until('connected', () => peer.shakes.length > 0, 10_000)
  peer.send(encodePlain('interested'))
  await swarm.clock.until('unchoked', () => peer.messages.some(({ type }) => type === 'unchoke'), 20_000)
  return peer
}

const told = (peer: ExtensionPeer): number[] => peer.of('lt_donthave').map(decodeDontHave)
const rejected = (peer: ExtensionPeer): number[] =>
  peer.messages.flatMap(message => (message.type === 'reject' ? [message.piece] : []))

/** Takes pieces off the disk. */
function lose(node: SimNode, torrent: MadeTorrent, pieces: readonly number[]): void {
  const content = node.disk.content(torrent.infoHash) ?? assert.fail()
  for (const piece of pieces) content.written[piece] = 0
}

test('peers hear of a lost piece, others are served, and it is fetched again', async () => {
  const swarm = new SimSwarm(441)
  const torrent = makeTorrent({ length: 40 * PIECE, pieceLength: PIECE })
  const node = await swarm.seeder(torrent)
  const handle = node.session.get(torrent.infoHash) ?? assert.fail()
  const asking = await unchoked(swarm, node, torrent, '10.7.0.1', { lt_donthave: 9, upload_only: 4 })
  const other = await unchoked(swarm, node, torrent, '10.7.0.2', { lt_donthave: 3 })
  const simple = await unchoked(swarm, node, torrent, '10.7.0.3', { ut_pex: 1 })
  lose(node, torrent, [39])
  // The second is answered after the piece is known to be lost.
  asking.send(encodeRequest(39, 0, PIECE))
  await swarm.clock.advance(500)
  for (const piece of [39, 7]) asking.send(encodeRequest(piece, 0, PIECE))
  await swarm.clock.advance(500)
  assert.deepEqual([told(asking), told(other), told(simple)], [[39], [39], []])
  // Who lacks nothing of what a seed has hangs up: first of all it hears that we are none.
  assert.deepEqual(
    asking.received.map(({ name, payload }) => [name, payload.at(-1)]),
    [
      ['upload_only', 0],
      ['lt_donthave', 39],
    ],
  )
  assert.deepEqual(rejected(asking), [39, 39])
  assert.equal(handle.snapshot().totalUp, PIECE)
  assert.ok(asking.connected && other.connected && simple.connected)
  assert.equal(handle.snapshot().status, 'downloading')
  assert.equal(node.journal.resume(torrent.infoHash, 40).have[4], 0xfe, 'a restart knows it too')
  await swarm.join(node, torrent)
  await swarm.clock.until('whole again', () => handle.snapshot().status === 'seeding', 60_000)
  await swarm.clock.advance(500)
  assertHolds(node, torrent)
  assert.deepEqual([asking.haves, other.haves], [[39], [39]])
  for (const peer of [asking, other, simple]) await peer.close()
  await swarm.close()
})

test('a read that fails although the piece is there loses nothing', async () => {
  const swarm = new SimSwarm(442)
  const torrent = makeTorrent({ length: 40 * PIECE, pieceLength: PIECE })
  const node = await swarm.seeder(torrent)
  const peer = await unchoked(swarm, node, torrent, '10.7.0.1', { lt_donthave: 9 })
  lose(node, torrent, [39])
  node.disk.faults.delayMs = 100
  peer.send(encodeRequest(39, 0, PIECE))
  await swarm.clock.advance(150)
  const content = node.disk.content(torrent.infoHash) ?? assert.fail()
  content.written[39] = 1
  await swarm.clock.advance(1000)
  assert.deepEqual([told(peer), rejected(peer)], [[], [39]])
  assert.equal(node.session.get(torrent.infoHash)?.snapshot().status, 'seeding')
  await peer.close()
  await swarm.close()
})

test('vanished files, and more losses than a few, are an error', async () => {
  for (const vanished of [true, false]) {
    const swarm = new SimSwarm(443)
    const torrent = makeTorrent({ length: 400 * PIECE, pieceLength: PIECE })
    const node = await swarm.seeder(torrent)
    const handle = node.session.get(torrent.infoHash) ?? assert.fail()
    const peer = await unchoked(swarm, node, torrent, '10.7.0.1', { lt_donthave: 9 })
    if (vanished) node.disk.drop(torrent.infoHash)
    const pieces = Array.from({ length: 400 }, (_, piece) => piece)
    if (!vanished) lose(node, torrent, pieces)
    for (const piece of pieces.slice(0, vanished ? 1 : 400)) peer.send(encodeRequest(piece, 0, PIECE))
    await swarm.clock.until('the error', () => handle.snapshot().status === 'error', 20_000)
    await swarm.clock.advance(500)
    assert.equal(peer.connected, false)
    assert.ok(vanished ? told(peer).length === 0 : told(peer).length <= 256)
    node.complaints.length = 0
    await peer.close()
    await swarm.close()
  }
})
