// The torrent checker on virtual time: who is asked, how often, what is believed, and what silence means.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TorrentChecker } from '../../../../../src/chapters/channels/health/torrent-checker.ts'
import { CheckRig } from './check-rig.ts'

const MINUTE = 60_000
const A = 'http://a.example/announce'
const B = 'udp://b.example:1/announce'
const C = 'http://c.example/announce'

async function running(rig: CheckRig, forMs: number): Promise<TorrentChecker> {
  const checker = new TorrentChecker(rig)
  checker.start()
  await rig.clock.advance(forMs)
  return checker
}

test('trackers are asked for many torrents at once, and the larger numbers count', async () => {
  const rig = new CheckRig()
  const hashes = Array.from({ length: 40 }, (_, number) => rig.add(number, [A, B]))
  rig.tells(A, 3, 9)
  rig.tells(B, 5, 1)
  const checker = await running(rig, MINUTE / 2)
  assert.ok(hashes.every(hash => String(rig.countsOf(hash)) === '5,9'))
  assert.deepEqual(
    rig.questions.map(({ infoHashes }) => infoHashes.length),
    [32, 32, 8, 8],
  )
  await checker.stop()
  assert.equal(rig.clock.pending, 0)
})

test('checked torrents rest for four hours', async () => {
  const rig = new CheckRig()
  const hash = rig.add(1, [A])
  rig.tells(A, 1, 0)
  const checker = await running(rig, 3.9 * 60 * MINUTE)
  assert.equal(rig.questions.length, 1)
  const nowS = rig.clock.wallMs() / 1000
  const ageS = nowS - (rig.healths.get(hash)?.checkedS ?? 0)
  assert.ok(ageS > 3.8 * 3600 && ageS < 3.9 * 3600, `checked ${ageS} s ago`)
  rig.tells(A, 2, 2)
  await rig.clock.advance(15 * MINUTE)
  assert.deepEqual(rig.countsOf(hash), [2, 2])
  await checker.stop()
})

test('what no tracker knows is looked for in the DHT, a few a minute', async () => {
  const rig = new CheckRig()
  const hashes = Array.from({ length: 25 }, (_, number) => rig.add(number, number % 2 === 0 ? [] : [C]))
  rig.dht = () => ({ seeders: 7, leechers: 2 })
  const checker = await running(rig, MINUTE / 2)
  assert.equal(rig.dhtAsked.length, 10)
  await rig.clock.advance(3 * MINUTE)
  assert.equal(new Set(rig.dhtAsked).size, 25)
  assert.equal(rig.dhtAsked.length, 25, 'each once')
  assert.ok(hashes.every(hash => String(rig.countsOf(hash)) === '7,2'))
  await checker.stop()
})

test('a tracker that fails rests, longer each time; the next one of the torrent takes its place', async () => {
  const rig = new CheckRig()
  for (let number = 0; number < 5; number++) rig.add(number, [A, B, C])
  rig.dht = () => ({ seeders: 0, leechers: 0 })
  rig.tells(B, 1, 1)
  rig.tells(C, 4, 1)
  const checker = await running(rig, MINUTE / 2)
  assert.deepEqual(
    rig.questions.map(({ url }) => url),
    [A, B],
  )
  rig.add(9, [A, B, C])
  await rig.clock.advance(MINUTE * 1.5)
  assert.deepEqual(
    rig.questions.slice(2).map(({ url }) => url),
    [B, C],
  )
  rig.trackers.clear()
  for (let minutes = 0; minutes < 600; minutes++) {
    rig.add(100 + minutes, [A])
    await rig.clock.advance(MINUTE)
  }
  const times = rig.questions.filter(({ url }) => url === A).map(({ atMs }) => atMs)
  const gaps = times.slice(1).map((atMs, index) => (atMs - (times[index] ?? 0)) / MINUTE)
  assert.ok(gaps.length >= 4 && gaps.length <= 8, `${gaps.length} questions`)
  assert.ok(
    gaps.every((gap, index) => gap > 4 * 2 ** index),
    `${gaps.join()} minutes`,
  )
  await checker.stop()
})

test('nobody is asked often, whatever channels name', async () => {
  const rig = new CheckRig()
  // One victim under a thousand paths, and a thousand victims.
  for (let number = 0; number < 2000; number++) {
    const url = number % 2 === 0 ? `http://victim.example/${number}/announce` : `http://v${number}.example/announce`
    rig.add(number, [url])
    rig.tells(url, 1, 1)
  }
  const checker = await running(rig, 60 * MINUTE)
  const asked = rig.questions.length
  assert.ok(asked > 600 && asked <= 20 + 60 * 20, `${asked} questions in an hour`)
  const victim = rig.questions.filter(({ url }) => url.startsWith('http://victim.')).length
  assert.ok(victim > 30 && victim <= 62, `${victim} questions to one host`)
  assert.ok(rig.peak <= 4, `${rig.peak} at once`)
  await checker.stop()
})

test('torrents that nobody knows are written down as such, unless the network is gone', async () => {
  const rig = new CheckRig()
  const [known, unknown] = [rig.add(1, [A]), rig.add(2, [C])]
  const checker = await running(rig, 30 * MINUTE)
  assert.equal(rig.healths.size, 0, 'nobody answered: nothing is learned')
  rig.tells(A, 1, 0)
  await rig.clock.advance(7 * 60 * MINUTE)
  assert.deepEqual(rig.countsOf(known), [1, 0])
  assert.deepEqual(rig.countsOf(unknown), [0, 0])
  await checker.stop()
})

test('a DHT that has not reached anybody yet says nothing: as at the start of a node', async () => {
  const rig = new CheckRig()
  const [known, unknown] = [rig.add(1, [A]), rig.add(2, [])]
  rig.tells(A, 1, 0)
  rig.dht = () => ({ seeders: 3, leechers: 3 })
  rig.dhtReaches = false
  const checker = await running(rig, 5 * MINUTE)
  assert.deepEqual([rig.countsOf(known), rig.countsOf(unknown)], [[1, 0], null])
  rig.dhtReaches = true
  await rig.clock.advance(2 * MINUTE)
  assert.deepEqual(rig.countsOf(unknown), [3, 3])
  await checker.stop()
})

test('numbers that cannot be are cut', async () => {
  const rig = new CheckRig()
  const hash = rig.add(1, [A])
  rig.tells(A, 2 ** 31, 2 ** 31)
  const checker = await running(rig, MINUTE)
  assert.deepEqual(rig.countsOf(hash), [1_000_000, 1_000_000])
  await checker.stop()
})

test('nobody is asked while it is off, nor ever for a download over circuits', async () => {
  const rig = new CheckRig()
  rig.isEnabled = false
  const [open, hidden] = [rig.add(1, [A]), rig.add(2, [A])]
  rig.anonymous.add(hidden)
  rig.dht = () => ({ seeders: 1, leechers: 1 })
  rig.tells(A, 1, 1)
  const checker = await running(rig, 10 * MINUTE)
  assert.deepEqual([rig.questions.length, rig.dhtAsked.length], [0, 0])
  rig.isEnabled = true
  await rig.clock.advance(10 * MINUTE)
  assert.deepEqual(
    rig.questions.flatMap(({ infoHashes }) => infoHashes),
    [open],
  )
  assert.deepEqual(rig.dhtAsked, [])
  assert.equal(rig.countsOf(hidden), null)
  await checker.stop()
})

test('a broken catalogue does not end it, and a stop ends a round', async () => {
  const rig = new CheckRig()
  rig.add(1, [A])
  rig.tells(A, 1, 1)
  let broken = true
  const library = {
    ...rig.library,
    unchecked: (limit: number, olderThanS: number) =>
      broken ? Promise.reject(new Error('disk')) : rig.library.unchecked(limit, olderThanS),
  }
  const checker = new TorrentChecker({
    clock: rig.clock,
    random: rig.random,
    log: rig.log,
    library,
    scrapes: rig.scrapes,
    enabled: () => true,
    isAnonymous: () => false,
  })
  checker.start()
  await rig.clock.advance(2 * MINUTE)
  broken = false
  await rig.clock.advance(2 * MINUTE)
  assert.equal(rig.healths.size, 1)
  await checker.stop()
  await rig.clock.advance(300 * MINUTE)
  assert.equal(rig.questions.length, 1)
})
