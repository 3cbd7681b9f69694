// Films that are played while they come in, at 1.3 times their bitrate, in pieces of 2 MiB: what a reader of whose film
// something is known asks for first.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FilmFacts } from '../../src/torrent/streams/film-facts.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { awake } from '../kit/sim/awake.ts'
import { SimSwarm } from '../kit/sim/sim-swarm.ts'

const MIB = 1024 * 1024
const PIECE = 2 * MIB
const PIECES = 40
const RATE = 400_000
const FILM: FilmFacts = {
  bytesPerSecond: RATE / 1.3,
  index: [{ start: PIECES * PIECE - 97_000, end: PIECES * PIECE }],
  keys: null,
}
const PIECE_MS = (PIECE * 1000) / RATE

/** Pieces a peer was asked for, in order, without repeats. */
function asked(requests: readonly { piece: number }[]): number[] {
  return [...new Set(requests.map(request => request.piece))]
}

test('cold: the first picture after one piece and no more, though the index is read for facts at the same time', async () => {
  const swarm = new SimSwarm(701)
  const torrent = makeTorrent({ length: PIECES * PIECE, pieceLength: PIECE })
  const node = await swarm.node({ arenaBytes: 32 * MIB })
  const peer = swarm.peer(torrent, {}, { upRate: RATE })
  const handle = node.add(torrent, { peers: [await peer.listen()] })
  const began = swarm.clock.now()
  const facts = awake(handle).openReader(0, { background: true })
  const reader = awake(handle).openReader(0)
  let indexMs = 0
  let firstMs = 0
  const index = Promise.resolve(facts.waitFor(PIECES * PIECE - 97_000)).then(() => {
    indexMs = swarm.clock.now() - began
  })
  void Promise.resolve(reader.waitFor(0)).then(() => {
    firstMs = swarm.clock.now() - began
  })
  reader.setFilm(FILM)
  await swarm.clock.until('the first picture', () => firstMs > 0, 60_000)
  assert.ok(firstMs <= PIECE_MS + 1000, `first picture after ${firstMs} ms, a piece takes ${PIECE_MS}`)
  assert.equal(asked(peer.requests).includes(PIECES - 1), false, `${asked(peer.requests)}`)
  // Played from there on: at 1.3 times the bitrate the window of 30 s fills, and the index comes.
  await swarm.clock.until('the index', () => indexMs > 0, 120_000)
  // 30 s of the film are five pieces, and the one they end in.
  assert.ok(asked(peer.requests).indexOf(PIECES - 1) <= 6, `${asked(peer.requests)}`)
  facts.close()
  reader.close()
  await index
  await swarm.close()
})

test('behind the window comes the index of the film, as far as it is one, and nothing else of both ends', async () => {
  const swarm = new SimSwarm(702)
  const torrent = makeTorrent({ length: PIECES * PIECE, pieceLength: PIECE })
  const node = await swarm.node({ arenaBytes: 64 * MIB, session: { streamAheadSec: 20 } })
  const handle = node.add(torrent)
  const peer = await swarm.join(node, torrent, { unchokes: false }, { upRate: 10 * RATE })
  const reader = awake(handle).openReader(0)
  reader.setFilm({ ...FILM, bytesPerSecond: 2 * FILM.bytesPerSecond })
  void Promise.resolve(reader.waitFor(20 * PIECE)).catch(() => {})
  await swarm.clock.advance(500)
  peer.unchoke()
  await swarm.clock.until('ten pieces', () => asked(peer.requests).length >= 10, 60_000)
  const order = asked(peer.requests)
  // 20 s at twice the rate: 12.3 MB, six pieces.
  assert.deepEqual(order.slice(0, 7), [20, 21, 22, 23, 24, 25, PIECES - 1])
  assert.equal(order.slice(7).includes(PIECES - 1), false)
  reader.close()
  await swarm.close()
})
