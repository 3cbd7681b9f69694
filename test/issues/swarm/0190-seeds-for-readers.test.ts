// A complete selection let its seeds go, also when a reader of another file needed them: the reader waited for ever.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeTorrent } from '../../kit/content/make-torrent.ts'
import { SimSwarm } from '../../kit/sim/sim-swarm.ts'
import { awake } from '../../kit/sim/awake.ts'

const KIB = 1024

test('a reader of a file outside a complete selection gets its bytes from seeds', async () => {
  for (const stopped of [false, true]) {
    const swarm = new SimSwarm(190)
    const torrent = makeTorrent({
      pieceLength: 64 * KIB,
      files: [
        { path: 'a.bin', length: 640 * KIB },
        { path: 'b.bin', length: 12_800 * KIB },
      ],
    })
    const node = await swarm.node()
    const seed = swarm.peer(torrent, {}, { upRate: 400 * KIB })
    const handle = node.add(torrent, { selectedFiles: [0], peers: [await seed.listen()] })
    await swarm.complete(handle)
    await swarm.clock.advance(20_000)
    assert.equal(seed.connected, false, 'two complete sides part')
    if (stopped) await awake(handle).stop()
    const reader = awake(handle).openReader(1)
    let there = 0
    void Promise.resolve(reader.waitFor(12_000 * KIB)).then(bytes => {
      there = bytes
    })
    await swarm.clock.until('called again', () => seed.connected, 3000)
    await swarm.clock.until('the byte', () => there > 0, 10_000)
    let end = 0
    void Promise.resolve(reader.waitFor(8000 * KIB)).then(bytes => {
      end = bytes
    })
    await swarm.clock.until('another byte', () => end > 0, 60_000)
    reader.close()
    await swarm.clock.until('parted again', () => !seed.connected, 10_000)
    await swarm.close()
  }
})
