// What no tracker may get: requests too often, bytes twice, `completed` twice (decision 0481).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reply, TrackerWorld } from './tracker-kit.ts'

const url = (host: string): string => `http://${host}/announce`

test('a tracker that names a short min interval is asked by it for who waits, and by the minute for who does not', async () => {
  const world = new TrackerWorld()
  world.http.trackers.set('a', () => reply({ interval: 1_800, min: 10 }))
  const torrent = world.create([[url('a')]])
  torrent.start()
  await world.clock.advance(1_000)
  for (let second = 1; second < 25; second += 1) {
    torrent.announceSoon(true)
    await world.clock.advance(1_000)
  }
  assert.equal(world.http.announces('a').length, 3, 'at 0, 10 and 20 s')
  // What was asked for while somebody waited comes at 30 s, the next a minute after it.
  for (let second = 25; second < 89; second += 1) {
    torrent.announceSoon()
    await world.clock.advance(1_000)
  }
  assert.equal(world.http.announces('a').length, 4)
  await world.clock.advance(2_000)
  assert.equal(world.http.announces('a').length, 5)
})

test('the button waits for the min interval, however often it is pressed', async () => {
  const world = new TrackerWorld()
  world.http.trackers.set('a', () => reply({ interval: 1_800, min: 300 }))
  const torrent = world.create([[url('a')]])
  torrent.start()
  for (let second = 0; second < 299; second += 1) {
    torrent.announceNow(null)
    await world.clock.advance(1_000)
  }
  assert.equal(world.http.announces('a').length, 1)
  await world.clock.advance(2_000)
  torrent.announceNow(null)
  await world.clock.advance(10_000)
  assert.equal(world.http.announces('a').length, 2)
})

test('each session tells a tracker what came since its started, and no byte twice', async () => {
  const world = new TrackerWorld()
  world.http.trackers.set('a', () => reply())
  world.http.trackers.set('late', () => reply())
  const torrent = world.create([[url('a')]])
  torrent.start()
  await world.clock.advance(0)
  world.uploaded = 101
  const stopped = torrent.stop(5_000)
  await world.clock.advance(0)
  await stopped
  torrent.start()
  await world.clock.advance(0)
  torrent.addTiers([[url('late')]])
  world.uploaded = 151
  await world.clock.advance(1_800_000)
  const told = (host: string): string[] =>
    world.http.announces(host).map(({ query }) => `${query.get('event') ?? ''} ${query.get('uploaded')}`)
  assert.deepEqual(told('a'), ['started 0', 'stopped 100', 'started 0', ' 50'])
  torrent.remove([url('a')])
  await world.clock.advance(0)
  assert.deepEqual(told('a').at(-1), 'stopped 50')
  assert.deepEqual(told('late')[0], 'started 0')
})

test('completed is said once ever: not after a stop, not after a run that finished before, not after a lost answer', async () => {
  const world = new TrackerWorld()
  world.left = 0
  world.http.trackers.set('a', () => reply())
  const torrent = world.create([[url('a')]])
  for (let session = 0; session < 3; session += 1) {
    torrent.start()
    await world.clock.advance(0)
    torrent.completed()
    await world.clock.advance(0)
    const stopped = torrent.stop(5_000)
    await world.clock.advance(0)
    await stopped
  }
  assert.equal(world.http.events('a').filter(event => event === 'completed').length, 1)
  world.http.trackers.set('b', () => reply())
  const before = world.create([[url('b')]], true)
  before.start()
  await world.clock.advance(0)
  before.completed()
  await world.clock.advance(0)
  assert.deepEqual(world.http.events('b'), ['started'])
  world.http.trackers.set('c', query => (query.get('event') === 'completed' ? 'not bencode' : reply()))
  const lost = world.create([[url('c')]])
  lost.start()
  await world.clock.advance(0)
  lost.completed()
  await world.clock.advance(3_600_000)
  assert.equal(world.http.events('c').filter(event => event === 'completed').length, 1)
})
