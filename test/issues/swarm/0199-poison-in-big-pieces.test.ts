// A poisoner that has a hand in every attempt at a big piece was never found: no attempt passed, so nothing could be
// compared. And pieces of more than 1024 blocks were never judged block by block.

import { test } from 'node:test'
import { makeTorrent } from '../../kit/content/make-torrent.ts'
import { assertHolds, SimSwarm } from '../../kit/sim/sim-swarm.ts'

const KIB = 1024

test('who spoils one block of a piece of 20 MiB is found and banned', async () => {
  const swarm = new SimSwarm(200)
  const torrent = makeTorrent({ length: 20_480 * KIB, pieceLength: 20_480 * KIB })
  const node = await swarm.node()
  const handle = node.add(torrent)
  let sent = 0
  const bad = await swarm.join(
    node,
    torrent,
    { serves: () => (++sent % 50 === 0 ? 'bad' : 'good') },
    { upRate: 500 * KIB },
  )
  for (let i = 0; i < 2; i += 1) await swarm.join(node, torrent, {}, { upRate: 800 * KIB })
  await swarm.clock.until('banned', () => !bad.connected, 1_200_000)
  await swarm.complete(handle)
  assertHolds(node, torrent)
  await swarm.close()
})
