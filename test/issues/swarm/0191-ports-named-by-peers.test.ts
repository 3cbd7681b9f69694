// A peer that connected to us and named port after port filled the list of known addresses with entries that could not
// be evicted.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeExtendedHandshake } from '../../../src/wire/peer/extension.ts'
import { encodeExtended } from '../../../src/wire/peer/messages.ts'
import { makeTorrent } from '../../kit/content/make-torrent.ts'
import { SimSwarm } from '../../kit/sim/sim-swarm.ts'
import { awake } from '../../kit/sim/awake.ts'

test('of the ports an incoming peer names the first counts, and it may be evicted afterwards', async () => {
  const swarm = new SimSwarm(191)
  const torrent = makeTorrent({ length: 500 * 1024 })
  const node = await swarm.node()
  const handle = node.add(torrent)
  const liar = await swarm.join(node, torrent, { has: () => false, extended: true })
  for (let port = 2000; port < 2015; port += 1) {
    liar.send(encodeExtended(0, encodeExtendedHandshake({ listenPort: port })))
  }
  await swarm.clock.advance(1000)
  assert.equal(liar.connected, true)
  assert.equal(handle.snapshot().peersKnown, 1)
  assert.equal(handle.peers()[0]?.port, 2000)
  for (let i = 0; i < 10; i += 1) liar.send(encodeExtended(0, encodeExtendedHandshake({})))
  await swarm.clock.advance(1000)
  assert.equal(liar.connected, false, 'extended handshakes without end')
  // It comes back under other ports: of what fails, nothing stays for good.
  for (let port = 10_000; port < 12_100; port += 1) awake(handle).addPeers([{ ip: '10.9.9.9', port }])
  await swarm.clock.advance(600_000)
  const good = swarm.peer(torrent)
  awake(handle).addPeers([await good.listen()])
  await swarm.complete(handle)
  await swarm.close()
})
