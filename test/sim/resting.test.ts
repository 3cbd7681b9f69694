// Torrents at rest: who may rest, who wakes them, and that nobody outside sees a difference.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TorrentHandle } from '../../src/torrent/types.ts'
import { decodeMetainfo } from '../../src/wire/metainfo.ts'
import { makeTorrent } from '../kit/make-torrent.ts'
import { contentsOf } from '../kit/sim-contents.ts'
import { assertHolds, SimSwarm } from '../kit/sim-swarm.ts'

const KIB = 1024

function resting(swarm: SimSwarm, handle: TorrentHandle | undefined): Promise<number> {
  return swarm.clock.until('at rest', () => handle?.resting === true, 60_000)
}

const torrent = makeTorrent({ length: 1000 * KIB, pieceLength: 64 * KIB, announce: [['http://t.example/announce']] })

test('a seeder that nobody uses rests, shows the same, and costs no timer', async () => {
  const swarm = new SimSwarm(301)
  const { state, contents } = contentsOf([torrent])
  const node = await swarm.seeder(torrent, { contents })
  const handle = node.session.get(torrent.infoHash)
  assert.ok(handle)
  const [awake, files, bits] = [handle.snapshot(), handle.files(), handle.haveBits()]
  await resting(swarm, handle)
  assert.deepEqual(handle.snapshot(), awake)
  assert.deepEqual(handle.haveBits(), bits)
  assert.deepEqual(handle.peers(), [])
  assert.equal(swarm.clock.pending, 0, 'a torrent at rest has no timer')
  assert.equal(state.loads, 0)
  // Loaded for the call only.
  assert.deepEqual([...(await handle.loadFiles())], files)
  assert.equal((await handle.loadMetainfo())?.name, awake.name)
  assert.equal(handle.resting, true)
  assert.throws(() => handle.files(), /at rest/)
  assert.deepEqual(node.announcers.made.get(torrent.infoHash)?.calls, ['started'])
  await swarm.close()
})

test('a peer that comes wakes it, gets everything, and it rests again with its counters', async () => {
  const swarm = new SimSwarm(302)
  const { state, contents } = contentsOf([torrent])
  const node = await swarm.seeder(torrent, { contents })
  const handle = node.session.get(torrent.infoHash)
  await resting(swarm, handle)
  const revision = handle?.revision
  const leecher = await swarm.node()
  const taken = leecher.add(torrent)
  taken.addPeers([node.address])
  await swarm.complete(taken, 60_000)
  assertHolds(leecher, torrent)
  assert.equal(state.loads, 1)
  assert.notEqual(handle?.revision, revision)
  const { totalUp } = handle?.snapshot() ?? {}
  assert.ok((totalUp ?? 0) >= torrent.content.length)
  await leecher.session.remove(torrent.infoHash, { deleteData: false })
  await resting(swarm, handle)
  assert.equal(handle?.snapshot().totalUp, totalUp)
  const { uploaded, left } = node.announcers.made.get(torrent.infoHash)?.params.counters() ?? {}
  assert.deepEqual({ uploaded, left }, { uploaded: totalUp, left: 0 })
  await swarm.close()
})

test('several peers at once are all served by one loading; one that goes meanwhile is forgotten', async () => {
  const swarm = new SimSwarm(303)
  const { state, contents } = contentsOf([torrent])
  const node = await swarm.seeder(torrent, { contents })
  await resting(swarm, node.session.get(torrent.infoHash))
  const peers = [swarm.peer(torrent), swarm.peer(torrent), swarm.peer(torrent)]
  for (const peer of peers) peer.connect(node.address)
  await swarm.clock.until('greeted', () => peers.every(peer => peer.messages.length > 0), 10_000)
  assert.equal(state.loads, 1)
  assert.equal(node.session.connections, 3)
  for (const peer of peers) await peer.close()
  await swarm.clock.until('gone', () => node.session.connections === 0, 10_000)
  await swarm.close()
})

test('records that fail: the peer is refused, and the next one is served', async () => {
  const swarm = new SimSwarm(304)
  const { state, contents } = contentsOf([torrent])
  const node = await swarm.seeder(torrent, { contents })
  const handle = node.session.get(torrent.infoHash)
  await resting(swarm, handle)
  state.fail = true
  const refused = swarm.peer(torrent)
  refused.connect(node.address)
  await swarm.clock.until('refused', () => refused.closed, 10_000)
  await assert.rejects(async () => handle?.wake(), /records are gone/)
  assert.equal(handle?.resting, true)
  state.fail = false
  const served = await swarm.join(node, torrent)
  await swarm.clock.until('greeted', () => served.messages.length > 0, 10_000)
  node.complaints.length = 0
  await served.close()
  await swarm.close()
})

test('stopped, woken, resumed: seeds at once from what the records say, and hashes nothing', async () => {
  const swarm = new SimSwarm(305)
  const { contents } = contentsOf([torrent])
  const node = await swarm.seeder(torrent, { contents })
  const handle = node.session.get(torrent.infoHash)
  assert.ok(handle)
  await handle.stop()
  await resting(swarm, handle)
  assert.equal(handle.snapshot().status, 'stopped')
  assert.equal(handle.snapshot().progress, 1)
  node.events.length = 0
  await handle.wake()
  handle.resume()
  await swarm.clock.until('seeding', () => handle.snapshot().status === 'seeding', 10_000)
  assert.deepEqual(node.events, ['status allocating', 'status seeding'])
  await swarm.close()
})

test('a torrent that misses pieces never rests while it runs, and keeps them when it rests stopped', async () => {
  const swarm = new SimSwarm(306)
  const { contents } = contentsOf([torrent])
  const seeder = await swarm.seeder(torrent, { line: { upRate: 100 * KIB } })
  const node = await swarm.node({ contents })
  const handle = node.add(torrent)
  handle.addPeers([seeder.address])
  await swarm.clock.until('half', () => handle.snapshot().progress > 0.4, 60_000)
  await swarm.nodes[0]?.session.remove(torrent.infoHash, { deleteData: false })
  await swarm.clock.advance(60_000)
  assert.equal(handle.resting, false)
  await handle.stop()
  const [bits, { progress }] = [handle.haveBits(), handle.snapshot()]
  await resting(swarm, handle)
  assert.deepEqual(handle.haveBits(), bits)
  assert.equal(handle.snapshot().progress, progress)
  await handle.wake()
  assert.deepEqual(handle.haveBits(), bits)
  await swarm.close()
})

test('a complete torrent of an earlier run begins at rest; with a file gone it looks at its data', async () => {
  const swarm = new SimSwarm(307)
  const { state, contents } = contentsOf([torrent])
  const before = await swarm.seeder(torrent)
  const metainfo = decodeMetainfo(torrent.torrent)
  const resume = before.journal.resume(torrent.infoHash, metainfo.pieceCount)
  const node = await swarm.node({ contents })
  node.disk.put(torrent.infoHash, torrent.content, metainfo.pieceCount)
  const handle = node.add(torrent, { resume })
  assert.equal(handle.resting, true)
  assert.equal(handle.snapshot().status, 'allocating')
  await swarm.clock.until('seeding', () => handle.snapshot().status === 'seeding', 1000)
  assert.equal(handle.resting, true)
  assert.equal(state.loads, 0)
  assert.deepEqual(node.announcers.made.get(torrent.infoHash)?.calls, ['started'])
  const empty = await swarm.node({ contents })
  const gone = empty.add(torrent, { resume })
  await swarm.clock.until('downloading', () => gone.snapshot().status === 'downloading', 10_000)
  assert.equal(gone.snapshot().progress, 0)
  await swarm.close()
})

test('who comes back within a quarter of a minute finds it awake', async () => {
  const swarm = new SimSwarm(309)
  const { state, contents } = contentsOf([torrent])
  const node = await swarm.seeder(torrent, { contents })
  const handle = node.session.get(torrent.infoHash)
  assert.ok(handle)
  await resting(swarm, handle)
  await handle.wake()
  await swarm.clock.advance(15_000)
  assert.equal(handle.resting, false)
  await handle.wake()
  assert.equal(state.loads, 1)
  await swarm.clock.advance(15_000)
  assert.equal(handle.resting, false, 'the second use counts too')
  await resting(swarm, handle)
  await swarm.close()
})

test('removed with its data while it rests', async () => {
  const swarm = new SimSwarm(308)
  const { contents } = contentsOf([torrent])
  const node = await swarm.seeder(torrent, { contents })
  await resting(swarm, node.session.get(torrent.infoHash))
  await node.session.remove(torrent.infoHash, { deleteData: true })
  assert.equal(node.disk.content(torrent.infoHash), undefined)
  assert.equal(node.session.get(torrent.infoHash), undefined)
  assert.deepEqual(node.announcers.made.get(torrent.infoHash)?.calls, ['started', 'stopped'])
  await swarm.close()
})
