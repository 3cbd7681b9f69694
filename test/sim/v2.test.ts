// v2 and hybrid torrents (BEP 52) between whole sessions: from files and magnets, with peers that lie about hashes, and
// bad blocks that leaf hashes find.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseInfoHash, parseInfoHashV2 } from '../../src/base/ids.ts'
import { encodeHashes, type HashRange } from '../../src/wire/peer/messages.ts'
import { decodeInfo } from '../../src/wire/metainfo/metainfo.ts'
import { missingLayers } from '../../src/wire/metainfo/piece-layers.ts'
import { asMadeTorrent, type MadeV2Torrent, makeV2Torrent } from '../kit/content/make-v2-torrent.ts'
import { fullTree } from '../kit/content/merkle-tree.ts'
import { assertHolds, SimSwarm } from '../kit/sim/sim-swarm.ts'
import { awake } from '../kit/sim/awake.ts'

const KIB = 1024
const FILES = [
  { path: 'a', length: 700 * KIB + 1 },
  { path: 'b', length: 5 },
  { path: 'c', length: 200 * KIB },
]

/** The true answer to a range that is not proved by uncles. */
function trueHashes(made: MadeV2Torrent, { root, baseLayer, index, count }: HashRange): Uint8Array {
  const file = made.files.find(one => one.root?.equals(root))
  assert.ok(file)
  return Buffer.concat((fullTree(file.content)[baseLayer] as Buffer[]).slice(index, index + count))
}

for (const hybrid of [false, true]) {
  test(`a ${hybrid ? 'hybrid' : 'v2'} torrent goes from session to session; padding is not asked for`, async () => {
    const swarm = new SimSwarm(520)
    const made = makeV2Torrent({ files: FILES, pieceLength: 64 * KIB, hybrid })
    const torrent = asMadeTorrent(made)
    const seeder = await swarm.seeder(torrent)
    const node = await swarm.node()
    const handle = node.add(torrent, { peers: [seeder.address] })
    await swarm.complete(handle)
    assertHolds(node, torrent)
    const content = made.files.reduce((sum, file) => sum + file.content.length, 0)
    assert.equal(handle.snapshot().totalDown, content)
    await swarm.close()
  })
}

test('a v2 magnet: the info dictionary, then the piece layers, then the data', async () => {
  const swarm = new SimSwarm(521)
  const made = makeV2Torrent({ files: FILES, pieceLength: 64 * KIB })
  const torrent = asMadeTorrent(made)
  const seeder = await swarm.seeder(torrent)
  const node = await swarm.node()
  const infoHashV2 = parseInfoHashV2(made.v2Hash)
  const handle = node.add(torrent, { metainfo: null, infoHashV2, peers: [seeder.address] })
  assert.equal(handle.snapshot().status, 'metadata')
  await swarm.complete(handle)
  assertHolds(node, torrent)
  const theirs = awake(seeder.session.get(torrent.infoHash)).metainfo?.v2?.pieceRoots
  assert.deepEqual(Buffer.from(awake(handle).metainfo?.v2?.pieceRoots ?? []), Buffer.from(theirs ?? [1]))
  await swarm.close()
})

test('a hybrid magnet begins by v1 and takes the layers from peers that speak v2', async () => {
  const swarm = new SimSwarm(526)
  const made = makeV2Torrent({ files: FILES, hybrid: true, pieceLength: 64 * KIB })
  const torrent = asMadeTorrent(made)
  const seeder = await swarm.seeder(torrent)
  for (const infoHashV2 of [null, parseInfoHashV2(made.v2Hash)]) {
    const node = await swarm.node()
    const handle = node.add(torrent, { metainfo: null, infoHashV2, peers: [seeder.address] })
    await swarm.complete(handle)
    assertHolds(node, torrent)
    const v2 = awake(handle).metainfo?.v2
    assert.ok(v2)
    // Before the metadata is known only a magnet with both hashes asks for v2.
    assert.equal(missingLayers(v2).length, infoHashV2 === null ? 2 : 0)
  }
  await swarm.close()
})

test('a hybrid is found by its v2 hash too, and a hybrid known by its v2 hash by v1', async () => {
  const swarm = new SimSwarm(528)
  const made = makeV2Torrent({ files: FILES, hybrid: true, pieceLength: 64 * KIB })
  const torrent = asMadeTorrent(made)
  const short = parseInfoHash(made.v2Hash.slice(0, 40))
  assert.ok(short)
  const seeder = await swarm.seeder(torrent)
  const node = await swarm.node()
  const handle = node.add({ ...torrent, infoHash: short }, { metainfo: null, peers: [seeder.address] })
  await swarm.complete(handle)
  assert.equal(awake(handle).metainfo?.infoHash, short)
  const v2 = awake(handle).metainfo?.v2
  assert.ok(v2)
  assert.equal(missingLayers(v2).length, 0, 'its connections speak v2 from the start')
  assertHolds(node, { ...torrent, infoHash: short })
  const old = await swarm.join(node, torrent, { has: () => false })
  assert.ok(old.connected)
  // Peers that know v1 alone are called by it.
  const called = swarm.peer(torrent, { has: () => false })
  awake(handle).addPeers([await called.listen()])
  await swarm.clock.until('it was called', () => called.connected, 20_000)
  assert.equal(called.calledBy, torrent.infoHash)
  await swarm.close()
})

test('v2 metadata that was kept without its layers is not begun with: they are fetched first', async () => {
  const swarm = new SimSwarm(527)
  const made = makeV2Torrent({ files: FILES, pieceLength: 64 * KIB })
  const torrent = asMadeTorrent(made)
  const seeder = await swarm.seeder(torrent)
  const node = await swarm.node()
  const handle = node.add(torrent, { metainfo: decodeInfo(made.info, []), peers: [seeder.address] })
  assert.equal(awake(handle).metainfo, null)
  await swarm.complete(handle)
  assertHolds(node, torrent)
  await swarm.close()
})

test('a magnet whose v2 hash is another: the metadata is not taken', async () => {
  const swarm = new SimSwarm(522)
  const made = makeV2Torrent({ files: FILES, hybrid: true, pieceLength: 64 * KIB })
  const torrent = asMadeTorrent(made)
  const peer = swarm.peer(torrent)
  const node = await swarm.node()
  const infoHashV2 = parseInfoHashV2('ab'.repeat(32))
  const handle = node.add(torrent, { metainfo: null, infoHashV2, peers: [await peer.listen()] })
  await swarm.clock.advance(30_000)
  assert.equal(awake(handle).metainfo, null)
  await swarm.close()
})

test('who lies about piece layers is banned; who knows none or is silent is not; another one helps', async () => {
  const swarm = new SimSwarm(523)
  const made = makeV2Torrent({ files: FILES, pieceLength: 64 * KIB })
  const torrent = asMadeTorrent(made)
  const liar = swarm.peer(torrent, { hashes: range => new Uint8Array(range.count * 32).fill(7) })
  const ignorant = swarm.peer(torrent, { hashes: () => null })
  const silent = swarm.peer(torrent, { hashes: () => undefined })
  const node = await swarm.node()
  const peers = [await liar.listen(), await ignorant.listen(), await silent.listen()]
  const handle = node.add(torrent, { metainfo: null, peers })
  await swarm.clock.until('the liar is gone', () => liar.closed, 60_000)
  await swarm.clock.advance(60_000)
  assert.equal(awake(handle).metainfo, null)
  assert.equal(handle.snapshot().status, 'metadata')
  assert.ok(ignorant.connected && silent.connected)
  const requests = [liar, ignorant, silent].flatMap(peer => peer.requests)
  assert.deepEqual(requests, [], 'a piece was asked for that could not be verified')
  const seeder = await swarm.seeder(torrent)
  awake(handle).addPeers([seeder.address])
  await swarm.complete(handle)
  assertHolds(node, torrent)
  assert.equal(liar.connected, false)
  await swarm.close()
})

test('hashes nobody asked for end the connection', async () => {
  const swarm = new SimSwarm(524)
  const made = makeV2Torrent({ files: FILES, pieceLength: 64 * KIB })
  const torrent = asMadeTorrent(made)
  const peer = swarm.peer(torrent, { hashes: () => undefined })
  const node = await swarm.node()
  const handle = node.add(torrent, { metainfo: null, peers: [await peer.listen()] })
  await swarm.clock.until('asked for hashes', () => peer.messages.includes('hash-request'), 60_000)
  const root = made.files[0]?.root as Uint8Array
  // Of the leaves, which are true, and were not asked for.
  const range = { root, baseLayer: 0, index: 0, count: 2, proofLayers: 0 }
  peer.send(encodeHashes(range, trueHashes(made, range)))
  await swarm.clock.until('gone', () => peer.closed, 60_000)
  assert.equal(awake(handle).metainfo, null)
  await swarm.close()
})

test('leaf hashes tell who sent the bad blocks before the piece is right', async () => {
  const swarm = new SimSwarm(525)
  const made = makeV2Torrent({ files: [{ path: 'a', length: 1024 * KIB }], pieceLength: 1024 * KIB })
  const torrent = asMadeTorrent(made)
  const node = await swarm.node()
  const handle = node.add(torrent)
  // After the failure nobody sends a block: only leaf hashes can tell.
  const failed = () => node.disk.counts.badHashes > 0
  const line = { upRate: 400 * KIB }
  const asked: HashRange[] = []
  const good = await swarm.join(
    node,
    torrent,
    {
      unchokes: false,
      serves: () => (failed() ? 'nothing' : 'good'),
      hashes: range => {
        asked.push(range)
        return trueHashes(made, range)
      },
    },
    line,
  )
  const bad = await swarm.join(
    node,
    torrent,
    { unchokes: false, serves: () => (failed() ? 'nothing' : 'bad'), hashes: () => null },
    line,
  )
  await swarm.clock.advance(1000)
  good.unchoke()
  bad.unchoke()
  await swarm.clock.until('the piece failed', failed, 60_000)
  assert.ok(good.requests.length > 0 && bad.requests.length > 0)
  await swarm.clock.until('found out', () => bad.closed, 60_000)
  assert.deepEqual([asked[0]?.baseLayer, asked[0]?.index, asked[0]?.count], [0, 0, 64])
  assert.equal(good.connected, true)
  good.behaviour.serves = 'good'
  await swarm.complete(handle)
  assertHolds(node, torrent)
  await swarm.close()
})
