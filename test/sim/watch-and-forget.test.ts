// Torrents that forget: what readers want is fetched, kept within its bound and told to nobody; the records forget a
// piece before the disk does.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../src/base/errors.ts'
import { countBits } from '../../src/base/piece-set.ts'
import { encodePlain, encodeRequest } from '../../src/wire/peer/messages.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { MEMORY_MARK } from '../kit/doubles/memory-piece-store.ts'
import { joinExtensionPeer } from '../kit/peers/extension-peer.ts'
import { awake } from '../kit/sim/awake.ts'
import {
  KIB,
  MIB,
  PIECE,
  BOUND,
  NEAR,
  CONTROLS,
  FORGETS,
  film,
  heldBytes,
  onDisk,
  assertClaims,
  onDrop,
  forgetful,
  readOn,
} from '../kit/sim/forgetful.ts'
import { assertHolds, SimSwarm } from '../kit/sim/sim-swarm.ts'

test('nothing is fetched without a reader; a film is read whole through a small cache, and once more', async () => {
  const swarm = new SimSwarm(5460)
  const { node, handle } = await forgetful(swarm)
  await swarm.join(node, film, {}, { upRate: 600 * KIB })
  await swarm.clock.advance(20_000)
  assert.equal(heldBytes(handle), 0, 'nobody reads')
  const reader = awake(handle).openReader(0)
  let most = 0
  await readOn(swarm, node, reader, [0, film.content.length], () => {
    most = Math.max(most, heldBytes(handle))
    assert.notEqual(handle.snapshot().status, 'seeding')
  })
  assert.ok(most <= BOUND + NEAR + 4 * PIECE, `${most / MIB} MiB were kept`)
  assert.ok(most > BOUND, 'what readers are at is kept beside the bound')
  reader.close()
  await swarm.clock.advance(3000)
  assert.ok(heldBytes(handle) <= BOUND && heldBytes(handle) > 0, `${heldBytes(handle) / MIB} MiB`)
  assert.equal(onDisk(node, film), heldBytes(handle) / PIECE, 'the disk has what is had, and no more')
  const again = awake(handle).openReader(0)
  await readOn(swarm, node, again, [MIB, 9 * MIB])
  again.close()
  await swarm.clock.advance(40_000)
  assert.equal(onDisk(node, film), heldBytes(handle) / PIECE)
  assert.deepEqual(
    node.events.filter(event => /finished|failed|seeding/.test(event)),
    [],
  )
  await swarm.close()
})

test('seeds are left when nobody reads for long, and are there again for the next reader', async () => {
  const swarm = new SimSwarm(5472)
  const seeder = await swarm.seeder(film)
  const { node, handle } = await forgetful(swarm, { peers: [seeder.address] })
  await swarm.clock.advance(200_000)
  assert.equal(handle.snapshot().peersConnected, 1, 'somebody may come')
  await swarm.clock.advance(200_000)
  assert.equal(handle.snapshot().peersConnected, 0)
  assert.equal(node.announcers.made.get(film.infoHash)?.params.wantedPeers(), 0)
  const reader = awake(handle).openReader(0)
  const beganMs = swarm.clock.now()
  await readOn(swarm, node, reader, [10 * MIB, 11 * MIB])
  assert.ok(swarm.clock.now() - beganMs < 3000)
  reader.close()
  await swarm.close()
})

test('what was read last stays: a second read of the end asks nobody', async () => {
  const swarm = new SimSwarm(5461)
  const { node, handle } = await forgetful(swarm)
  const peer = await swarm.join(node, film, {}, { upRate: 2000 * KIB })
  const reader = awake(handle).openReader(0)
  await readOn(swarm, node, reader, [0, 30 * MIB])
  reader.close()
  await swarm.clock.advance(5000)
  const before = peer.requests.length
  const again = awake(handle).openReader(0)
  await readOn(swarm, node, again, [29 * MIB, 30 * MIB])
  assert.equal(peer.requests.length, before, 'it was there')
  again.close()
  await swarm.close()
})

test('a seek to pieces that are on their way out gets them again, and never what is left of them', async () => {
  const swarm = new SimSwarm(5471)
  const { node, handle } = await forgetful(swarm)
  await swarm.join(node, film, {}, { upRate: 600 * KIB })
  const reader = awake(handle).openReader(0)
  await readOn(swarm, node, reader, [0, 20 * MIB])
  reader.close()
  node.disk.faults.delayMs = 300
  let leaving: readonly number[] = []
  onDrop(node, pieces => {
    leaving = pieces
  })
  await swarm.clock.until('pieces go', () => leaving.length > 0, 10_000)
  const first = Math.min(...leaving)
  const again = awake(handle).openReader(0)
  await readOn(swarm, node, again, [first * PIECE, (first + 3) * PIECE])
  assert.ok(node.disk.punched.includes(first), 'it was gone in between')
  again.close()
  node.disk.faults.delayMs = 0
  await swarm.clock.advance(40_000)
  assertClaims(node)
  await swarm.close()
})

test('a stop, and a change of mind, while pieces go: what is claimed is there', async () => {
  for (const [i, meanwhile] of ['stop', 'keep', 'remove'].entries()) {
    const swarm = new SimSwarm(5480 + i)
    const seeder = await swarm.seeder(film, { line: { upRate: 600 * KIB } })
    const { node, handle } = await forgetful(swarm, { peers: [seeder.address] })
    const reader = awake(handle).openReader(0)
    node.disk.faults.delayMs = 50
    let done = false
    onDrop(node, () => {
      if (meanwhile === 'stop') void awake(handle).stop()
      else if (meanwhile === 'keep') handle.setControls(CONTROLS)
      else void node.session.remove(film.infoHash, { deleteData: true })
      done = true
    })
    await readOn(swarm, node, reader, [0, 30 * MIB]).catch(() => undefined)
    reader.close()
    assert.ok(done, 'something went')
    await swarm.clock.advance(40_000)
    if (meanwhile === 'remove') assert.equal(node.disk.content(film.infoHash), undefined)
    else assertClaims(node)
    if (meanwhile === 'keep') {
      await swarm.complete(handle)
      assertHolds(node, film)
    }
    await swarm.close()
  }
})

test('a window that is full is no end of the download: blocks are not asked of several peers', async () => {
  const swarm = new SimSwarm(5470)
  const { node, handle } = await forgetful(swarm)
  const peers = await Promise.all([1, 2, 3].map(() => swarm.join(node, film, {}, { upRate: 400 * KIB })))
  const reader = awake(handle).openReader(0)
  // As a player: at half the rate that comes in, so that the window is full most of the time.
  for (let at = 0; at < 20 * MIB; at += 512 * KIB) {
    await readOn(swarm, node, reader, [at, at + 512 * KIB])
    await swarm.clock.advance(850)
  }
  reader.close()
  await swarm.clock.advance(5000)
  // Cancels come in time here, and often too late elsewhere.
  const asked = peers.reduce((sum, { requests }) => sum + requests.length, 0)
  const came = handle.snapshot().totalDown / (16 * KIB)
  assert.ok(asked < 1.15 * came, `${asked} blocks were asked for and ${came} came`)
  await swarm.close()
})

test('peers hear of nothing and get nothing, trackers hear that much is left', async () => {
  const swarm = new SimSwarm(5462)
  const { node, handle } = await forgetful(swarm)
  await swarm.join(node, film, {}, { upRate: 2000 * KIB })
  const early = await joinExtensionPeer(swarm, node, film, '10.9.0.1', { ids: { lt_donthave: 7 } })
  early.send(encodePlain('interested'))
  const reader = awake(handle).openReader(0)
  await readOn(swarm, node, reader, [0, 25 * MIB])
  reader.close()
  await swarm.clock.advance(20_000)
  assert.ok(node.disk.punched.length > 0)
  const late = await joinExtensionPeer(swarm, node, film, '10.9.0.2', { ids: { lt_donthave: 7 } })
  const had = Array.from({ length: 160 }, (_, i) => i).find(
    i => ((handle.haveBits()[i >> 3] ?? 0) & (0x80 >> (i & 7))) > 0,
  )
  for (const peer of [early, late]) {
    peer.send(encodeRequest(had ?? -1, 0, 16 * KIB))
    await swarm.clock.advance(1000)
    const types = new Set(peer.messages.map(({ type }) => type))
    for (const type of ['have', 'bitfield', 'have-all', 'allowed-fast', 'suggest'] as const) {
      assert.ok(!types.has(type), `${type} tells of a piece`)
    }
    assert.ok(types.has('have-none') && types.has('reject'))
    assert.deepEqual(peer.of('lt_donthave'), [], 'what was never told is not taken back')
    assert.equal(peer.shakes.at(-1)?.uploadOnly, false)
    await peer.close()
  }
  const left = node.announcers.made.get(film.infoHash)?.params.counters().left ?? 0
  assert.equal(left, film.content.length - heldBytes(handle))
  assert.equal(handle.snapshot().totalUp, 0)
  await swarm.close()
})

test('a film that fits is never complete: not for peers, trackers, the status or the queue', async () => {
  const swarm = new SimSwarm(5463)
  const node = await swarm.node()
  const small = makeTorrent({ length: 4 * PIECE, pieceLength: PIECE })
  const handle = node.add(small, { controls: FORGETS })
  await swarm.join(node, small)
  const reader = awake(handle).openReader(0)
  await swarm.clock.until('all is there', () => {
    void Promise.resolve(reader.waitFor(4 * PIECE - 1)).catch(() => undefined)
    return countBits(handle.haveBits()) === 4
  })
  reader.close()
  await swarm.clock.advance(60_000)
  assert.deepEqual([handle.snapshot().status, handle.snapshot().progress], ['downloading', 1])
  const announcer = node.announcers.made.get(small.infoHash)
  assert.equal(announcer?.params.counters().left, PIECE, 'whoever has nothing left is a seed to trackers')
  assert.equal(announcer?.params.counters().partialSeed, undefined)
  assert.ok(!announcer?.calls.includes('completed'))
  assert.ok(!node.events.some(event => event.startsWith('finished')))
  await swarm.close()
})

test('one that is told to keep what it has fetches the rest, seeds, and peers hear of it; and the way back', async () => {
  const swarm = new SimSwarm(5464)
  const seeder = await swarm.seeder(film, { line: { upRate: 2000 * KIB } })
  const { node, handle } = await forgetful(swarm, { peers: [seeder.address] })
  const reader = awake(handle).openReader(0)
  await readOn(swarm, node, reader, [0, 20 * MIB])
  reader.close()
  await swarm.clock.advance(3000)
  handle.setControls(CONTROLS)
  const other = await swarm.node()
  const taken = other.add(film, { peers: [node.address] })
  await swarm.complete(handle)
  assertHolds(node, film)
  await swarm.complete(taken)
  assertHolds(other, film)
  assert.ok(handle.snapshot().totalUp > 0)
  const seed = await joinExtensionPeer(swarm, node, film, '10.9.0.3')
  assert.ok(seed.messages.some(({ type }) => type === 'have-all'))
  handle.setControls(FORGETS)
  assert.equal(handle.snapshot().status, 'downloading')
  await swarm.clock.until('who was told is met anew', () => seed.closed, 5000)
  await swarm.clock.until('the rest has gone', () => heldBytes(handle) <= BOUND, 10_000)
  assert.equal(onDisk(node, film), heldBytes(handle) / PIECE)
  const late = await joinExtensionPeer(swarm, node, film, '10.9.0.4')
  assert.ok(late.messages.some(({ type }) => type === 'have-none'))
  await late.close()
  assert.ok(node.announcers.made.get(film.infoHash)?.calls.includes('soon'), 'trackers hear of it')
  await swarm.close()
})

test('a start gives back what an earlier run has forgotten and left on the disk', async () => {
  const swarm = new SimSwarm(5465)
  const node = await swarm.node({ session: { readCacheBytes: BOUND } })
  const pieces = film.content.length / PIECE
  node.disk.put(film.infoHash, film.content, pieces)
  await node.journal.noteMadeFile(film.infoHash, 0, MEMORY_MARK)
  const have = new Uint8Array(pieces / 8)
  have[1] = 0xff
  const files = [{ index: 0, exists: true, sizeBytes: film.content.length, mtimeMs: 1 }]
  const resume = { have, suspect: [], files, newestMs: 0 }
  const handle = node.add(film, { controls: FORGETS, resume })
  await swarm.clock.until('given back', () => node.disk.punched.length > 0, 10_000)
  await swarm.clock.advance(1000)
  assert.equal(onDisk(node, film), 8)
  assert.equal(heldBytes(handle), 8 * PIECE)
  const bytes = node.disk.content(film.infoHash)?.bytes.subarray(8 * PIECE, 16 * PIECE) ?? new Uint8Array(0)
  assert.ok(Buffer.compare(bytes, film.content.subarray(8 * PIECE, 16 * PIECE)) === 0, 'what is had stays')
  await swarm.close()
})

test('files that have other names keep their bytes, at the start and later', async () => {
  const swarm = new SimSwarm(5466)
  const node = await swarm.node({ session: { readCacheBytes: BOUND } })
  node.disk.faults.linked.add(0)
  await node.journal.noteMadeFile(film.infoHash, 0, MEMORY_MARK)
  const pieces = film.content.length / PIECE
  node.disk.put(film.infoHash, film.content, pieces)
  const have = new Uint8Array(pieces / 8).fill(0xff, 0, 15)
  const files = [{ index: 0, exists: true, sizeBytes: film.content.length, mtimeMs: 1 }]
  const handle = node.add(film, { controls: FORGETS, resume: { have, suspect: [], files, newestMs: 0 } })
  await swarm.clock.advance(10_000)
  assert.equal(handle.snapshot().status, 'downloading')
  assert.deepEqual(node.disk.punched, [])
  assertHolds(node, film)
  await swarm.close()
})

test('a disk that gives nothing back keeps everything, and a start believes it', async () => {
  const swarm = new SimSwarm(5467)
  const { node, handle } = await forgetful(swarm)
  node.disk.faults.noHoles = true
  const dropped = node.journal.piecesDropped.bind(node.journal)
  let tries = 0
  node.journal.piecesDropped = (infoHash, pieces) => {
    tries += 1
    return dropped(infoHash, pieces)
  }
  await swarm.join(node, film, {}, { upRate: 4000 * KIB })
  const reader = awake(handle).openReader(0)
  await readOn(swarm, node, reader, [0, 30 * MIB])
  await readOn(swarm, node, reader, [0, MIB])
  reader.close()
  await swarm.clock.advance(60_000)
  assert.equal(tries, 1, 'once a run')
  assert.ok(heldBytes(handle) >= 30 * MIB)
  assert.deepEqual(node.disk.punched, [])
  assert.deepEqual(node.journal.resume(film.infoHash, film.content.length / PIECE).have, handle.haveBits())
  await swarm.close()
})

test('records that refuse to forget, and a disk that fails half way: nothing wrong is read, nothing wrong is claimed', async () => {
  const swarm = new SimSwarm(5468)
  const { node, handle } = await forgetful(swarm)
  const dropped = node.journal.piecesDropped.bind(node.journal)
  let refuse = true
  node.journal.piecesDropped = (infoHash, pieces) =>
    refuse ? Promise.reject(new AppError('PoolBusy')) : dropped(infoHash, pieces)
  await swarm.join(node, film, {}, { upRate: 600 * KIB })
  const reader = awake(handle).openReader(0)
  await readOn(swarm, node, reader, [0, 25 * MIB])
  assert.deepEqual(node.disk.punched, [], 'no byte goes that the records still claim')
  await readOn(swarm, node, reader, [0, MIB])
  refuse = false
  await swarm.clock.until('it goes on', () => node.disk.punched.length > 0, 10_000)
  reader.close()
  await swarm.clock.advance(5000)
  node.disk.beforePunch = () => {
    throw new AppError('DiskError', 'half of it is gone')
  }
  const more = awake(handle).openReader(0)
  await readOn(swarm, node, more, [26 * MIB, 32 * MIB]).catch(() => undefined)
  more.close()
  await swarm.clock.until('it failed', () => handle.snapshot().status === 'error', 60_000)
  const { have } = node.journal.resume(film.infoHash, film.content.length / PIECE)
  for (let i = 0; i < have.length; i++) assert.equal((have[i] ?? 0) & ~(handle.haveBits()[i] ?? 0), 0)
  await swarm.close()
})

test('a stopped one serves readers the same way', async () => {
  const swarm = new SimSwarm(5469)
  const { node, handle } = await forgetful(swarm)
  await awake(handle).stop()
  const peer = swarm.peer(film, {}, { upRate: 600 * KIB })
  const reader = awake(handle).openReader(0)
  void Promise.resolve(reader.waitFor(0)).catch(() => undefined)
  await swarm.clock.advance(1000)
  peer.connect(node.address)
  await readOn(swarm, node, reader, [0, 26 * MIB])
  assert.ok(node.disk.punched.length > 0)
  reader.close()
  await swarm.clock.until('stopped', () => handle.snapshot().status === 'stopped', 10_000)
  await swarm.close()
})
