// Settings announce_to_all_tiers and announce_to_all_trackers: who hears of a torrent, and when again.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { announceLanes, type AnnounceSpread } from '../../../src/tracker/announce-lanes.ts'
import { reply, TrackerWorld } from './tracker-kit.ts'

const url = (host: string): string => `http://${host}/announce`
const TIERS = [[url('a'), url('b')], [url('c')], [url('d'), url('e')]]
const HOSTS = ['a', 'b', 'c', 'd', 'e']

test('lanes: one, one a tier, tiers together, one a tracker', () => {
  const tiers = [['a', 'b'], ['c']]
  const lanes = (allTiers: boolean, allTrackers: boolean) => announceLanes(tiers, { allTiers, allTrackers })
  assert.deepEqual(lanes(false, false), [[['a'], ['b'], ['c']]])
  assert.deepEqual(lanes(true, false), [[['a'], ['b']], [['c']]])
  assert.deepEqual(lanes(false, true), [[['a', 'b'], ['c']]])
  assert.deepEqual(lanes(true, true), [[['a']], [['b']], [['c']]])
  for (const all of [true, false]) assert.deepEqual(announceLanes([], { allTiers: all, allTrackers: !all }), [])
})

/** A world whose trackers answer with these intervals, and a torrent that has begun. */
async function begun(spread: AnnounceSpread, intervals: Record<string, number>) {
  const world = new TrackerWorld()
  for (const [host, interval] of Object.entries(intervals)) world.http.trackers.set(host, () => reply({ interval }))
  world.announcers.setSpread(spread)
  const torrent = world.create(TIERS)
  torrent.start()
  await world.clock.advance(0)
  const counts = () => Object.fromEntries(HOSTS.map(host => [host, world.http.announces(host).length]))
  return { world, torrent, counts }
}

test('all tiers: one tracker of each, each in its own interval; one that fails is followed by the next of its tier', async () => {
  const { world, counts } = await begun({ allTiers: true, allTrackers: false }, { a: 600, b: 600, c: 1_000, e: 900 })
  const first = counts()
  assert.deepEqual([(first['a'] ?? 0) + (first['b'] ?? 0), first['c'], first['e']], [1, 1, 1])
  await world.clock.advance(600_000)
  const second = counts()
  assert.deepEqual([(second['a'] ?? 0) + (second['b'] ?? 0), second['c'], second['e']], [2, 1, 1])
  await world.clock.advance(300_000)
  assert.equal(counts()['e'], 2)
  await world.clock.advance(100_000)
  assert.deepEqual([counts()['c'], counts()['e']], [2, 2])
  assert.ok(HOSTS.every(host => world.http.events(host).every((event, at) => event === (at === 0 ? 'started' : ''))))
})

test('all trackers: every one of the first tier that answers, and no other tier', async () => {
  const { world, counts } = await begun({ allTiers: false, allTrackers: true }, { a: 600, c: 600, d: 600 })
  assert.deepEqual(counts(), { a: 1, b: 1, c: 0, d: 0, e: 0 })
  // The one that failed comes again after its back-off, the one that answered not before its time.
  await world.clock.advance(60_000)
  assert.ok((counts()['b'] ?? 0) > 1)
  assert.deepEqual([counts()['a'], counts()['c']], [1, 0])
  world.http.trackers.delete('a')
  await world.clock.advance(600_000)
  assert.equal(counts()['c'], 1)
})

test('both: every tracker; the end goes to all that heard the beginning', async () => {
  const intervals = { a: 600, b: 700, c: 800, d: 900, e: 1_000 }
  const { world, torrent, counts } = await begun({ allTiers: true, allTrackers: true }, intervals)
  assert.deepEqual(counts(), { a: 1, b: 1, c: 1, d: 1, e: 1 })
  await world.clock.advance(699_000)
  assert.deepEqual(counts(), { a: 2, b: 1, c: 1, d: 1, e: 1 })
  await torrent.stop(1_000)
  for (const host of HOSTS) assert.equal(world.http.events(host).at(-1), 'stopped', host)
})

test('peers wanted soon: all are asked before their interval, a tracker that is added is asked at once', async () => {
  const { world, torrent, counts } = await begun({ allTiers: true, allTrackers: true }, { a: 600, c: 600 })
  const [a, c] = [counts()['a'] ?? 0, counts()['c'] ?? 0]
  await world.clock.advance(100_000)
  torrent.announceSoon()
  await world.clock.advance(1_000)
  assert.deepEqual([counts()['a'], counts()['c']], [a + 1, c + 1])
  world.http.trackers.set('f', () => reply())
  torrent.addTiers([[url('f')]])
  await world.clock.advance(1_000)
  assert.deepEqual(world.http.events('f'), ['started'])
  assert.equal(counts()['a'], a + 1)
})

test('a change while it runs counts from the next announce on', async () => {
  const { world, counts } = await begun(
    { allTiers: false, allTrackers: false },
    { a: 600, b: 600, c: 600, d: 600, e: 600 },
  )
  assert.deepEqual([counts()['c'], counts()['d'], counts()['e']], [0, 0, 0])
  world.announcers.setSpread({ allTiers: true, allTrackers: true })
  await world.clock.advance(600_000)
  for (const host of HOSTS) assert.ok((counts()[host] ?? 0) >= 1, host)
})
