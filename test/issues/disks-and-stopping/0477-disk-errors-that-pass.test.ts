// One input/output error of a disk stopped a download until a user resumed it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeTorrent } from '../../kit/content/make-torrent.ts'
import { SimSwarm } from '../../kit/sim/sim-swarm.ts'
import { awake } from '../../kit/sim/awake.ts'

const EIO = 1_000_000_000

test('writes that fail are tried again with growing waits; the download goes on and explains itself', async () => {
  const swarm = new SimSwarm(477)
  const torrent = makeTorrent({ length: 2000 * 1024 })
  const node = await swarm.node()
  const handle = node.add(torrent, { peers: [await swarm.peer(torrent).listen()] })
  await swarm.clock.until('pieces', () => node.disk.counts.commits > 2, 60_000)
  node.disk.faults.failing = EIO
  await swarm.clock.until('a second try', () => handle.obstacles().diskRetries, 60_000)
  await swarm.clock.advance(4000)
  assert.notEqual(handle.snapshot().status, 'error')
  node.disk.faults.failing = 0
  await swarm.complete(handle)
  assert.equal(handle.obstacles().diskRetries, false)
  assert.deepEqual(
    node.events.filter(event => event.startsWith('failed')),
    [],
  )
  await swarm.close()
})

test('an error that stays stops it after a minute, and stopping waits for no try', async () => {
  const swarm = new SimSwarm(478)
  const torrent = makeTorrent({ length: 2000 * 1024 })
  const node = await swarm.node()
  const handle = node.add(torrent, { peers: [await swarm.peer(torrent).listen()] })
  await swarm.clock.until('pieces', () => node.disk.counts.commits > 2, 60_000)
  node.disk.faults.failing = EIO
  const began = swarm.clock.now()
  await swarm.clock.until('the error', () => handle.snapshot().status === 'error', 120_000)
  const tookMs = swarm.clock.now() - began
  assert.ok(tookMs > 30_000 && tookMs < 70_000, `${tookMs} ms`)
  awake(handle).resume()
  await swarm.clock.until('another try', () => handle.obstacles().diskRetries, 60_000)
  // In the wait of fifteen seconds.
  await swarm.clock.advance(8000)
  assert.ok(handle.obstacles().diskRetries)
  let ended = false
  void awake(handle)
    .stop()
    .then(() => (ended = true))
  await swarm.clock.until('the stop', () => ended, 4000)
  node.disk.faults.failing = 0
  awake(handle).resume()
  await swarm.complete(handle)
  await swarm.close()
})

test('reads for peers are tried again too', async () => {
  const swarm = new SimSwarm(479)
  const torrent = makeTorrent({ length: 2000 * 1024 })
  const seed = await swarm.seeder(torrent)
  const node = await swarm.node()
  const handle = node.add(torrent, { peers: [seed.address] })
  await swarm.clock.until('pieces', () => seed.disk.counts.reads > 4, 60_000)
  seed.disk.faults.failing = 5
  await swarm.complete(handle)
  assert.deepEqual(
    seed.events.filter(event => event.startsWith('failed')),
    [],
  )
  await swarm.close()
})
