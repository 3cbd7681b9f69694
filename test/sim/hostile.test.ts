// Peers that lie, flood or babble among good ones: smart ban, dropped connections, a download that is right all the
// same.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseInfoHash } from '../../src/base/ids.ts'
import { encodeBitfield, encodeHave, encodePieceHead } from '../../src/wire/peer/messages.ts'
import { makeTorrent, seededBytes } from '../kit/content/make-torrent.ts'
import type { FakePeer } from '../kit/peers/fake-peer.ts'
import { awake } from '../kit/sim/awake.ts'
import { assertHolds, SimSwarm } from '../kit/sim/sim-swarm.ts'

const KIB = 1024

test('smart ban: the one peer that sends bad blocks is banned, the good ones are not', async () => {
  const swarm = new SimSwarm(31)
  const torrent = makeTorrent({ length: 8000 * KIB, pieceLength: 256 * KIB })
  const node = await swarm.node()
  const handle = node.add(torrent)
  let sent = 0
  const bad = await swarm.join(
    node,
    torrent,
    { serves: () => (++sent % 3 === 0 ? 'bad' : 'good') },
    { upRate: 200 * KIB },
  )
  const good = [
    await swarm.join(node, torrent, {}, { upRate: 200 * KIB }),
    await swarm.join(node, torrent, {}, { upRate: 200 * KIB }),
    await swarm.join(node, torrent, {}, { upRate: 200 * KIB }),
  ]
  await swarm.complete(handle)
  assertHolds(node, torrent)
  assert.ok(node.disk.counts.badHashes > 0)
  const { piecesFailed, piecesVerified, downBytes } = node.session.figures()
  assert.equal(piecesFailed, node.disk.counts.badHashes)
  assert.equal(piecesVerified, 32)
  assert.ok(downBytes > 8000 * KIB, 'what had to be fetched again was counted too')
  assert.equal(bad.connected, false)
  for (const peer of good) assert.equal(peer.connected, true)
  bad.connect(node.address)
  await swarm.clock.advance(2000)
  assert.equal(bad.connected, false, 'it does not come back')
  await swarm.close()
})

test('a peer that alone sent a bad piece is banned at once', async () => {
  const swarm = new SimSwarm(32)
  const torrent = makeTorrent({ length: 1000 * KIB, pieceLength: 64 * KIB })
  const node = await swarm.node()
  const handle = node.add(torrent)
  const bad = await swarm.join(node, torrent, { serves: 'bad' })
  await swarm.clock.until('dropped', () => bad.closed, 10_000)
  assert.ok(node.disk.counts.badHashes <= 16, 'not asked for piece after piece')
  bad.connect(node.address)
  await swarm.clock.advance(1000)
  assert.equal(bad.connected, false)
  await swarm.join(node, torrent)
  await swarm.complete(handle)
  await swarm.close()
})

test('garbage, impossible pieces, over-long messages and floods end the connection and nothing else', async () => {
  const swarm = new SimSwarm(33)
  const torrent = makeTorrent({ length: 4000 * KIB, pieceLength: 64 * KIB })
  const node = await swarm.node()
  const handle = node.add(torrent)
  const good = await swarm.join(node, torrent, {}, { upRate: 100 * KIB })
  const attacks: Record<string, Uint8Array[]> = {
    garbage: [seededBytes(5000, 7)],
    'a have of a piece that does not exist': [encodeHave(4_000_000)],
    'bitfields without end': Array.from({ length: 30 }, () => encodeBitfield(new Uint8Array(8))),
    'a bitfield of the wrong length': [encodeBitfield(new Uint8Array(100))],
    'a message of 2 GiB': [Uint8Array.of(0x7f, 0xff, 0xff, 0xff, 20, 1)],
    'blocks nobody asked for': Array.from({ length: 200 }, () =>
      Buffer.concat([encodePieceHead(1, 0, 16 * KIB), new Uint8Array(16 * KIB)]),
    ),
  }
  for (const [name, messages] of Object.entries(attacks)) {
    const peer = await swarm.join(node, torrent, { announcesPieces: false, extended: false })
    for (const message of messages) peer.send(message)
    await swarm.clock.advance(3000)
    assert.equal(peer.connected, false, name)
  }
  assert.equal(good.connected, true)
  await swarm.complete(handle)
  assertHolds(node, torrent)
  await swarm.close()
})

test('what a read brought is counted once, also where the same read ends the connection', async () => {
  const swarm = new SimSwarm(36)
  const torrent = makeTorrent({ length: 2000 * KIB, pieceLength: 64 * KIB })
  const node = await swarm.node()
  const handle = node.add(torrent)
  const sends = async (garbage: Uint8Array): Promise<void> => {
    const peer = await swarm.join(node, torrent, { serves: 'nothing' })
    await swarm.clock.until('asked', () => peer.requests.length >= 3, 10_000)
    const blocks = peer.requests.slice(0, 3).flatMap(({ piece, begin, length }) => {
      const start = piece * torrent.pieceLength + begin
      return [encodePieceHead(piece, begin, length), torrent.content.subarray(start, start + length)]
    })
    peer.send(Buffer.concat([...blocks, garbage]))
    await swarm.clock.advance(1000)
    assert.equal(peer.connected, garbage.length === 0)
    peer.hangUp()
    await swarm.clock.advance(1000)
  }
  for (const [round, garbage] of [new Uint8Array(0), Uint8Array.of(0x7f, 0xff, 0xff, 0xff, 20, 1)].entries()) {
    await sends(garbage)
    const expected = (round + 1) * 3 * 16 * KIB
    assert.equal(handle.snapshot().totalDown, expected)
    assert.equal(node.session.figures().downBytes, expected)
  }
  await swarm.close()
})

test('a peer that is lost in the middle of a block leaves nothing behind', async () => {
  const swarm = new SimSwarm(34)
  const torrent = makeTorrent({ length: 2000 * KIB, pieceLength: 64 * KIB })
  const node = await swarm.node()
  const handle = node.add(torrent)
  for (let i = 0; i < 4; i++) {
    const peer = await swarm.join(node, torrent, {}, { upRate: 60 * KIB })
    await swarm.clock.advance(1330)
    peer.host.cut()
    node.host.cut()
    await swarm.clock.advance(100)
    assert.equal(handle.peers().length, 0)
  }
  await swarm.join(node, torrent)
  await swarm.complete(handle)
  assertHolds(node, torrent)
  await swarm.close()
})

test('a streamed torrent that makes way keeps its one whole piece for when it may ask', async () => {
  const swarm = new SimSwarm(48)
  const streamed = makeTorrent({ length: 32 * 1024 * KIB, pieceLength: 1024 * KIB })
  const node = await swarm.node()
  const handle = node.add(streamed)
  const reader = awake(handle).openReader(0)
  void Promise.resolve(reader.waitFor(0)).catch(() => undefined)
  const { turns } = node.session.share
  const film = parseInfoHash('f'.repeat(40)) ?? assert.fail()
  // More urgent than a reader that has nothing.
  const tell = (): void => turns.tell(film, { levelSec: -10, need: 1, rate: 0 }, swarm.clock.now())
  tell()
  const telling = swarm.clock.every(250, tell)
  const peer = await swarm.join(node, streamed, { serves: 'nothing' })
  await swarm.clock.advance(4000)
  assert.equal(peer.requests.length, 0)
  telling.cancel()
  turns.tell(film, null, swarm.clock.now())
  await swarm.clock.advance(2500)
  assert.deepEqual([peer.requests.length, peer.cancels.length], [64, 0])
  reader.close()
  await swarm.close()
})

test('silent peers of the local network hold one piece of a streamed torrent and starve no other download', async () => {
  const swarm = new SimSwarm(47)
  const streamed = makeTorrent({ length: 32 * 1024 * KIB, pieceLength: 1024 * KIB })
  const other = makeTorrent({ length: 4 * 1024 * KIB, pieceLength: 256 * KIB, seed: 2, name: 'other' })
  const node = await swarm.node()
  const handle = node.add(streamed)
  await swarm.clock.advance(500)
  const reader = awake(handle).openReader(0)
  let count = 0
  void Promise.resolve(reader.waitFor(0)).then(bytes => (count = bytes))
  const silent: FakePeer[] = []
  for (let i = 0; i < 40; i += 1) silent.push(await swarm.join(node, streamed, { serves: 'nothing' }))
  await swarm.clock.advance(1000)
  const asked = silent.map(peer => peer.requests.length).sort((a, b) => b - a)
  assert.equal(asked[0], 64, 'the first of them is asked for a whole piece')
  assert.ok((asked[1] ?? 0) <= 4, `${asked}`)
  const seeder = swarm.peer(other)
  const download = node.add(other, { peers: [await seeder.listen()] })
  const ms = await swarm.complete(download, 100_000)
  // It makes way for as long as it takes to see that nothing comes of that (decision 0547), which is 6 s at most.
  assert.ok(ms < 6000, `${ms} ms`)
  await swarm.clock.advance(3000)
  const first = silent.find(peer => peer.requests.length > 4)
  assert.equal(first?.cancels.length, 60, 'after 3 s it keeps the fewest')
  await swarm.join(node, streamed)
  await swarm.clock.until('the first byte', () => count > 0, 10_000)
  reader.close()
  await swarm.close()
})
