// Metadata of a magnet and bad moments: stopped while the last bytes were being kept, records that cannot take it yet,
// peers that wait for it too.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../../src/base/errors.ts'
import type { InfoHash } from '../../../src/base/ids.ts'
import { makeTorrent } from '../../kit/content/make-torrent.ts'
import { MemoryMetadata } from '../../kit/doubles/memory-journal.ts'
import { SimSwarm } from '../../kit/sim/sim-swarm.ts'
import { awake } from '../../kit/sim/awake.ts'

const KIB = 1024

/** Keeps nothing before it is opened. */
class GatedMetadata extends MemoryMetadata {
  puts = 0
  open: () => void = () => undefined
  readonly #gate = new Promise<void>(resolve => {
    this.open = resolve
  })

  override async put(infoHash: InfoHash, index: number, bytes: Uint8Array): Promise<void> {
    this.puts += 1
    await this.#gate
    return super.put(infoHash, index, bytes)
  }
}

test('a stop in the last moment of fetching metadata blames nobody', async () => {
  const swarm = new SimSwarm(194)
  const torrent = makeTorrent({ length: 100_000 * KIB, pieceLength: 32 * KIB })
  const metadata = new GatedMetadata()
  const node = await swarm.node({ metadata })
  const seed = swarm.peer(torrent, { unchokes: false })
  const handle = node.add(torrent, { metainfo: null, peers: [await seed.listen()] })
  await swarm.clock.until('data under way', () => metadata.puts > 0, 10_000)
  await swarm.clock.advance(3000)
  await awake(handle).stop()
  metadata.open()
  await swarm.clock.advance(100)
  assert.equal(awake(handle).metainfo, null)
  awake(handle).resume()
  await swarm.clock.until('metadata', () => awake(handle).metainfo !== null, 20_000)
  assert.equal(handle.snapshot().status, 'downloading')
  await swarm.close()
})

test('no piece is asked for before metadata is durable, also when keeping it failed once', async () => {
  const swarm = new SimSwarm(195)
  const torrent = makeTorrent({ length: 500 * KIB })
  let tries = 0
  const node = await swarm.node({
    keepMetadata: async () => {
      tries += 1
      if (tries < 3) throw new AppError('DiskFull')
    },
  })
  const seed = swarm.peer(torrent)
  const handle = node.add(torrent, { metainfo: null, peers: [await seed.listen()] })
  await swarm.clock.until('failed', () => handle.snapshot().status === 'error', 10_000)
  assert.equal(tries, 1)
  assert.equal(seed.requests.length, 0)
  await swarm.clock.until('failed again', () => tries === 2, 30_000)
  await swarm.clock.advance(1000)
  assert.equal(seed.requests.length, 0)
  await swarm.complete(handle)
  assert.equal(tries, 3)
  await swarm.close()
})

test('a peer that was connected before hears that the metadata can be had here', async () => {
  const swarm = new SimSwarm(196)
  const torrent = makeTorrent({ length: 500 * KIB })
  const node = await swarm.node()
  const handle = node.add(torrent, { metainfo: null })
  const waiting = await swarm.join(node, torrent, { hasMetadata: false, has: () => false })
  await swarm.clock.advance(1000)
  assert.equal(waiting.nodeMetadataSize, null)
  await swarm.join(node, torrent)
  await swarm.complete(handle)
  assert.equal(waiting.nodeMetadataSize, torrent.info.length)
  await swarm.close()
})
