// What whole sessions ask for, and how much at a time: random first, rarest first, endgame, pipelines that adapt.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FakePeer } from '../kit/peers/fake-peer.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { assertHolds, SimSwarm } from '../kit/sim/sim-swarm.ts'

const KIB = 1024
const BLOCK = 16 * KIB

/** Pieces in the order a peer was asked for them. */
function asked(peer: FakePeer): number[] {
  return [...new Set(peer.requests.map(request => request.piece))]
}

test('rarest first: pieces that one peer has come before those that many have', async () => {
  const swarm = new SimSwarm(21)
  const torrent = makeTorrent({ length: 60 * 64 * KIB, pieceLength: 64 * KIB })
  const rare = (piece: number): boolean => piece >= 50
  const node = await swarm.node()
  const handle = node.add(torrent)
  for (let i = 0; i < 4; i++) {
    await swarm.join(node, torrent, { has: piece => !rare(piece), unchokes: false })
  }
  const all = await swarm.join(node, torrent, { unchokes: false }, { upRate: 200 * KIB })
  await swarm.clock.advance(1000)
  all.behaviour.unchokes = true
  all.unchoke()
  await swarm.complete(handle)
  const order = asked(all)
  const places = order.flatMap((piece, place) => (rare(piece) ? [place] : []))
  assert.equal(places.length, 10)
  // The first four are drawn, and while they come in others are begun.
  assert.ok(Math.max(...places) <= 22, `${order}`)
  await swarm.close()
})

test('random first: what a newcomer asks for first differs from run to run, also when one piece is rare', async () => {
  const firsts: number[] = []
  for (let seed = 1; seed <= 12; seed++) {
    const swarm = new SimSwarm(seed)
    const torrent = makeTorrent({ length: 64 * 64 * KIB, pieceLength: 64 * KIB })
    const node = await swarm.node()
    node.add(torrent)
    await swarm.join(node, torrent, { has: piece => piece > 0, unchokes: false })
    const all = await swarm.join(node, torrent, { unchokes: false }, { upRate: 20 * KIB })
    await swarm.clock.advance(500)
    all.unchoke()
    await swarm.clock.until('asked', () => all.requests.length > 0, 10_000)
    firsts.push(all.requests[0]?.piece ?? -1)
    await swarm.close()
  }
  assert.ok(new Set(firsts).size >= 8, `${firsts}`)
  assert.ok(firsts.filter(piece => piece === 0).length <= 2, `${firsts}`)
})

test('endgame: the last pieces do not wait for a slow peer, and what it was asked for is cancelled', async () => {
  const swarm = new SimSwarm(23)
  const torrent = makeTorrent({ length: 8000 * KIB, pieceLength: 256 * KIB })
  const node = await swarm.node()
  const handle = node.add(torrent)
  const slow = await swarm.join(node, torrent, {}, { upRate: 2 * KIB })
  const fast = await swarm.join(node, torrent, {}, { upRate: 1000 * KIB })
  const ms = await swarm.complete(handle)
  // 8,000 KiB at 1,000 KiB/s; a block of the slow peer takes 8 s, and it is asked for at least four.
  assert.ok(ms < 12_000, `${ms} ms`)
  assert.ok(slow.requests.length > 0)
  await swarm.clock.advance(500)
  const delivered = Math.ceil((slow.host.sentBytes - 200) / BLOCK)
  assert.ok(
    slow.cancels.length >= slow.requests.length - delivered,
    `${slow.cancels.length} of ${slow.requests.length}`,
  )
  assert.ok(slow.cancels.length > 0)
  assert.ok(fast.requests.length <= 8000 / 16 + 40, 'duplicates are few')
  await swarm.close()
})

test('pipelining: a fast far peer gets a long queue and its line is full, a slow one a short queue', async () => {
  const swarm = new SimSwarm(24)
  const torrent = makeTorrent({ length: 60_000 * KIB, pieceLength: 256 * KIB })
  const node = await swarm.node({ line: { latencyMs: 0 }, arenaBytes: 32 * 1024 * KIB })
  const handle = node.add(torrent)
  const far = await swarm.join(node, torrent, { requestQueue: 500 }, { upRate: 3000 * KIB, latencyMs: 100 })
  const near = await swarm.join(node, torrent, {}, { upRate: 50 * KIB, latencyMs: 10 })
  await swarm.clock.advance(6000)
  const row = (peer: FakePeer) => handle.peers().find(one => one.ip === peer.host.ip)
  const before = far.host.sentBytes
  await swarm.clock.advance(4000)
  const rate = (far.host.sentBytes - before) / 4
  assert.equal(handle.snapshot().status, 'downloading')
  assert.ok(rate > 2500 * KIB, `${Math.round(rate / KIB)} KiB/s`)
  assert.ok((row(far)?.requestsOut ?? 0) > 60, `far: ${row(far)?.requestsOut}`)
  assert.ok((row(near)?.requestsOut ?? 99) < 12, `near: ${row(near)?.requestsOut}`)
  far.host.line.upRate = 100 * KIB
  // What was asked for has to come first.
  await swarm.clock.advance(90_000)
  assert.equal(handle.snapshot().status, 'downloading')
  assert.ok((row(far)?.requestsOut ?? 99) < 30, `it shrinks too: ${row(far)?.requestsOut}`)
  await swarm.close()
})

test('the request queue a peer names is respected', async () => {
  const swarm = new SimSwarm(25)
  const torrent = makeTorrent({ length: 8000 * KIB, pieceLength: 256 * KIB })
  const node = await swarm.node()
  const handle = node.add(torrent)
  await swarm.join(node, torrent, { requestQueue: 6 }, { upRate: 2000 * KIB, latencyMs: 50 })
  let most = 0
  for (let i = 0; i < 100; i++) {
    await swarm.clock.advance(20)
    most = Math.max(most, handle.peers()[0]?.requestsOut ?? 0)
  }
  assert.ok(most > 0 && most <= 6, `${most}`)
  await swarm.close()
})

test('a small arena bounds what is under way and the download still ends', async () => {
  const swarm = new SimSwarm(26)
  const torrent = makeTorrent({ length: 8000 * KIB, pieceLength: 512 * KIB })
  const node = await swarm.node({ arenaBytes: 512 * KIB })
  const handle = node.add(torrent)
  for (let i = 0; i < 5; i++) await swarm.join(node, torrent, {}, { upRate: 300 * KIB * (i + 1) })
  await swarm.complete(handle)
  assertHolds(node, torrent)
  await swarm.close()
})
