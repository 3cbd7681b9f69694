// Web seeds on the virtual clock: what they ask for and its order, what they do when servers fail or lie, that they
// obey limits, and that whatever ends gives back what it held.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeTorrent } from '../../kit/content/make-torrent.ts'
import { failure } from '../../kit/doubles/memory-ranges.ts'
import { WebSeedRig } from '../../kit/sim/web-seed-rig.ts'

const KIB = 1024
const MIB = 1024 * KIB

test('one file comes whole from one seed, in few long requests one behind the other', async () => {
  const torrent = makeTorrent({ length: 6 * MIB + 123, pieceLength: 64 * KIB })
  const rig = new WebSeedRig(torrent, { urls: ['http://a.test/'] })
  rig.serve('http://a.test/')
  rig.seeds.start()
  await rig.finish()
  rig.assertHolds()
  assert.equal(rig.counted, torrent.content.length, 'every byte once')
  assert.ok(rig.http.seen.length <= 8, `${rig.http.seen.length} requests`)
  assert.deepEqual(new Set(rig.http.seen.map(seen => seen.url)), new Set(['http://a.test/file.bin']))
  assert.ok(rig.http.seen.every(seen => seen.total === torrent.content.length))
  const ends = rig.http.seen.map(seen => seen.offset + seen.length)
  assert.ok(
    rig.http.seen.slice(1).every(seen => ends.includes(seen.offset)),
    'no gaps between requests',
  )
  assert.equal(rig.seeds.rows()[0]?.downTotal, torrent.content.length)
  assert.equal(rig.seeds.busy, false)
  await rig.close()
})

test('many files: each from its own url, names escaped, padding and empty files never asked for', async () => {
  const torrent = makeTorrent({
    name: 'a set',
    pieceLength: 64 * KIB,
    padding: true,
    files: [
      { path: 'dir/one #1?.bin', length: 100_000 },
      { path: 'empty', length: 0 },
      { path: 'ä%41.bin', length: 70_000 },
      { path: 'small', length: 10 },
      { path: 'last', length: 200_000 },
    ],
  })
  const rig = new WebSeedRig(torrent, { urls: ['http://a.test/files'] })
  rig.serve('http://a.test/files/')
  rig.seeds.start()
  await rig.finish()
  rig.assertHolds()
  const urls = [...new Set(rig.http.seen.map(seen => seen.url))].toSorted()
  assert.deepEqual(urls, [
    'http://a.test/files/a%20set/%C3%A4%2541.bin',
    'http://a.test/files/a%20set/dir/one%20%231%3F.bin',
    'http://a.test/files/a%20set/last',
    'http://a.test/files/a%20set/small',
  ])
  assert.equal(rig.counted, 370_010)
  await rig.close()
})

test('the server has the names of the torrent, also those that are not safe to create', async () => {
  const torrent = makeTorrent({
    name: 'con',
    pieceLength: 16 * KIB,
    files: [
      { path: ['a\\b'], length: 20_000 },
      { path: ['..', 'up'], length: 20_000 },
      { path: [Buffer.from([0xff, 0x41])], length: 20_000 },
    ],
  })
  const rig = new WebSeedRig(torrent, { urls: ['http://a.test/x/'] })
  const [first, second, third] = torrent.files
  rig.http.files.set('http://a.test/x/con/a%5Cb', first?.content ?? new Uint8Array(0))
  // Never a path that leads out of the folder.
  rig.http.files.set('http://a.test/x/_con/up', second?.content ?? new Uint8Array(0))
  rig.http.files.set('http://a.test/x/con/%FFA', third?.content ?? new Uint8Array(0))
  rig.seeds.start()
  await rig.finish()
  rig.assertHolds()
  await rig.close()
})

test('a file that the server lacks is asked for once; the rest comes, its pieces do not', async () => {
  const torrent = makeTorrent({
    name: 'set',
    pieceLength: 16 * KIB,
    padding: true,
    files: [
      { path: 'a', length: 64 * KIB },
      { path: 'gone', length: 64 * KIB },
      { path: 'c', length: 64 * KIB },
    ],
  })
  const rig = new WebSeedRig(torrent, { urls: ['http://a.test/'] })
  rig.serve('http://a.test/')
  rig.http.files.delete('http://a.test/set/gone')
  rig.seeds.start()
  await rig.clock.until('the rest is here', () => rig.picker.haveCount === 8, 60_000)
  await rig.clock.advance(20_000)
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].filter(piece => !rig.picker.have.get(piece)),
    [4, 5, 6, 7],
  )
  assert.ok(rig.http.seen.filter(seen => seen.url.endsWith('gone')).length <= 2, 'not asked for again and again')
  assert.equal(rig.picker.isInteresting('web-seed-0:0'), false)
  await rig.close()
})

test('a server without the only file, or with another one of that name, is off for an hour', async () => {
  for (const kind of ['missing', 'wrong'] as const) {
    const torrent = makeTorrent({ length: 100 * KIB })
    const rig = new WebSeedRig(torrent, { urls: ['http://a.test/'] })
    rig.serve('http://a.test/')
    rig.http.answer = () => failure(kind)
    rig.seeds.start()
    await rig.clock.until('off', () => rig.seeds.rows()[0]?.state === 'off', 10_000)
    const asked = rig.http.seen.length
    assert.ok(asked <= 2)
    assert.equal(rig.seeds.rows()[0]?.error, `${kind} by the test`)
    await rig.clock.advance(50 * 60_000)
    assert.equal(rig.http.seen.length, asked)
    rig.http.answer = () => null
    await rig.clock.advance(11 * 60_000)
    assert.ok(rig.complete, 'tried anew')
    await rig.close()
  }
})

test('a busy server is left alone for as long as it asks, a failing one twice as long each time', async () => {
  const torrent = makeTorrent({ length: 100 * KIB })
  const busy = new WebSeedRig(torrent, { urls: ['http://a.test/file.bin'] })
  busy.http.answer = () => failure('busy', 47_000)
  busy.seeds.start()
  await busy.clock.advance(140_000)
  const gaps = busy.http.seen.slice(1).map((seen, index) => seen.atMs - (busy.http.seen[index]?.atMs ?? 0))
  assert.ok(gaps.length >= 2 && gaps.every(gap => gap >= 47_000 && gap < 50_000), `${gaps}`)
  assert.equal(busy.seeds.rows()[0]?.state, 'waiting')
  await busy.close()

  const failing = new WebSeedRig(torrent, { urls: ['http://a.test/file.bin'] })
  failing.http.answer = () => failure('failed')
  failing.seeds.start()
  await failing.clock.advance(100_000)
  const waits = failing.http.seen.slice(1).map((seen, index) => seen.atMs - (failing.http.seen[index]?.atMs ?? 0))
  assert.deepEqual(
    waits.map(wait => Math.floor(wait / 10_000)),
    [1, 2, 4],
  )
  failing.http.answer = () => null
  failing.http.files.set('http://a.test/file.bin', torrent.content)
  await failing.finish()
  await failing.clock.advance(1_000)
  assert.equal(failing.seeds.rows()[0]?.error, '')
  await failing.close()
})

test('a server that cuts long answers is asked on after a second; one that cuts at once is left alone', async () => {
  const torrent = makeTorrent({ length: 2 * MIB, pieceLength: 64 * KIB })
  const rig = new WebSeedRig(torrent, { urls: ['http://a.test/file.bin'] })
  rig.http.files.set('http://a.test/file.bin', torrent.content)
  rig.http.cutAfter = 300 * KIB
  rig.seeds.start()
  assert.ok((await rig.finish()) < 20_000)
  rig.assertHolds()
  await rig.close()

  const none = new WebSeedRig(torrent, { urls: ['http://a.test/file.bin'] })
  none.http.files.set('http://a.test/file.bin', torrent.content)
  none.http.cutAfter = 1
  none.seeds.start()
  await none.clock.advance(100_000)
  assert.ok(none.http.seen.length <= 8, `${none.http.seen.length} requests in 100 s`)
  await none.close()
})

test('an address that may not be asked is never asked again', async () => {
  const rig = new WebSeedRig(makeTorrent(), { urls: ['http://a.test/'] })
  rig.http.answer = () => failure('refused')
  rig.seeds.start()
  await rig.clock.advance(4 * 60 * 60_000)
  assert.equal(rig.http.seen.length, 1)
  assert.equal(rig.seeds.rows()[0]?.state, 'off')
  rig.seeds.stop()
  rig.seeds.start()
  await rig.clock.advance(60_000)
  assert.equal(rig.http.seen.length, 1, 'also not after a stop')
  assert.equal(rig.seeds.rows()[0]?.error, 'refused by the test')
  await rig.close()
})

test('a seed with wrong bytes is blamed and turned off; the good one brings everything', async () => {
  const torrent = makeTorrent({ length: 8 * MIB, pieceLength: 64 * KIB })
  const rig = new WebSeedRig(torrent, { urls: ['http://bad.test/', 'http://good.test/'] })
  rig.serve('http://good.test/')
  rig.http.files.set(
    'http://bad.test/file.bin',
    torrent.content.map(byte => byte ^ 0x55),
  )
  rig.seeds.start()
  await rig.finish()
  await rig.clock.advance(1_000)
  rig.assertHolds()
  assert.ok(rig.failedPieces.length > 0)
  assert.deepEqual(rig.strangers, [], 'no peer is blamed for it')
  assert.deepEqual(
    rig.seeds.rows().map(row => row.state),
    ['off', 'idle'],
  )
  assert.deepEqual(rig.seeds.blame(['10.0.0.1', 'web-seed-1']), ['10.0.0.1'])
  assert.equal(rig.seeds.rows()[1]?.state, 'off')
  await rig.close()
})

test('what peers sent first is not waited for: the run ends and its credits come back', async () => {
  const torrent = makeTorrent({ length: 4 * MIB, pieceLength: 32 * KIB })
  const rig = new WebSeedRig(torrent, { urls: ['http://a.test/'] })
  rig.serve('http://a.test/')
  rig.http.bytesPerSec = 20 * KIB
  rig.seeds.start()
  await rig.clock.until('it runs', () => rig.http.active > 0 && rig.counted > 0, 10_000)
  const runs = rig.http.seen.length
  const [first] = rig.http.seen
  assert.ok(first)
  // A peer brings all of the first run.
  const lastPiece = (first.offset + first.length) / (32 * KIB) - 1
  for (let piece = first.offset / (32 * KIB); piece <= lastPiece; piece += 1) {
    for (const block of [0, 1]) if (!rig.picker.hasBlock(piece, block)) rig.deliver(piece, block)
  }
  await rig.clock.until('another run', () => rig.http.seen.length > runs, 10_000)
  assert.ok(first.sent < first.length / 2, `${first.sent} of ${first.length} bytes came for nothing`)
  rig.http.bytesPerSec = 10_000_000
  await rig.finish()
  rig.assertHolds()
  await rig.close()
})

test('the download limit holds', async () => {
  const torrent = makeTorrent({ length: MIB, pieceLength: 64 * KIB })
  const rig = new WebSeedRig(torrent, { urls: ['http://a.test/', 'http://b.test/'], rate: 100 * KIB })
  rig.serve('http://a.test/')
  rig.serve('http://b.test/')
  rig.seeds.start()
  const tookMs = await rig.finish()
  assert.ok(tookMs >= 9_000, `1 MiB at 100 KiB/s took ${tookMs} ms`)
  assert.ok(tookMs < 12_000, `1 MiB at 100 KiB/s took ${tookMs} ms`)
  assert.ok(rig.counted < MIB * 1.1, `${rig.counted} bytes came: what one fetches the other does not`)
  await rig.close()
})

test('what a reader waits for comes first, and a seek makes runs for other pieces end', async () => {
  const torrent = makeTorrent({ length: 16 * MIB, pieceLength: 64 * KIB })
  const rig = new WebSeedRig(torrent, { urls: ['http://a.test/'] })
  rig.serve('http://a.test/')
  rig.http.bytesPerSec = 100 * KIB
  rig.readers = true
  rig.picker.setStream([
    { kind: 'cursor', first: 100, last: 107 },
    { kind: 'window', first: 108, last: 200 },
  ])
  rig.seeds.start()
  await rig.clock.until('asked', () => rig.http.seen.length > 0, 5_000)
  assert.equal(rig.http.seen[0]?.offset, 100 * 64 * KIB)
  await rig.clock.advance(2_000)
  rig.picker.setStream([
    { kind: 'cursor', first: 30, last: 37 },
    { kind: 'window', first: 38, last: 90 },
  ])
  const before = rig.http.seen.length
  rig.seeds.makeWay(new Set([30, 31, 32, 33, 34, 35, 36, 37]))
  await rig.clock.advance(100)
  assert.equal(rig.http.seen[before]?.offset, 30 * 64 * KIB)
  assert.equal(rig.http.seen.slice(before).filter(seen => seen.offset === 30 * 64 * KIB).length, 1)
  assert.ok(rig.http.active <= 2, `${rig.http.active} requests: the old ones were given up`)
  await rig.close()
})

test('requests are bounded for a host and for a torrent', async () => {
  const torrent = makeTorrent({ length: 32 * MIB, pieceLength: 64 * KIB })
  const same = Array.from({ length: 5 }, (_, index) => `http://a.test/${index}/`)
  const rig = new WebSeedRig(torrent, { urls: same, slots: 2048 })
  for (const url of same) rig.serve(url)
  rig.http.bytesPerSec = 1_000_000
  rig.seeds.start()
  await rig.clock.advance(1_500)
  assert.equal(rig.http.peak, 4, 'for one host')
  await rig.close()

  const others = Array.from({ length: 10 }, (_, index) => `http://${index}.test/`)
  const many = new WebSeedRig(torrent, { urls: others, slots: 2048 })
  for (const url of others) many.serve(url)
  many.seeds.start()
  await many.finish()
  assert.equal(many.http.peak, 6, 'for one torrent')
  await many.close()
})

test('a stop in the middle gives everything back, and a start goes on', async () => {
  const torrent = makeTorrent({ length: 4 * MIB, pieceLength: 256 * KIB })
  const rig = new WebSeedRig(torrent, { urls: ['http://a.test/'] })
  rig.serve('http://a.test/')
  rig.http.bytesPerSec = 300 * KIB
  rig.seeds.start()
  await rig.clock.until('some came', () => rig.counted > 100_000, 20_000)
  rig.seeds.stop()
  await rig.clock.advance(10)
  assert.equal(rig.http.active, 0)
  assert.equal(rig.gate.taken, 0)
  assert.equal(rig.picker.peerCount('web-seed-0:0'), 0)
  rig.http.bytesPerSec = 10_000_000
  rig.seeds.start()
  await rig.finish()
  rig.assertHolds()
  await rig.close()
})

test('with very little memory it takes longer, and ends', async () => {
  const torrent = makeTorrent({ length: 3 * MIB, pieceLength: 32 * KIB })
  const rig = new WebSeedRig(torrent, { urls: ['http://a.test/', 'http://b.test/'], slots: 16 })
  rig.serve('http://a.test/')
  rig.serve('http://b.test/')
  rig.seeds.start()
  await rig.finish()
  rig.assertHolds()
  assert.ok(rig.http.seen.every(seen => seen.length <= 16 * 16 * KIB))
  await rig.close()
})

test('a server that crawls is given up for a while', async () => {
  const torrent = makeTorrent({ length: MIB, pieceLength: 32 * KIB })
  const rig = new WebSeedRig(torrent, { urls: ['http://slow.test/'] })
  rig.serve('http://slow.test/')
  rig.http.bytesPerSec = 500
  rig.seeds.start()
  await rig.clock.advance(35_000)
  assert.equal(rig.seeds.rows()[0]?.error, 'the server is too slow')
  assert.equal(rig.http.active, 0)
  assert.ok(rig.budget.used <= 1, 'peers may have the credits')
  await rig.close()
})

test('nothing is asked while nothing is needed', async () => {
  const torrent = makeTorrent()
  const rig = new WebSeedRig(torrent, { urls: ['http://a.test/'] })
  rig.serve('http://a.test/')
  rig.working = false
  rig.seeds.start()
  await rig.clock.advance(10_000)
  assert.equal(rig.http.seen.length, 0)
  assert.equal(rig.seeds.busy, false)
  rig.working = true
  assert.equal(rig.seeds.busy, true)
  await rig.finish()
  await rig.close()
})
