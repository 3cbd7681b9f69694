// A reader of a torrent whose folders take long to be made: it is served first, the memory of all is not its waiting
// room, and a stop ends it at once.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../src/base/errors.ts'
import type { PieceStore } from '../../src/ports/piece-store.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { awake } from '../kit/sim/awake.ts'
import { assertHolds, type SimNode, SimSwarm } from '../kit/sim/sim-swarm.ts'

const KIB = 1024
const MIB = 1024 * KIB
const FOLDERS_MS = 30_000

/** The folders of torrents of this length take long; what is written waits behind them, as in the real store. */
function slowFolders(swarm: SimSwarm, node: SimNode, totalLength: number): void {
  const open = node.disk.open.bind(node.disk)
  node.disk.open = layout => {
    const store = open(layout)
    return layout.totalLength === totalLength ? slow(swarm, store) : store
  }
}

function slow(swarm: SimSwarm, store: PieceStore): PieceStore {
  let prepared: Promise<void> = Promise.resolve()
  const made = (signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const timer = swarm.clock.after(FOLDERS_MS, resolve)
      signal?.addEventListener('abort', () => {
        timer.cancel()
        reject(new AppError('Aborted'))
      })
    })
  const commit = store.commit.bind(store)
  const writeBlocks = store.writeBlocks.bind(store)
  return Object.assign(store, {
    prepare: (signal?: AbortSignal) => (prepared = made(signal)),
    commit: (...given: Parameters<typeof commit>) => prepared.then(() => commit(...given)),
    writeBlocks: (...given: Parameters<typeof writeBlocks>) => prepared.then(() => writeBlocks(...given)),
  })
}

test('a reader that waits for folders leaves memory to other downloads', async () => {
  const swarm = new SimSwarm(421)
  const streamed = makeTorrent({ length: 24 * MIB, pieceLength: 256 * KIB })
  const other = makeTorrent({ length: 4 * MIB, pieceLength: 256 * KIB, seed: 2, name: 'other' })
  const node = await swarm.node({ arenaBytes: 16 * MIB })
  slowFolders(swarm, node, 24 * MIB)
  const peer = swarm.peer(streamed)
  const handle = node.add(streamed, { peers: [await peer.listen()] })
  await swarm.clock.advance(200)
  const reader = awake(handle).openReader(0)
  const waiting = Promise.resolve(reader.waitFor(0))
  await swarm.clock.advance(5000)
  assert.equal(handle.snapshot().status, 'downloading')
  const asked = peer.requests.length
  assert.ok(asked >= 16 && asked <= 256, `${asked} blocks asked for`)
  assert.ok(node.arena.freeCount > node.arena.slotCount / 2, `${node.arena.freeCount} slots are free`)
  const seeder = swarm.peer(other)
  const download = node.add(other, { peers: [await seeder.listen()] })
  const ms = await swarm.complete(download, 20_000)
  assert.ok(ms < 3000, `${ms} ms`)
  // It goes on as soon as there are folders.
  await swarm.clock.until('its piece', () => handle.snapshot().progress > 0, FOLDERS_MS)
  assert.ok((await waiting) > 0)
  reader.close()
  await swarm.complete(handle, 60_000)
  assertHolds(node, streamed)
  await swarm.close()
})

test('while folders are made nothing is asked for that no reader waits for, then everything', async () => {
  const swarm = new SimSwarm(422)
  const torrent = makeTorrent({ length: 3 * MIB, pieceLength: 64 * KIB })
  const node = await swarm.node({ arenaBytes: 32 * MIB })
  slowFolders(swarm, node, 3 * MIB)
  const peer = swarm.peer(torrent, {}, { upRate: 64 * KIB })
  const handle = node.add(torrent, { peers: [await peer.listen()] })
  const reader = awake(handle).openReader(0)
  const gone = assert.rejects(Promise.resolve(reader.waitFor(2 * MIB)))
  await swarm.clock.advance(5000)
  assert.equal(peer.requests[0]?.piece, 32)
  reader.close()
  await gone
  await swarm.clock.advance(100)
  const asked = peer.requests.length
  assert.ok(asked < 100, `${asked} blocks asked for`)
  await swarm.clock.advance(10_000)
  assert.equal(peer.requests.length, asked, 'nobody waits for anything')
  await swarm.complete(handle, 120_000)
  assertHolds(node, torrent)
  await swarm.close()
})

test('a stop while folders are made for a reader ends soon, and a start after it goes well', async () => {
  const swarm = new SimSwarm(423)
  const torrent = makeTorrent({ length: 2 * MIB, pieceLength: 64 * KIB })
  const node = await swarm.node()
  slowFolders(swarm, node, 2 * MIB)
  const handle = node.add(torrent, { peers: [await swarm.peer(torrent).listen()] })
  const reader = awake(handle).openReader(0)
  const waiting = Promise.resolve(reader.waitFor(0)).catch((error: unknown) => error)
  await swarm.clock.advance(5000)
  assert.ok(node.arena.freeCount < node.arena.slotCount, 'pieces wait')
  let stopped = false
  void awake(handle)
    .stop()
    .then(() => (stopped = true))
  // What waited is over by the time of the next run, and no failure of it.
  awake(handle).resume()
  await swarm.clock.until('stopped', () => stopped, 100)
  assert.ok((await waiting) instanceof AppError)
  assert.equal(node.arena.freeCount, node.arena.slotCount)
  await swarm.complete(handle, 60_000)
  assert.deepEqual(
    node.events.filter(event => event.startsWith('failed')),
    [],
  )
  assertHolds(node, torrent)
  await swarm.close()
})
