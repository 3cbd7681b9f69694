// Limits of whole sessions: connections in all and per torrent, rates in both directions, and the private flag.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FakePeer } from '../kit/peers/fake-peer.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { SimSwarm } from '../kit/sim/sim-swarm.ts'
import { awake } from '../kit/sim/awake.ts'

const KIB = 1024

test('no more connections per torrent and in all than allowed, incoming and outgoing', async () => {
  const swarm = new SimSwarm(41)
  const a = makeTorrent({ length: 500 * KIB, seed: 1 })
  const b = makeTorrent({ length: 500 * KIB, seed: 2 })
  const node = await swarm.node({ session: { maxConnectionsPerTorrent: 4, maxConnections: 6 } })
  const behaviour = { unchokes: false }
  const handles = [node.add(a), node.add(b)]
  const addresses = []
  for (let i = 0; i < 8; i++) addresses.push(await swarm.peer(a, behaviour).listen())
  awake(handles[0]).addPeers(addresses)
  await swarm.clock.advance(20_000)
  assert.equal(handles[0]?.peers().length, 4)
  const incoming: FakePeer[] = []
  // None of the four gives anything: for those that come beyond the sixth place, somebody goes.
  for (let i = 0; i < 5; i++) incoming.push(await swarm.join(node, b, behaviour))
  await swarm.clock.advance(1000)
  const [ofA = [], ofB = []] = handles.map(handle => handle.peers())
  assert.deepEqual([ofA.length, ofB.length], [2, 4])
  assert.equal(incoming.filter(peer => peer.connected).length, 4)
  await swarm.join(node, a, behaviour)
  await swarm.clock.advance(1000)
  assert.equal(handles.flatMap(handle => handle.peers()).length, 6)
  await swarm.close()
})

test('the download rate of the session holds over all torrents', async () => {
  const swarm = new SimSwarm(42)
  const rate = 300 * KIB
  const node = await swarm.node({ session: { maxDownloadRate: rate } })
  const torrents = [1, 2].map(seed => makeTorrent({ length: 20_000 * KIB, pieceLength: 64 * KIB, seed }))
  for (const torrent of torrents) {
    node.add(torrent)
    for (let i = 0; i < 2; i++) await swarm.join(node, torrent)
  }
  await swarm.clock.advance(5000)
  const before = node.host.receivedBytes
  await swarm.clock.advance(20_000)
  const got = (node.host.receivedBytes - before) / 20
  assert.ok(got < rate * 1.08, `${Math.round(got / KIB)} KiB/s`)
  assert.ok(got > rate * 0.85, `${Math.round(got / KIB)} KiB/s`)
  node.session.setLimits({ maxDownloadRate: 0 })
  await swarm.clock.advance(10_000)
  assert.ok(node.host.receivedBytes - before > rate * 60, 'lifting the limit takes effect')
  await swarm.close()
})

test('the upload rate of the session holds over all peers', async () => {
  const swarm = new SimSwarm(43)
  const rate = 200 * KIB
  const torrent = makeTorrent({ length: 4000 * KIB, pieceLength: 64 * KIB })
  const node = await swarm.seeder(torrent, { session: { maxUploadRate: rate } })
  for (let i = 0; i < 3; i++) await swarm.join(node, torrent, { has: () => false, leeches: 20 })
  await swarm.clock.advance(5000)
  const before = node.host.sentBytes
  await swarm.clock.advance(20_000)
  const sent = (node.host.sentBytes - before) / 20
  assert.ok(sent < rate * 1.08, `${Math.round(sent / KIB)} KiB/s`)
  assert.ok(sent > rate * 0.8, `${Math.round(sent / KIB)} KiB/s`)
  await swarm.close()
})

test('a torrent has limits of its own below those of the session', async () => {
  const swarm = new SimSwarm(46)
  const node = await swarm.node()
  const torrents = [1, 2].map(seed => makeTorrent({ length: 30_000 * KIB, pieceLength: 64 * KIB, seed }))
  const [slow, quick] = torrents.map(torrent => node.add(torrent))
  assert.ok(slow && quick)
  node.session.setTorrentLimits(slow.infoHash, { maxDownloadRate: 100 * KIB, maxUploadRate: 50 * KIB })
  for (const torrent of torrents) {
    await swarm.join(node, torrent, {}, { upRate: 500 * KIB })
    await swarm.join(node, torrent, { has: () => false, leeches: 10 }, { downRate: 400 * KIB })
  }
  await swarm.clock.advance(5000)
  const down = [slow, quick].map(handle => handle.snapshot().totalDown)
  const up = [slow, quick].map(handle => handle.snapshot().totalUp)
  await swarm.clock.advance(20_000)
  const downRates = [slow, quick].map((handle, i) => (handle.snapshot().totalDown - (down[i] ?? 0)) / 20 / KIB)
  const upRates = [slow, quick].map((handle, i) => (handle.snapshot().totalUp - (up[i] ?? 0)) / 20 / KIB)
  assert.ok((downRates[0] ?? 0) < 108 && (downRates[0] ?? 0) > 80, `${downRates}`)
  assert.ok((downRates[1] ?? 0) > 400, `${downRates}`)
  assert.ok((upRates[0] ?? 0) < 54 && (upRates[0] ?? 0) > 35, `${upRates}`)
  assert.ok((upRates[1] ?? 0) > 300, `${upRates}`)
  await swarm.close()
})

test('a private torrent takes no trackers from elsewhere; a public one does', async () => {
  const swarm = new SimSwarm(44)
  const announce = [['http://tracker.example/announce']]
  const node = await swarm.node()
  const secret = node.add(makeTorrent({ length: 500 * KIB, private: true, announce }))
  const open = node.add(makeTorrent({ length: 500 * KIB, seed: 2, announce }))
  const more = [['http://elsewhere.example/announce']]
  assert.deepEqual(awake(secret).addTrackers(more), [])
  assert.deepEqual(secret.announceTiers(), announce)
  assert.deepEqual(awake(open).addTrackers(more), more[0])
  await swarm.close()
})

test('a private torrent connects only to peers its trackers named', async () => {
  const swarm = new SimSwarm(45)
  const announce = [['http://tracker.example/announce']]
  const torrent = makeTorrent({ length: 500 * KIB, private: true, announce })
  const node = await swarm.node()
  const stranger = swarm.peer(torrent)
  const named = swarm.peer(torrent)
  const strangerAddress = await stranger.listen()
  const handle = node.add(torrent, { peers: [strangerAddress] })
  awake(handle).addPeers([strangerAddress])
  await swarm.clock.advance(5000)
  assert.equal(stranger.connected, false)
  node.announcers.made.get(torrent.infoHash)?.answer([await named.listen()])
  await swarm.complete(handle)
  assert.equal(named.connected || named.requests.length > 0, true)
  assert.equal(stranger.requests.length, 0)
  await swarm.close()
})
