// Web seeds (BEP 19) in whole sessions on the virtual clock: alone and beside peers, a lying one, readers, limits,
// selection, a stop, and what is shown of them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import '../../src/torrent/web-seeds/web-seeds.ts'
import type { FileReader } from '../../src/torrent/types.ts'
import { makeTorrent, type MadeTorrent } from '../kit/content/make-torrent.ts'
import { failure, MemoryRanges } from '../kit/doubles/memory-ranges.ts'
import { contentsOf } from '../kit/sim/sim-contents.ts'
import { assertHolds, SimSwarm } from '../kit/sim/sim-swarm.ts'
import { awake } from '../kit/sim/awake.ts'

const KIB = 1024
const MIB = 1024 * KIB
const A = 'http://a.test/'
const B = 'http://b.test/'

/** A server with the files of `torrent` below each of `urls`. */
function serverOf(swarm: SimSwarm, torrent: MadeTorrent, urls: readonly string[]): MemoryRanges {
  const http = new MemoryRanges(swarm.clock)
  for (const url of urls) {
    for (const { path, content, padding } of torrent.files) {
      if (!padding) http.files.set(url + (torrent.files.length === 1 ? path : `folder/${path}`), content)
    }
  }
  return http
}

async function firstByte(swarm: SimSwarm, reader: FileReader, position: number): Promise<number> {
  let there = 0
  void Promise.resolve(reader.waitFor(position)).then(bytes => {
    there = bytes
  })
  return swarm.clock.until(`byte ${position}`, () => there > 0, 60_000)
}

test('a torrent comes from a web seed alone, every byte once, and is shown among the peers', async () => {
  const swarm = new SimSwarm(200)
  const torrent = makeTorrent({ length: 20 * MIB + 77, pieceLength: 256 * KIB })
  const http = serverOf(swarm, torrent, [A])
  const node = await swarm.node({ webSeeds: http })
  const handle = node.add(torrent, { webSeeds: [A] })
  await swarm.clock.until('some came', () => handle.snapshot().totalDown > MIB, 10_000)
  const [shown] = handle.peers()
  assert.equal(shown?.webSeed, true)
  assert.equal(shown.ip, 'a.test')
  assert.equal(shown.completed, 1)
  assert.ok(shown.downRate > 0)
  assert.equal(handle.webSeeds()[0]?.state, 'active')
  assert.equal(handle.snapshot().availability, 1)
  await swarm.complete(handle)
  assertHolds(node, torrent)
  assert.equal(handle.snapshot().totalDown, torrent.content.length)
  await swarm.clock.advance(10_000)
  assert.deepEqual(handle.peers(), [])
  assert.equal(handle.webSeeds()[0]?.state, 'idle')
  await swarm.close()
})

test('peers and web seeds share the work, and the slots of a small arena', async () => {
  const swarm = new SimSwarm(201)
  const torrent = makeTorrent({ length: 24 * MIB, pieceLength: 512 * KIB })
  const http = serverOf(swarm, torrent, [A, B])
  http.bytesPerSec = MIB
  const node = await swarm.node({ webSeeds: http, arenaBytes: 2 * MIB })
  const handle = node.add(torrent, { webSeeds: [A, B] })
  await swarm.join(node, torrent, {}, { upRate: 2 * MIB })
  await swarm.complete(handle)
  assertHolds(node, torrent)
  const web = http.seen.reduce((sum, { sent }) => sum + sent, 0)
  assert.ok(web > 4 * MIB && web < 20 * MIB, `${web} bytes of ${24 * MIB} came by HTTP`)
  assert.ok(handle.snapshot().totalDown < 24 * MIB * 1.05, `${handle.snapshot().totalDown} bytes came`)
  await swarm.close()
})

test('what peers were asked for at the end is not fetched from the web seed too', async () => {
  const swarm = new SimSwarm(210)
  const torrent = makeTorrent({ length: 8 * MIB, pieceLength: 256 * KIB })
  const http = serverOf(swarm, torrent, [A])
  http.bytesPerSec = 2 * MIB
  const node = await swarm.node({ webSeeds: http })
  const handle = node.add(torrent, { webSeeds: [A] })
  for (let n = 0; n < 3; n += 1) await swarm.join(node, torrent, {}, { upRate: 400 * KIB })
  await swarm.complete(handle)
  const { totalDown } = handle.snapshot()
  assert.ok(totalDown < 8 * MIB * 1.01, `${totalDown} bytes for ${8 * MIB}`)
  await swarm.close()
})

test('a disk that takes its time does not let a fast server wait for the next tick', async () => {
  const swarm = new SimSwarm(211)
  const torrent = makeTorrent({ length: 64 * MIB, pieceLength: MIB })
  const http = serverOf(swarm, torrent, [A])
  http.bytesPerSec = 100 * MIB
  const node = await swarm.node({ webSeeds: http, arenaBytes: 32 * MIB })
  node.disk.faults.delayMs = 2500
  const ms = await swarm.complete(node.add(torrent, { webSeeds: [A] }))
  // Sixteen pieces are begun at a time: four rounds of 2.5 s, and no second lost between them.
  assert.ok(ms < 11_000, `${ms} ms`)
  await swarm.close()
})

test('files of a folder, with padding, from a web seed; a selection fetches no more than it needs', async () => {
  const swarm = new SimSwarm(202)
  const torrent = makeTorrent({
    pieceLength: 64 * KIB,
    padding: true,
    files: [
      { path: 'a.bin', length: 300_000 },
      { path: 'b.bin', length: 1_000_000 },
      { path: 'c.bin', length: 5 },
    ],
  })
  const http = serverOf(swarm, torrent, [A])
  const node = await swarm.node({ webSeeds: http })
  const handle = node.add(torrent, { webSeeds: [A], selectedFiles: [0] })
  await swarm.complete(handle)
  assert.deepEqual([...new Set(http.seen.map(({ url }) => url))], [`${A}folder/a.bin`])
  awake(handle).select(null)
  await swarm.complete(handle)
  assertHolds(node, torrent)
  await swarm.close()
})

test('wrong bytes: the seed is off and no peer is banned; a peer brings the rest', async () => {
  const swarm = new SimSwarm(203)
  const torrent = makeTorrent({ length: 4 * MIB, pieceLength: 64 * KIB })
  const http = serverOf(swarm, torrent, [A])
  http.files.set(
    `${A}file.bin`,
    Uint8Array.from(torrent.content, byte => byte ^ 0x80),
  )
  const node = await swarm.node({ webSeeds: http })
  const handle = node.add(torrent, { webSeeds: [A] })
  await swarm.clock.until('off', () => handle.webSeeds()[0]?.state === 'off', 60_000)
  assert.equal(handle.webSeeds()[0]?.error, 'sent bad data')
  const asked = http.seen.length
  const peer = await swarm.join(node, torrent)
  await swarm.complete(handle)
  assert.equal(peer.closed, false)
  assertHolds(node, torrent)
  assert.equal(http.seen.length, asked)
  await awake(handle).stop()
  awake(handle).resume()
  await swarm.complete(handle)
  assert.equal(handle.webSeeds()[0]?.state, 'off', 'also after a stop')
  await swarm.close()
})

test('a reader gets its place soon, at the start and after a seek, from a web seed alone', async () => {
  const swarm = new SimSwarm(204)
  const torrent = makeTorrent({ length: 60 * MIB, pieceLength: 256 * KIB })
  const http = serverOf(swarm, torrent, [A])
  http.bytesPerSec = 2 * MIB
  http.latencyMs = 50
  // Memory for long runs: without giving way a reader would wait for their ends.
  const node = await swarm.node({ webSeeds: http, arenaBytes: 64 * MIB })
  const handle = node.add(torrent, { webSeeds: [A] })
  await swarm.clock.until('it runs', () => handle.snapshot().totalDown > MIB, 20_000)
  const reader = awake(handle).openReader(0)
  for (const position of [30 * MIB, 55 * MIB, 8 * MIB]) {
    const ms = await firstByte(swarm, reader, position)
    assert.ok(ms < 1000, `${position}: ${ms} ms`)
  }
  reader.close()
  await swarm.close()
})

test('a reader of a file that is not selected runs a stopped torrent from its web seed', async () => {
  const swarm = new SimSwarm(205)
  const torrent = makeTorrent({
    pieceLength: 64 * KIB,
    files: [
      { path: 'a.bin', length: 300_000 },
      { path: 'b.bin', length: 3_000_000 },
    ],
  })
  const http = serverOf(swarm, torrent, [A])
  const node = await swarm.node({ webSeeds: http })
  const handle = node.add(torrent, { webSeeds: [A], selectedFiles: [0] })
  await swarm.complete(handle)
  await awake(handle).stop()
  const asked = http.seen.length
  await swarm.clock.advance(60_000)
  assert.equal(http.seen.length, asked)
  const reader = awake(handle).openReader(1)
  await firstByte(swarm, reader, 2_000_000)
  reader.close()
  await swarm.clock.advance(10_000)
  assert.equal(handle.snapshot().status, 'stopped')
  assert.equal(http.active, 0)
  await swarm.close()
})

test('a stop in the middle ends requests at once; a resume goes on; the limit of the download holds', async () => {
  const swarm = new SimSwarm(206)
  const torrent = makeTorrent({ length: 6 * MIB, pieceLength: 256 * KIB })
  const http = serverOf(swarm, torrent, [A])
  http.bytesPerSec = MIB
  const node = await swarm.node({ webSeeds: http })
  const handle = node.add(torrent, { webSeeds: [A] })
  await swarm.clock.until('some came', () => handle.snapshot().totalDown > MIB, 10_000)
  await awake(handle).stop()
  await swarm.clock.advance(100)
  assert.equal(http.active, 0)
  const before = handle.snapshot().totalDown
  await swarm.clock.advance(60_000)
  assert.equal(handle.snapshot().totalDown, before)
  node.session.setTorrentLimits(torrent.infoHash, { maxDownloadRate: 200 * KIB, maxUploadRate: 0 })
  awake(handle).resume()
  const ms = await swarm.complete(handle)
  const rest = handle.snapshot().totalDown - before
  assert.ok(rest / ms < 0.22 * KIB, `${rest} bytes in ${ms} ms`)
  assert.ok(rest / ms > 0.15 * KIB, `${rest} bytes in ${ms} ms`)
  assertHolds(node, torrent)
  await swarm.close()
})

test('a server that is busy is waited for, and shown so; without anybody who needs it, it is not asked', async () => {
  const swarm = new SimSwarm(207)
  const torrent = makeTorrent({ length: MIB, pieceLength: 64 * KIB })
  const http = serverOf(swarm, torrent, [A])
  let busy = true
  http.answer = () => (busy ? failure('busy', 120_000) : null)
  const node = await swarm.node({ webSeeds: http })
  const handle = node.add(torrent, { webSeeds: [A] })
  await swarm.clock.advance(60_000)
  assert.equal(http.seen.length <= 2, true)
  const [row] = handle.webSeeds()
  assert.equal(row?.state, 'waiting')
  assert.ok(row.retryInMs !== null && row.retryInMs > 50_000)
  busy = false
  await swarm.complete(handle)
  const seeder = await swarm.node({ webSeeds: http })
  seeder.disk.put(torrent.infoHash, torrent.content, 16)
  const asked = http.seen.length
  const other = seeder.add(torrent, { webSeeds: [A] })
  await swarm.complete(other)
  await swarm.clock.advance(60_000)
  assert.equal(http.seen.length, asked)
  await swarm.close()
})

test('a magnet with a web seed: metadata from a peer, the rest from the server', async () => {
  const swarm = new SimSwarm(208)
  const torrent = makeTorrent({ length: 4 * MIB, pieceLength: 64 * KIB })
  const http = serverOf(swarm, torrent, [A])
  const node = await swarm.node({ webSeeds: http })
  const handle = node.add(torrent, { webSeeds: [A], metainfo: null })
  const peer = await swarm.join(node, torrent, { hasMetadata: true, extended: true, unchokes: false })
  await swarm.complete(handle)
  assertHolds(node, torrent)
  assert.equal(peer.requests.length, 0)
  await swarm.close()
})

test('a suspended torrent keeps its web seeds, shows them, and goes on with them when it is resumed', async () => {
  const swarm = new SimSwarm(209)
  const torrent = makeTorrent({ length: 4 * MIB, pieceLength: 64 * KIB })
  const http = serverOf(swarm, torrent, [A])
  http.bytesPerSec = MIB
  const { contents } = contentsOf([torrent])
  const node = await swarm.node({ webSeeds: http, contents })
  const handle = node.add(torrent, { webSeeds: [A] })
  await swarm.clock.until('some came', () => handle.snapshot().totalDown > MIB, 10_000)
  await awake(handle).stop()
  await swarm.clock.until('suspended', () => handle.suspended, 60_000)
  assert.deepEqual(
    handle.webSeeds().map(({ url, state }) => [url, state]),
    [[A, 'idle']],
  )
  assert.equal(http.active, 0)
  await handle.wake()
  awake(handle).resume()
  await swarm.complete(handle)
  assertHolds(node, torrent)
  await swarm.clock.until('suspended', () => handle.suspended, 60_000)
  await swarm.close()
})
