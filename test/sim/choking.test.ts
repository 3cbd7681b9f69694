// Choking of whole sessions: slots and tit for tat, optimistic unchoke, turns while seeding, snubbed peers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TorrentHandle } from '../../src/torrent/types.ts'
import type { FakePeer } from '../kit/peers/fake-peer.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { assertHolds, SimSwarm } from '../kit/sim/sim-swarm.ts'

const KIB = 1024

function unchoked(peers: readonly FakePeer[]): string[] {
  return peers.filter(peer => !peer.choked).map(peer => peer.host.ip)
}

function optimistic(handle: TorrentHandle): string[] {
  return handle.peers().flatMap(peer => (peer.optimistic ? [peer.ip] : []))
}

test('leeching: the slots go to the peers that give most, never more than there are', async () => {
  const swarm = new SimSwarm(11)
  const torrent = makeTorrent({ length: 40_000 * KIB, pieceLength: 64 * KIB })
  const node = await swarm.node({ session: { uploadSlots: 3 } })
  const handle = node.add(torrent)
  const peers: FakePeer[] = []
  for (const rate of [20, 40, 400, 60, 80, 300]) {
    peers.push(await swarm.join(node, torrent, { leeches: 2 }, { upRate: rate * KIB }))
  }
  let most = 0
  for (let second = 0; second < 40; second++) {
    await swarm.clock.advance(1000)
    most = Math.max(most, unchoked(peers).length)
  }
  assert.equal(handle.snapshot().status, 'downloading')
  const lucky = optimistic(handle)
  const regular = unchoked(peers).filter(ip => !lucky.includes(ip))
  assert.equal(lucky.length, 1)
  // The fastest may be the optimistic one only if it was drawn before it was known to be fast.
  for (const fast of [peers[2], peers[5]]) assert.ok(unchoked(peers).includes(fast?.host.ip ?? ''), `${regular}`)
  assert.ok(most <= 4, `${most} unchoked at a time`)
  await swarm.close()
})

test('leeching: everybody gets the optimistic slot some time, for half a minute', async () => {
  const swarm = new SimSwarm(12)
  const torrent = makeTorrent({ length: 60_000 * KIB, pieceLength: 64 * KIB })
  const node = await swarm.node({ session: { uploadSlots: 2 } })
  const handle = node.add(torrent)
  const peers: FakePeer[] = []
  for (const rate of [100, 5, 5, 5, 5]) {
    peers.push(await swarm.join(node, torrent, { leeches: 1 }, { upRate: rate * KIB }))
  }
  await swarm.clock.advance(20_000)
  const seen = new Set<string>()
  let changes = 0
  let before = ''
  for (let second = 0; second < 360; second++) {
    await swarm.clock.advance(1000)
    for (const ip of optimistic(handle)) {
      seen.add(ip)
      if (ip !== before) changes++
      before = ip
    }
  }
  assert.equal(handle.snapshot().status, 'downloading')
  for (const peer of peers.slice(1)) assert.ok(seen.has(peer.host.ip), `${[...seen]}`)
  assert.ok(changes >= 8 && changes <= 16, `${changes} changes in six minutes`)
  await swarm.close()
})

test('seeding: slots are taken in turns, all leechers are served', async () => {
  const swarm = new SimSwarm(13)
  const torrent = makeTorrent({ length: 4000 * KIB, pieceLength: 64 * KIB })
  const node = await swarm.seeder(torrent, { session: { uploadSlots: 2 }, line: { upRate: 500 * KIB } })
  const peers: FakePeer[] = []
  for (let i = 0; i < 6; i++) peers.push(await swarm.join(node, torrent, { has: () => false, leeches: 4 }))
  let most = 0
  for (let second = 0; second < 400; second++) {
    await swarm.clock.advance(1000)
    most = Math.max(most, unchoked(peers).length)
  }
  const served = peers.map(peer => peer.blocks.length)
  assert.ok(Math.min(...served) > 0.3 * (served.reduce((a, b) => a + b, 0) / 6), `${served}`)
  assert.ok(most <= 3, `${most} unchoked at a time`)
  for (const peer of peers) {
    for (const [i, change] of peer.chokes.entries()) {
      const next = peer.chokes[i + 1]
      if (!change.choked && next !== undefined) assert.ok(next.atMs - change.atMs >= 9000, 'turns must last')
    }
  }
  await swarm.close()
})

test('a peer that falls silent is snubbed after a minute and loses its slot; its blocks come from others', async () => {
  const swarm = new SimSwarm(14)
  const torrent = makeTorrent({ length: 20_000 * KIB, pieceLength: 64 * KIB })
  const node = await swarm.node({ session: { uploadSlots: 2 } })
  const handle = node.add(torrent)
  let silent = false
  const snubber = await swarm.join(
    node,
    torrent,
    { leeches: 1, serves: () => (silent ? 'nothing' : 'good') },
    { upRate: 200 * KIB },
  )
  const others: FakePeer[] = []
  for (let i = 0; i < 3; i++) others.push(await swarm.join(node, torrent, { leeches: 1 }, { upRate: 20 * KIB }))
  await swarm.clock.advance(20_000)
  assert.equal(snubber.choked, false)
  silent = true
  await swarm.clock.until(
    'snubbed',
    () => handle.peers().some(peer => peer.ip === snubber.host.ip && peer.snubbed),
    80_000,
  )
  const asked = snubber.requests.length
  await swarm.clock.advance(12_000)
  const row = handle.peers().find(peer => peer.ip === snubber.host.ip)
  assert.ok(row?.upChoked === true || row?.optimistic === true, 'no regular slot')
  assert.ok(snubber.requests.length - asked <= 3, 'one request at a time is risked')
  silent = false
  const late = snubber.requests.at(-1)
  assert.ok(late)
  snubber.sendBlock(late.piece, late.begin, late.length)
  await swarm.clock.advance(2000)
  assert.equal(handle.peers().find(peer => peer.ip === snubber.host.ip)?.snubbed, false)
  for (const peer of swarm.peers) peer.host.line.upRate = 0
  await swarm.complete(handle)
  assertHolds(node, torrent)
  await swarm.close()
})
