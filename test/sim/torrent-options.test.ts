// What users ask of a torrent, seen in whole sessions: the order in which pieces are asked for, limits and order that
// outlive a suspension, moves, trackers, and what is told of the obstacles.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StorageMove } from '../../src/ports/piece-store.ts'
import type { TorrentControls } from '../../src/torrent/types.ts'
import type { FakePeer } from '../kit/peers/fake-peer.ts'
import { makeTorrent } from '../kit/content/make-torrent.ts'
import { contentsOf } from '../kit/sim/sim-contents.ts'
import { SimSwarm } from '../kit/sim/sim-swarm.ts'
import { awake } from '../kit/sim/awake.ts'

const KIB = 1024
const nothing: TorrentControls = {
  maxDownloadRate: 0,
  maxUploadRate: 0,
  filePriorities: new Map(),
  sequential: false,
}

/** Pieces in the order a peer was asked for them. */
function asked(peer: FakePeer): number[] {
  return [...new Set(peer.requests.map(request => request.piece))]
}

function moveTo(destination: string, commit: () => Promise<void>): StorageMove {
  return { destination, commit, resumed: false, signal: new AbortController().signal }
}

test('sequential: pieces are asked for in their order', async () => {
  const swarm = new SimSwarm(501)
  const torrent = makeTorrent({ length: 40 * 64 * KIB, pieceLength: 64 * KIB })
  const node = await swarm.node()
  const handle = node.add(torrent, { controls: { ...nothing, sequential: true } })
  const peer = await swarm.join(node, torrent, {}, { upRate: 500 * KIB })
  await swarm.complete(handle)
  assert.deepEqual(
    asked(peer),
    Array.from({ length: 40 }, (_, piece) => piece),
  )
  await swarm.close()
})

test('files of a higher priority come first, those of a lower one last; a change counts at once', async () => {
  const swarm = new SimSwarm(502)
  const files = [0, 1, 2, 3].map(n => ({ path: `${n}.bin`, length: 10 * 64 * KIB }))
  const torrent = makeTorrent({ files, pieceLength: 64 * KIB })
  const node = await swarm.node({ arenaBytes: 1024 * KIB })
  const filePriorities = new Map([
    [0, 1],
    [2, 7],
  ])
  const handle = node.add(torrent, { controls: { ...nothing, filePriorities } })
  const peer = await swarm.join(node, torrent, {}, { upRate: 200 * KIB })
  await swarm.clock.until('the first file', () => awake(handle).files()[2]?.progress === 1, 60_000)
  const fileOf = (piece: number): number => Math.floor(piece / 10)
  assert.deepEqual(new Set(asked(peer).slice(0, 10).map(fileOf)), new Set([2]))
  handle.setControls({
    ...nothing,
    filePriorities: new Map([
      [3, 6],
      [0, 1],
    ]),
  })
  await swarm.complete(handle)
  const order = asked(peer).map(fileOf)
  // What was begun before goes on: at most as many pieces as half of the arena holds.
  const afterThird = order.slice(order.lastIndexOf(3) + 1)
  assert.ok(afterThird.filter(file => file === 1).length >= 2, `${order}`)
  assert.deepEqual(new Set(order.slice(-10)), new Set([0]))
  await swarm.close()
})

test('limits and order outlive a suspension', async () => {
  const swarm = new SimSwarm(503)
  const torrent = makeTorrent({ length: 3000 * KIB, pieceLength: 64 * KIB })
  const { contents } = contentsOf([torrent])
  const node = await swarm.seeder(torrent, { contents })
  const handle = node.session.get(torrent.infoHash)
  assert.ok(handle)
  handle.setControls({ ...nothing, maxUploadRate: 50 * KIB })
  await swarm.clock.until('suspended', () => handle.suspended, 120_000)
  handle.setControls({ ...nothing, maxUploadRate: 40 * KIB })
  await swarm.join(node, torrent, { has: () => false, leeches: 10 })
  await swarm.clock.until('awake and sending', () => handle.snapshot().upRate > 0, 60_000)
  const before = handle.snapshot().totalUp
  await swarm.clock.advance(20_000)
  const rate = (handle.snapshot().totalUp - before) / 20 / KIB
  assert.ok(rate < 44 && rate > 25, `${rate} KiB/s`)
  await swarm.close()
})

test('a move: the store is told, the new place is shown, a suspended torrent is woken and stays awake meanwhile', async () => {
  const swarm = new SimSwarm(504)
  const torrent = makeTorrent({ length: 300 * KIB })
  const { contents } = contentsOf([torrent])
  const node = await swarm.seeder(torrent, { contents })
  const handle = node.session.get(torrent.infoHash)
  assert.ok(handle)
  await swarm.clock.until('suspended', () => handle.suspended, 120_000)
  let release = (): void => undefined
  const held = new Promise<void>(resolve => {
    release = resolve
  })
  let moved = false
  const moving = handle.moveStorage(moveTo('/new', () => held)).then(() => {
    moved = true
  })
  await swarm.clock.advance(120_000)
  assert.equal(handle.suspended, false)
  assert.equal(moved, false)
  await assert.rejects(handle.moveStorage(moveTo('/other', () => Promise.resolve())), { code: 'StateConflict' })
  release()
  await swarm.clock.until('moved', () => moved, 1000)
  await moving
  assert.equal(handle.snapshot().destination, '/new')
  await swarm.clock.until('suspended again', () => handle.suspended, 120_000)
  assert.equal(handle.snapshot().destination, '/new')
  const left = handle.wake().then(torrent => torrent.leaveFolder('/data'))
  await swarm.clock.advance(100)
  await left
  assert.deepEqual(node.disk.moves, [`${torrent.infoHash} /new`, `${torrent.infoHash} left /data`])
  await swarm.close()
})

test('a magnet without metadata moves by its record alone; a commit that fails changes nothing', async () => {
  const swarm = new SimSwarm(505)
  const torrent = makeTorrent({ length: 300 * KIB })
  const node = await swarm.node()
  const handle = node.add(torrent, { metainfo: null })
  await handle.moveStorage(moveTo('/new', () => Promise.resolve()))
  assert.equal(handle.snapshot().destination, '/new')
  await assert.rejects(handle.moveStorage(moveTo('/third', () => Promise.reject(new Error('no')))), /no/)
  assert.equal(handle.snapshot().destination, '/new')
  await swarm.join(node, torrent)
  await swarm.complete(handle)
  assert.deepEqual(node.disk.moves, [])
  await swarm.close()
})

test('obstacles: nobody known, nobody unchokes, pieces nobody has, a limit, a full disk', async () => {
  const swarm = new SimSwarm(506)
  const torrent = makeTorrent({ length: 40 * 64 * KIB, pieceLength: 64 * KIB })
  const node = await swarm.node()
  const handle = node.add(torrent)
  await swarm.clock.advance(1000)
  const alone = handle.obstacles()
  assert.deepEqual([alone.private, alone.addresses, alone.piecesLeft], [false, 0, 40])
  await swarm.join(node, torrent, { has: piece => piece < 30, unchokes: false })
  await swarm.clock.advance(1000)
  assert.equal(handle.obstacles().piecesNobodyHas, 10)
  assert.equal(handle.obstacles().downLimited, false)
  handle.setControls({ ...nothing, maxDownloadRate: 20 * KIB })
  const giver = await swarm.join(node, torrent, {}, { upRate: 500 * KIB })
  await swarm.clock.until('limited', () => handle.obstacles().downLimited, 30_000)
  assert.equal(handle.obstacles().piecesNobodyHas, 0)
  handle.setControls(nothing)
  node.disk.faults.full = true
  await swarm.clock.until('failed', () => handle.snapshot().status === 'error', 60_000)
  assert.equal(handle.obstacles().waitsForSpace, true)
  node.disk.faults.full = false
  assert.ok(giver.requests.length > 0)
  await swarm.close()
})

test('trackers are taken away and asked while suspended too', async () => {
  const swarm = new SimSwarm(507)
  const announce = [['http://a.example/announce'], ['http://b.example/announce']]
  const torrent = makeTorrent({ length: 300 * KIB, announce })
  const { contents } = contentsOf([torrent])
  const node = await swarm.seeder(torrent, { contents })
  const handle = node.session.get(torrent.infoHash)
  assert.ok(handle)
  await swarm.clock.until('suspended', () => handle.suspended, 120_000)
  assert.equal(handle.forceAnnounce(null), 2)
  assert.deepEqual(handle.removeTrackers(['http://a.example/announce', 'http://z.example/']), announce[0])
  assert.deepEqual(handle.announceTiers(), [announce[1]])
  assert.equal(handle.suspended, true)
  assert.equal(node.announcers.made.get(torrent.infoHash)?.calls.includes('now all'), true)
  await swarm.close()
})
