// `suggest` (BEP 6) was decoded and forgotten.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeSuggest } from '../../../src/wire/peer/messages.ts'
import { makeTorrent } from '../../kit/content/make-torrent.ts'
import { SimSwarm } from '../../kit/sim/sim-swarm.ts'

test('suggested pieces are asked for first; a suggestion of nothing is an offence; many are bounded', async () => {
  const swarm = new SimSwarm(193)
  const torrent = makeTorrent({ length: 6400 * 1024, pieceLength: 32 * 1024 })
  const node = await swarm.node()
  const handle = node.add(torrent)
  const peer = await swarm.join(node, torrent, { unchokes: false }, { upRate: 100 * 1024 })
  for (const piece of [177, 3, 99]) peer.send(encodeSuggest(piece))
  await swarm.clock.advance(500)
  peer.unchoke()
  await swarm.clock.advance(1000)
  const asked = [...new Set(peer.requests.map(request => request.piece))]
  assert.deepEqual(asked.slice(0, 3), [177, 3, 99])
  for (let piece = 0; piece < 200; piece += 1) peer.send(encodeSuggest(piece))
  await swarm.clock.advance(100)
  assert.equal(peer.connected, true)
  const liar = await swarm.join(node, torrent)
  liar.send(encodeSuggest(200))
  await swarm.clock.advance(100)
  assert.equal(liar.connected, false)
  await swarm.join(node, torrent)
  await swarm.complete(handle)
  await swarm.close()
})
