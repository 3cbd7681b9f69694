// Each resume while the disk was full added another chain of looks at it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeTorrent } from '../../kit/content/make-torrent.ts'
import { SimSwarm } from '../../kit/sim/sim-swarm.ts'
import { awake } from '../../kit/sim/awake.ts'

test('a full disk is looked at once in ten seconds, however often the user resumes', async () => {
  const swarm = new SimSwarm(197)
  const torrent = makeTorrent({ length: 2000 * 1024 })
  const node = await swarm.node()
  const seed = swarm.peer(torrent)
  const handle = node.add(torrent, { peers: [await seed.listen()] })
  node.disk.faults.full = true
  for (let i = 0; i < 10; i += 1) {
    await swarm.clock.until('full', () => handle.snapshot().status === 'error', 60_000)
    await swarm.clock.advance(100)
    awake(handle).resume()
  }
  await swarm.clock.until('full', () => handle.snapshot().status === 'error', 60_000)
  const before = node.disk.counts.blockWrites
  await swarm.clock.advance(60_000)
  assert.ok(node.disk.counts.blockWrites - before <= 7, `${node.disk.counts.blockWrites - before} looks in a minute`)
  node.disk.faults.full = false
  await swarm.complete(handle)
  await swarm.close()
})
