// Readers of whole sessions: what is read comes first, a seek is answered at once, closing restores, slow peers do not
// hold the piece under a cursor.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { type SimNode, SimSwarm } from '../kit/sim/sim-swarm.ts'
import { awake } from '../kit/sim/awake.ts'

const KIB = 1024
const PIECE = 256 * KIB

/** Pieces a peer was asked for from request `from` on, in order, without repeats. */
function asked(requests: readonly { piece: number }[], from = 0): number[] {
  return [...new Set(requests.slice(from).map(request => request.piece))]
}

/** Waits for the byte at `position`; answers the ms it took. */
async function waitFor(
  swarm: SimSwarm,
  reader: { waitFor(position: number): number | Promise<number> },
  position: number,
): Promise<number> {
  let there = 0
  void Promise.resolve(reader.waitFor(position)).then(bytes => {
    there = bytes
  })
  return swarm.clock.until(`byte ${position}`, () => there > 0, 120_000)
}

async function read(
  node: SimNode,
  reader: { read(p: number, l: number, slot: import('../../src/ports/arena.ts').Slot): Promise<number> },
  position: number,
): Promise<Uint8Array> {
  const slot = node.ranges.lease()
  assert.ok(slot)
  const count = await reader.read(position, 1000, slot)
  const bytes = slot.bytes.slice(0, count)
  node.ranges.release(slot)
  return bytes
}

test('a reader gets its first byte soon, anywhere in the file, and the bytes are right', async () => {
  for (const [seed, place] of [0, 0.9].entries()) {
    const swarm = new SimSwarm(60 + seed)
    const torrent = makeTorrent({ length: 40_000 * KIB, pieceLength: PIECE })
    const node = await swarm.node()
    const handle = node.add(torrent)
    const position = Math.floor(torrent.content.length * place)
    await swarm.join(node, torrent, {}, { upRate: 1000 * KIB })
    await swarm.clock.advance(3000)
    const reader = awake(handle).openReader(0)
    const ms = await waitFor(swarm, reader, position)
    // One piece at 1,000 KiB/s takes 256 ms; a second's worth of other blocks was asked for before and is cancelled.
    assert.ok(ms < 800, `${place}: ${ms} ms`)
    assert.ok(
      Buffer.compare(await read(node, reader, position), torrent.content.subarray(position, position + 1000)) === 0,
    )
    assert.ok(handle.snapshot().progress < 0.5)
    reader.close()
    await swarm.close()
  }
})

test('seek: the new place is asked for within the same turn, before the rest of the old window; closing restores', async () => {
  const swarm = new SimSwarm(62)
  const torrent = makeTorrent({ length: 60_000 * KIB, pieceLength: PIECE })
  const node = await swarm.node()
  const handle = node.add(torrent)
  const peer = await swarm.join(node, torrent, {}, { upRate: 2000 * KIB })
  const reader = awake(handle).openReader(0)
  await waitFor(swarm, reader, 0)
  await swarm.clock.until('a window', () => asked(peer.requests).length >= 8, 5000)
  assert.deepEqual(asked(peer.requests).slice(0, 8), [0, 1, 2, 3, 4, 5, 6, 7])
  const from = peer.requests.length
  const ms = await waitFor(swarm, reader, 200 * PIECE)
  assert.deepEqual(
    asked(peer.requests, from + 16)
      .filter(piece => piece >= 100)
      .slice(0, 3),
    [200, 201, 202],
  )
  assert.ok(ms < 700, `${ms} ms`)
  reader.close()
  await swarm.clock.advance(1000)
  const after = asked(peer.requests, peer.requests.length - 60)
  assert.ok(
    after.some(piece => piece > 10 && piece < 190),
    `rarest first again: ${after}`,
  )
  await swarm.close()
})

test('after the window come the index zones of the file, then the rest', async () => {
  const swarm = new SimSwarm(63)
  const torrent = makeTorrent({ length: 60_000 * KIB, pieceLength: PIECE })
  const node = await swarm.node({ arenaBytes: 32 * 1024 * KIB })
  const handle = node.add(torrent)
  const last = Math.ceil(60_000 / 256) - 1
  const peer = await swarm.join(node, torrent, { unchokes: false }, { upRate: 2000 * KIB })
  const reader = awake(handle).openReader(0)
  void Promise.resolve(reader.waitFor(100 * PIECE)).catch(() => {})
  await swarm.clock.advance(500)
  peer.unchoke()
  await swarm.clock.until('60 pieces', () => asked(peer.requests).length >= 62, 60_000)
  const order = asked(peer.requests)
  assert.deepEqual(
    order.slice(0, 32),
    Array.from({ length: 32 }, (_, i) => 100 + i),
  )
  assert.deepEqual(
    order.slice(32, 52),
    Array.from({ length: 20 }, (_, i) => i),
  )
  assert.deepEqual(order.slice(52, 57), [last - 4, last - 3, last - 2, last - 1, last])
  reader.close()
  await swarm.close()
})

test('a slow peer does not hold the piece under a cursor', async () => {
  const swarm = new SimSwarm(64)
  const torrent = makeTorrent({ length: 60_000 * KIB, pieceLength: PIECE })
  const node = await swarm.node()
  const handle = node.add(torrent)
  for (let i = 0; i < 3; i++) await swarm.join(node, torrent, {}, { upRate: 3 * KIB })
  await swarm.join(node, torrent, {}, { upRate: 1500 * KIB })
  await swarm.clock.advance(8000)
  const reader = awake(handle).openReader(0)
  for (const place of [100, 20, 150, 60, 180]) {
    const ms = await waitFor(swarm, reader, place * PIECE)
    assert.ok(ms < 4000, `piece ${place} took ${ms} ms`)
  }
  reader.close()
  await swarm.close()
})

test('two readers at two places both advance; a reader of a complete file asks for nothing', async () => {
  const swarm = new SimSwarm(65)
  const torrent = makeTorrent({ length: 20_000 * KIB, pieceLength: PIECE })
  const node = await swarm.node()
  const handle = node.add(torrent)
  await swarm.join(node, torrent, {}, { upRate: 1000 * KIB })
  const a = awake(handle).openReader(0)
  const b = awake(handle).openReader(0)
  const both = [waitFor(swarm, a, 10 * PIECE)]
  let second = 0
  void Promise.resolve(b.waitFor(60 * PIECE)).then(bytes => {
    second = bytes
  })
  await Promise.all(both)
  await swarm.clock.until('the other place', () => second > 0, 3000)
  assert.ok(handle.snapshot().progress < 0.4)
  a.close()
  b.close()
  await swarm.complete(handle)
  const again = awake(handle).openReader(0)
  assert.equal(typeof again.waitFor(12 * PIECE), 'number')
  again.close()
  assert.equal(handle.openReaders, 0)
  await swarm.close()
})

test('reading a file that is not selected fetches it while it is read; a closed reader ends its waits', async () => {
  const swarm = new SimSwarm(66)
  const torrent = makeTorrent({
    pieceLength: 64 * KIB,
    files: [
      { path: 'a.bin', length: 640 * KIB },
      { path: 'b.bin', length: 6400 * KIB },
    ],
  })
  const node = await swarm.node()
  const handle = node.add(torrent, { selectedFiles: [0] })
  await swarm.join(node, torrent, {}, { upRate: 500 * KIB })
  await swarm.complete(handle)
  assert.equal(awake(handle).files()[1]?.progress, 0)
  const reader = awake(handle).openReader(1)
  await waitFor(swarm, reader, 3000 * KIB)
  const waiting = Promise.resolve(reader.waitFor(6000 * KIB))
  const rejected = assert.rejects(waiting, { code: 'Aborted' })
  reader.close()
  await rejected
  await swarm.close()
})

test('the gaps of a file are what is not there, to the byte, and asking for them asks nobody', async () => {
  const swarm = new SimSwarm(77)
  const size = 40 * PIECE + 1000
  const torrent = makeTorrent({ length: size, pieceLength: PIECE })
  const node = await swarm.node()
  const handle = node.add(torrent)
  const reader = awake(handle).openReader(0)
  assert.deepEqual(reader.gaps(10, 5000), [{ start: 10, end: 5000 }])
  assert.deepEqual(reader.gaps(size - 5, size + 100), [{ start: size - 5, end: size }])
  assert.deepEqual(reader.gaps(5, 5), [])
  await swarm.join(node, torrent, {}, { upRate: 1000 * KIB })
  const middle = 20 * PIECE + 100
  await waitFor(swarm, reader, middle)
  const gaps = reader.gaps(0, size)
  assert.ok(gaps.length > 0 && gaps.every(({ start, end }) => end > start))
  assert.equal(
    gaps.some(({ start, end }) => start <= middle && middle < end),
    false,
  )
  for (const { start, end } of gaps) {
    assert.ok(start === 0 || reader.gaps(start - 1, start).length === 0, `there is something before ${start}`)
    assert.ok(end === size || typeof reader.waitFor(end) === 'number', `${end} is there`)
  }
  const missing = gaps.reduce((sum, { start, end }) => sum + end - start, 0)
  // The last piece, which is shorter, is not there yet.
  const pieces = Math.round(handle.snapshot().progress * 41)
  assert.deepEqual([pieces > 0, size - missing], [true, pieces * PIECE])
  await waitFor(swarm, reader, 0)
  await swarm.clock.until('all is there', () => handle.snapshot().progress === 1, 120_000)
  assert.deepEqual(reader.gaps(0, size), [])
  reader.close()
  await swarm.close()
})

test('of two readers the one that stands still is served although the other goes on all the time', async () => {
  const swarm = new SimSwarm(437)
  const torrent = makeTorrent({ length: 21 * 64 * KIB, pieceLength: 64 * KIB })
  // A limit that lets one block pass at a time.
  const node = await swarm.node({ session: { maxDownloadRate: 50_000 } })
  const handle = node.add(torrent, { peers: [await swarm.peer(torrent).listen()] })
  await swarm.clock.advance(300)
  const one = awake(handle).openReader(0)
  let position = 0
  const reading = (async () => {
    while (position < torrent.content.length) position += await one.waitFor(position)
  })()
  await swarm.clock.advance(3000)
  const two = awake(handle).openReader(0)
  let there = false
  void Promise.resolve(two.waitFor(20 * 64 * KIB)).then(() => {
    there = true
  })
  const ms = await swarm.clock.until('its piece', () => there, 60_000)
  assert.ok(ms < 4000, `${ms} ms`)
  await swarm.clock.until('all', () => position === torrent.content.length, 60_000)
  await reading
  for (const reader of [one, two]) reader.close()
  await swarm.close()
})
