// Engines on a disk that fails: vanished files, pieces larger than the arena from many slow peers, a check that is
// interrupted, other torrents meanwhile, a slow journal.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NO_QUEUE } from '../../src/torrent/session/torrent-queue.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { SimSwarm } from '../kit/sim/sim-swarm.ts'
import { awake } from '../kit/sim/awake.ts'

const KIB = 1024
const MIB = 1024 * KIB

test('vanished files stop the torrent with an error, once; resume checks again and fetches what is lost', async () => {
  const swarm = new SimSwarm(71)
  const torrent = makeTorrent({ length: 4 * MIB, pieceLength: 64 * KIB })
  const node = await swarm.node()
  const handle = node.add(torrent)
  await swarm.join(node, torrent, {}, { upRate: 500 * KIB })
  await swarm.clock.until('a part', () => handle.snapshot().progress > 0.3, 60_000)
  node.disk.faults.missing = true
  await swarm.clock.until('the error', () => handle.snapshot().status === 'error', 10_000)
  assert.equal(handle.peers().length, 0)
  assert.match(handle.snapshot().error, /vanished/)
  await swarm.clock.advance(60_000)
  assert.equal(handle.snapshot().status, 'error', 'nobody can know when files come back')
  assert.equal(node.events.filter(event => event.startsWith('failed')).length, 1)
  node.disk.faults.missing = false
  node.disk.drop(torrent.infoHash)
  awake(handle).resume()
  await swarm.clock.until('working', () => handle.snapshot().status === 'downloading', 10_000)
  assert.equal(handle.snapshot().progress, 0)
  await swarm.join(node, torrent)
  await swarm.complete(handle)
  node.complaints.length = 0
  await swarm.close()
})

test('a piece larger than the arena comes through, also from many slow peers at a time', async () => {
  const swarm = new SimSwarm(72)
  const torrent = makeTorrent({ length: 48 * MIB, pieceLength: 16 * MIB })
  const node = await swarm.node({ arenaBytes: 4 * MIB })
  const handle = node.add(torrent)
  for (let i = 0; i < 12; i += 1) await swarm.join(node, torrent, {}, { upRate: 300 * KIB })
  await swarm.complete(handle)
  assert.ok(node.disk.counts.blockWrites > 0)
  assert.equal(node.disk.counts.badHashes, 0)
  await swarm.close()
})

test('many torrents in one small arena: none is starved for ever', async () => {
  const swarm = new SimSwarm(73)
  const node = await swarm.node({ arenaBytes: MIB })
  const handles = []
  for (let seed = 1; seed <= 6; seed += 1) {
    const torrent = makeTorrent({ length: 2 * MIB, pieceLength: 512 * KIB, seed })
    handles.push(node.add(torrent))
    for (let i = 0; i < 3; i += 1) await swarm.join(node, torrent, {}, { upRate: (i + 1) * 40 * KIB })
  }
  for (const handle of handles) await swarm.complete(handle)
  await swarm.close()
})

test('a check that is interrupted is done again, and loses nothing', async () => {
  const swarm = new SimSwarm(74)
  // Eight runs, of which four are in hashing at a time.
  const torrent = makeTorrent({ length: 16 * MIB, pieceLength: 64 * KIB })
  const node = await swarm.node()
  node.disk.put(torrent.infoHash, torrent.content, 256)
  node.disk.faults.delayMs = 100
  const handle = node.add(torrent)
  await swarm.clock.until('checking', () => handle.snapshot().progress > 0.2, 60_000)
  assert.equal(handle.snapshot().status, 'checking')
  await swarm.clock.advance(0)
  void awake(handle).stop()
  await swarm.clock.advance(5000)
  assert.equal(handle.snapshot().status, 'stopped')
  awake(handle).resume()
  await swarm.complete(handle)
  assert.equal(handle.snapshot().totalDown, 0)
  const rechecked = awake(handle)
    .recheck()
    .catch((error: unknown) => String(error))
  await swarm.clock.advance(500)
  assert.equal(handle.snapshot().status, 'checking')
  void awake(handle).stop()
  await swarm.clock.advance(5000)
  assert.match(String(await rechecked), /Aborted/)
  awake(handle).resume()
  await swarm.complete(handle)
  assert.ok(!node.events.some(event => event.startsWith('finished')))
  await swarm.close()
})

test('stop right after recheck is stopped, and stays so', async () => {
  const swarm = new SimSwarm(77)
  const torrent = makeTorrent({ length: 4 * MIB, pieceLength: 64 * KIB })
  const node = await swarm.seeder(torrent)
  const handle = node.session.get(torrent.infoHash)
  assert.ok(handle)
  node.disk.faults.delayMs = 100
  const rechecked = awake(handle)
    .recheck()
    .catch((error: unknown) => String(error))
  // Before the first piece is hashed: the files are still being looked at.
  await swarm.clock.advance(50)
  void awake(handle).stop()
  assert.equal(handle.snapshot().status, 'stopped')
  await swarm.clock.advance(5000)
  assert.equal(handle.snapshot().status, 'stopped')
  assert.match(String(await rechecked), /Aborted/)
  awake(handle).resume()
  await swarm.complete(handle)
  assert.equal(handle.snapshot().totalDown, 0)
  await swarm.close()
})

test('no more torrents check at a time than allowed; the others wait', async () => {
  const swarm = new SimSwarm(75)
  const node = await swarm.node({ session: { queue: { ...NO_QUEUE, checks: 2 } } })
  node.disk.faults.delayMs = 50
  const handles = [1, 2, 3, 4].map(seed => {
    const torrent = makeTorrent({ length: 2 * MIB, pieceLength: 64 * KIB, seed })
    node.disk.put(torrent.infoHash, torrent.content, 32)
    return node.add(torrent)
  })
  await swarm.clock.advance(300)
  assert.deepEqual(
    handles.map(handle => handle.snapshot().status),
    ['checking', 'checking', 'waiting-check', 'waiting-check'],
  )
  node.session.setLimits({ queue: { ...NO_QUEUE, checks: 3 } })
  await swarm.clock.advance(1)
  assert.equal(handles[2]?.snapshot().status, 'checking', 'a higher limit counts at once')
  for (const handle of handles) await swarm.complete(handle)
  await swarm.close()
})

test('a check whose volume does not answer lets another begin', async () => {
  const swarm = new SimSwarm(79)
  const node = await swarm.node({ session: { queue: { ...NO_QUEUE, checks: 1 } } })
  node.disk.faults.delayMs = 500
  const [first, second] = [1, 2].map(seed => {
    const torrent = makeTorrent({ length: 2 * MIB, pieceLength: 64 * KIB, seed })
    node.disk.put(torrent.infoHash, torrent.content, 32)
    return { torrent, handle: node.add(torrent) }
  })
  const states = () => [first?.handle.snapshot().status, second?.handle.snapshot().status]
  await swarm.clock.advance(1500)
  assert.deepEqual(states(), ['checking', 'waiting-check'])
  node.disk.faults.stalled.add(first?.torrent.infoHash ?? '')
  await swarm.clock.advance(1500)
  assert.deepEqual(states(), ['checking', 'checking'])
  node.disk.faults.stalled.clear()
  for (const one of [first, second]) if (one !== undefined) await swarm.complete(one.handle)
  await swarm.close()
})

test('nobody hears of a piece before the journal has it', async () => {
  const swarm = new SimSwarm(76)
  const torrent = makeTorrent({ length: MIB, pieceLength: 64 * KIB })
  const node = await swarm.node()
  const waiting: (() => void)[] = []
  node.journal.pieceVerified = () => new Promise<void>(resolve => waiting.push(resolve))
  const handle = node.add(torrent)
  const peer = await swarm.join(node, torrent, { has: piece => piece < 8 })
  const reader = awake(handle).openReader(0)
  let there = 0
  void Promise.resolve(reader.waitFor(0)).then(bytes => {
    there = bytes
  })
  await swarm.clock.until('a piece to be journalled', () => waiting.length > 0, 60_000)
  await swarm.clock.advance(5000)
  assert.equal(handle.snapshot().progress, 0)
  assert.equal(there, 0)
  assert.ok(!peer.messages.includes('have'))
  for (const resolve of waiting) resolve()
  await swarm.clock.advance(1000)
  assert.ok(handle.snapshot().progress > 0)
  assert.ok(there > 0)
  assert.ok(peer.messages.includes('have'))
  reader.close()
  await swarm.close()
})
