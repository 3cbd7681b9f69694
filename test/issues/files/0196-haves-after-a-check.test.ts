// Peers of a magnet's metadata phase were told of each piece found on the disk in a message of its own: peers times
// pieces.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeTorrent } from '../../kit/content/make-torrent.ts'
import { SimSwarm } from '../../kit/sim/sim-swarm.ts'
import { awake } from '../../kit/sim/awake.ts'

test('a magnet whose data is there: peers of the metadata phase hear of it, many pieces by a new connection', async () => {
  for (const pieces of [300, 10_500]) {
    const swarm = new SimSwarm(198)
    const torrent = makeTorrent({ length: pieces * 1024, pieceLength: 1024 })
    const node = await swarm.node()
    node.disk.put(torrent.infoHash, torrent.content, pieces)
    const peer = swarm.peer(torrent, { has: () => false })
    const handle = node.add(torrent, { metainfo: null, peers: [await peer.listen()] })
    await swarm.clock.until('told of all', () => new Set(peer.haves).size === pieces, 30_000)
    assert.equal(handle.snapshot().status, 'seeding')
    assert.equal(peer.messages.includes('have'), pieces === 300)
    peer.say(true)
    await swarm.clock.until('unchoked', () => !peer.choked, 30_000)
    peer.request(pieces - 1, 0, 1024)
    await swarm.clock.until('served', () => peer.blocks.length === 1, 5000)
    await swarm.close()
  }
})

test('a recheck has begun when the journal has forgotten the progress', async () => {
  const swarm = new SimSwarm(199)
  const torrent = makeTorrent({ length: 1000 * 1024 })
  const node = await swarm.seeder(torrent)
  const handle = node.session.get(torrent.infoHash)
  const resets: number[] = []
  await awake(handle).recheck(() => resets.push(node.journal.resets))
  assert.deepEqual(resets, [1])
  await swarm.close()
})
