// A magnet of a private torrent names peers itself: once the metadata says `private`, only those of its trackers count
// (BEP 27).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeExtendedHandshake } from '../../../src/wire/peer/extension.ts'
import { encodeExtended } from '../../../src/wire/peer/messages.ts'
import { makeTorrent } from '../../kit/content/make-torrent.ts'
import { SimSwarm } from '../../kit/sim/sim-swarm.ts'
import { awake } from '../../kit/sim/awake.ts'

test('peers a magnet named are left when its metadata turns out private; those of a tracker stay', async () => {
  const swarm = new SimSwarm(192)
  const torrent = makeTorrent({ length: 900 * 1024, private: true, announce: [['http://tracker.example/announce']] })
  const node = await swarm.node()
  const stranger = swarm.peer(torrent, { unchokes: false })
  const silent = swarm.peer(torrent)
  const both = swarm.peer(torrent, {}, { upRate: 50 * 1024 })
  const peers = [await stranger.listen(), await silent.listen(), await both.listen()]
  await silent.close()
  const handle = node.add(torrent, { metainfo: null, peers })
  node.announcers.made.get(torrent.infoHash)?.answer([peers[2] ?? { ip: '', port: 0 }])
  await swarm.clock.until('metadata', () => awake(handle).metainfo !== null, 20_000)
  await swarm.clock.advance(2000)
  assert.equal(stranger.connected, false)
  assert.equal(both.connected, true)
  assert.equal(handle.snapshot().peersKnown + handle.snapshot().seedsKnown, 2, 'one address, connected')
  // Who comes to us may stay, but is not called back at the port it names.
  const caller = await swarm.join(node, torrent, { has: () => false })
  caller.send(encodeExtended(0, encodeExtendedHandshake({ listenPort: 4000 })))
  await swarm.clock.advance(1000)
  assert.equal(caller.connected, true)
  assert.ok(handle.snapshot().peersKnown <= 1)
  await swarm.complete(handle)
  assert.equal(stranger.requests.length, 0)
  await swarm.close()
})
