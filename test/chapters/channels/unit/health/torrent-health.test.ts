// The health of one torrent, asked for by a client: what is answered from memory, who is asked, and every bound.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TorrentHealth } from '../../../../../src/chapters/channels/health/torrent-health.ts'
import { CheckRig, hashOf } from './check-rig.ts'

const A = 'http://a.example/announce'
const B = 'http://b.example/announce'

test('every source has its row, and the largest numbers are kept', async () => {
  const rig = new CheckRig()
  const hash = rig.add(1, [A, B, 'wss://c.example/announce'])
  rig.tells(A, 3, 1)
  rig.dht = () => ({ seeders: 2, leechers: 8 })
  const health = new TorrentHealth(rig)
  assert.deepEqual(await health.health(hash.toUpperCase(), false, 20_000), {
    [A]: [{ infohash: hash, seeders: 3, leechers: 1 }],
    [B]: { error: 'the connection was refused' },
    DHT: [{ infohash: hash, seeders: 2, leechers: 8 }],
  })
  assert.deepEqual(rig.countsOf(hash), [3, 8])
  // Asked again at once: from what was learned, unless `refresh` asks for new counts.
  assert.deepEqual(await health.health(hash, false, 20_000), { db: [{ infohash: hash, seeders: 3, leechers: 8 }] })
  assert.equal(rig.questions.length, 2)
  await health.health(hash, true, 20_000)
  assert.equal(rig.questions.length, 4)
  await rig.clock.advance(5 * 3_600_000)
  await health.health(hash, false, 20_000)
  assert.equal(rig.questions.length, 6)
  await health.stop()
  assert.equal(rig.clock.pending, 0)
})

test('unknown torrents, a checker that is off, a download over circuits', async () => {
  const rig = new CheckRig()
  const hash = rig.add(1, [A])
  rig.tells(A, 3, 1)
  const health = new TorrentHealth(rig)
  for (const unknown of [hashOf(2), 'x', '']) {
    await assert.rejects(health.health(unknown, true, 20_000), { code: 'TorrentNotFound' })
  }
  rig.isEnabled = false
  assert.match(JSON.stringify(await health.health(hash, true, 20_000)), /torrent_checking.enabled is off/)
  rig.isEnabled = true
  rig.anonymous.add(hash)
  assert.match(JSON.stringify(await health.health(hash, true, 20_000)), /over circuits/)
  assert.deepEqual([rig.questions.length, rig.dhtAsked.length], [0, 0])
})

test('a source that says nothing is given up, and what others told is kept', async () => {
  const rig = new CheckRig()
  const hash = rig.add(1, [A, B])
  rig.tells(A, 3, 1)
  rig.trackers.set(B, () => new Promise(() => undefined))
  const health = new TorrentHealth(rig)
  const asking = health.health(hash, true, 5_000)
  await rig.clock.advance(5_000)
  const rows = await asking
  assert.deepEqual(rows[B], { error: 'no answer in time' })
  assert.deepEqual(rig.countsOf(hash), [3, 1])
})

test('the same torrent is asked for once at a time, few torrents at once, one host not too often', async () => {
  const rig = new CheckRig()
  const silent = (): Promise<never> => new Promise(() => undefined)
  for (let number = 0; number < 9; number++) {
    rig.add(number, [`http://t${number}.example/announce`])
    rig.trackers.set(`http://t${number}.example/announce`, silent)
  }
  const health = new TorrentHealth(rig)
  const asking = Array.from({ length: 8 }, (_, number) => health.health(hashOf(number), true, 1_000))
  const again = health.health(hashOf(0), true, 1_000)
  await assert.rejects(health.health(hashOf(8), true, 1_000), { code: 'TooManyRequests' })
  await rig.clock.advance(1_000)
  await Promise.all([...asking, again])
  assert.equal(rig.questions.length, 8)
  const hash = rig.add(20, [A])
  rig.tells(A, 1, 1)
  for (let times = 0; times < 8; times++) await health.health(hash, true, 1_000)
  assert.equal(rig.questions.filter(({ url }) => url === A).length, 5)
})
