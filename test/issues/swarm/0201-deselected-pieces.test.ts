// Files that were deselected while pieces of them came in kept their blocks: the memory was held, and when they were
// selected again the blocks came twice, overlapped, and the download stopped on an error.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeTorrent } from '../../kit/content/make-torrent.ts'
import { SimSwarm } from '../../kit/sim/sim-swarm.ts'
import { awake } from '../../kit/sim/awake.ts'

const KIB = 1024

test('what came of deselected pieces is given up, and they come whole when they are selected again', async () => {
  const swarm = new SimSwarm(201)
  const files = ['a', 'b'].map(path => ({ path, length: 8192 * KIB }))
  const torrent = makeTorrent({ name: 'two', files, pieceLength: 256 * KIB })
  const node = await swarm.node()
  const handle = node.add(torrent)
  const held = (): number => node.arena.slotCount - node.arena.freeCount
  for (let round = 0; round < 3; round++) {
    // Seeds are let go when nothing is wanted.
    for (let i = 0; i < 3; i++) await swarm.join(node, torrent, {}, { upRate: 100 * KIB })
    await swarm.clock.until('blocks are held', () => held() >= 3, 20_000)
    awake(handle).select([])
    // A block that is just coming in has its slot until it is there.
    await swarm.clock.advance(1000)
    assert.equal(held(), 0, `round ${round}`)
    awake(handle).select(round % 2 === 0 ? [1] : null)
  }
  awake(handle).select(null)
  await swarm.join(node, torrent, {}, { upRate: 1000 * KIB })
  await swarm.complete(handle)
  assert.deepEqual(node.complaints, [])
  await swarm.close()
})
