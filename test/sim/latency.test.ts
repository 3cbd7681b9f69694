// How soon things happen: what may wait for the line, and what must not wait for a tick, the disk or other pieces.
// A message takes 20 ms from host to host here; the tick of a session comes every 250.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { SimSwarm } from '../kit/sim/sim-swarm.ts'
import { awake } from '../kit/sim/awake.ts'

const KIB = 1024
const ONE_WAY_MS = 20

test('of a torrent of which nothing is there, trackers and peers are called while its folders are made', async () => {
  for (const there of [false, true]) {
    const swarm = new SimSwarm(401)
    const torrent = makeTorrent({ length: 300 * KIB, pieceLength: 32 * KIB })
    const node = await swarm.node()
    const peer = swarm.peer(torrent)
    const address = await peer.listen()
    if (there) node.disk.put(torrent.infoHash, torrent.content, 10)
    node.disk.faults.delayMs = 1000
    const handle = node.add(torrent, { peers: [address] })
    await swarm.clock.advance(500)
    // Whose the files are that are there is known before anything is made (decision 0460).
    assert.equal(handle.snapshot().status, there ? 'checking' : 'allocating')
    assert.equal(peer.connected, !there, 'what is there must be known before anybody is told')
    assert.deepEqual(node.announcers.made.get(torrent.infoHash)?.calls, there ? [] : ['started'])
    assert.equal(peer.requests.length, 0, 'nothing is asked for before there is a place for it')
    await swarm.clock.until('requests or seeding', () => peer.requests.length > 0 || there, 600 + ONE_WAY_MS)
    node.disk.faults.delayMs = 0
    await swarm.complete(handle, 20_000)
    await swarm.close()
  }
})

test('a reader is not kept waiting by folders: peers are asked for its piece while they are made', async () => {
  for (const early of [true, false]) {
    const swarm = new SimSwarm(411)
    const torrent = makeTorrent({ length: 300 * KIB, pieceLength: 32 * KIB })
    const node = await swarm.node()
    const peer = swarm.peer(torrent)
    const address = await peer.listen()
    node.disk.faults.delayMs = 1000
    const handle = node.add(torrent, { peers: [address] })
    // It comes before or after it is known that nothing is there.
    if (!early) await swarm.clock.advance(200)
    const got = Promise.resolve(awake(handle).openReader(0).waitFor(0))
    await swarm.clock.advance(300)
    assert.ok(peer.requests.length > 0, 'asked for while the folders are being made')
    assert.equal(handle.snapshot().status, 'downloading')
    node.disk.faults.delayMs = 0
    await swarm.clock.until('its piece', () => handle.snapshot().progress > 0, 5000)
    assert.ok((await got) > 0)
    await swarm.complete(handle, 20_000)
    await swarm.close()
  }
})

test('a magnet: connect, handshake, metadata, unchoke, request, each as soon as the message before it is here', async () => {
  const swarm = new SimSwarm(402)
  const torrent = makeTorrent({ length: 300 * KIB, pieceLength: 32 * KIB })
  const node = await swarm.node()
  const peer = swarm.peer(torrent)
  const address = await peer.listen()
  const begin = swarm.clock.now()
  const handle = node.add(torrent, { metainfo: null, peers: [address] })
  const found = await swarm.clock.until('metadata', () => awake(handle).metainfo !== null, 1000)
  await swarm.clock.until('a request', () => peer.requests.length > 0, 1000)
  // There and back: connect, handshake, metadata.
  assert.ok(found <= 6 * ONE_WAY_MS + 2, `metadata after ${found} ms`)
  // Interested, unchoke, request.
  const asked = swarm.clock.now() - begin
  assert.ok(asked <= found + 3 * ONE_WAY_MS + 2, `asked after ${asked} ms, metadata after ${found}`)
  await swarm.complete(handle)
  await swarm.close()
})

test('pieces are hashed and journalled at once where a reader waits, and nowhere else', async () => {
  const swarm = new SimSwarm(404)
  const pieceLength = 1024 * KIB
  const torrent = makeTorrent({ length: 24 * pieceLength, pieceLength })
  const node = await swarm.node()
  const peer = swarm.peer(torrent)
  const awaited = new Map<number, boolean>()
  const journalled = node.journal.pieceVerified.bind(node.journal)
  node.journal.pieceVerified = (infoHash, piece, wanted) => {
    awaited.set(piece, wanted)
    return journalled(infoHash, piece, wanted)
  }
  const handle = node.add(torrent, { peers: [await peer.listen()] })
  const reader = awake(handle).openReader(0)
  // The torrent's first byte comes, and the reader stays where it is: it waits for a piece that never does.
  const waiting = Promise.resolve(reader.waitFor(4 * pieceLength)).then(count => count > 0)
  await swarm.clock.until('the piece that is waited for', () => awaited.has(4), 20_000)
  assert.equal(awaited.get(4), true)
  assert.equal(await waiting, true)
  await swarm.complete(handle, 60_000)
  assert.equal(awaited.get(3), false, 'nobody waits for anything any more')
  assert.equal(awaited.get(23), false)
  const { patient } = node.disk
  assert.equal(patient.get(4), false)
  // Nor do the last ones wait for others that cannot come: those begun with the last.
  assert.equal([...patient.values()].at(-1), false)
  assert.ok([...patient.values()].filter(Boolean).length > 10, `${[...patient.values()]}`)
  reader.close()
  await swarm.close()
})

test('the files of what a reader waits for are made ready before a peer is asked, and of nothing else', async () => {
  for (const reads of [true, false]) {
    const swarm = new SimSwarm(405)
    const torrent = makeTorrent({ length: 80_000 * KIB, pieceLength: 256 * KIB })
    const node = await swarm.node()
    const peer = swarm.peer(torrent)
    const handle = node.add(torrent, { peers: [await peer.listen()] })
    const reader = awake(handle).openReader(0)
    const waiting = reads ? Promise.resolve(reader.waitFor(100 * 256 * KIB)).catch(() => 0) : null
    await swarm.clock.until('a request', () => peer.requests.length > 0, 1000)
    assert.equal(node.disk.readied.has(100), reads)
    assert.equal(node.disk.readied.has(0), false)
    reader.close()
    await waiting
    await swarm.close()
  }
})

test('a reader that is there from the start: its piece is asked for whole before any other', async () => {
  const swarm = new SimSwarm(403)
  const torrent = makeTorrent({ length: 40_000 * KIB, pieceLength: 256 * KIB })
  const node = await swarm.node()
  const peer = swarm.peer(torrent, {}, { upRate: 1000 * KIB })
  const handle = node.add(torrent, { peers: [await peer.listen()] })
  const reader = awake(handle).openReader(0)
  const at = 100 * 256 * KIB
  let there = 0
  const begin = swarm.clock.now()
  void Promise.resolve(reader.waitFor(at)).then(count => {
    there = count
  })
  await swarm.clock.until('the first byte', () => there > 0, 5000)
  const ms = swarm.clock.now() - begin
  assert.deepEqual(new Set(peer.requests.slice(0, 16).map(request => request.piece)), new Set([100]))
  // Six trips until the first block and 256 ms for the piece; slow start leaves the line idle for a few trips.
  assert.ok(ms < 500, `${ms} ms`)
  reader.close()
  await swarm.close()
})
