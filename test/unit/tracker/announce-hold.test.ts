// A tracker that names a min interval is left alone for it over stops, edits of the trackers and restarts (decision
// 0481).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HeldTracker, KeptAnnounce, KeptAnnounces } from '../../../src/ports/kept-announces.ts'
import { reply, settle, TrackerWorld } from './tracker-kit.ts'

const URL_A = 'http://a/announce'
const PEER = Buffer.from([192, 0, 2, 9, 0x1a, 0xe1])

/** What a run kept, for the next one. */
class MemoryKept implements KeptAnnounces {
  readonly rows = new Map<string, KeptAnnounce>()
  readonly pressing: boolean[] = []
  left: HeldTracker | null = null
  writes = true

  take(): HeldTracker | null {
    const { left } = this
    this.left = null
    return left
  }
  note(announce: KeptAnnounce, pressing: boolean): Promise<void> {
    this.rows.set(announce.tracker, announce)
    this.pressing.push(pressing)
    return Promise.resolve()
  }
  settle(announce: KeptAnnounce): Promise<boolean> {
    this.rows.set(announce.tracker, announce)
    return Promise.resolve(this.writes)
  }
}

function makeWorld(kept = new MemoryKept()): { world: TrackerWorld; kept: MemoryKept } {
  const world = new TrackerWorld({}, kept)
  world.http.trackers.set('a', () => reply({ min: 600, peers: PEER }))
  return { world, kept }
}

async function stopNow(world: TrackerWorld, torrent: { stop(ms: number): Promise<void> }): Promise<void> {
  const stopped = torrent.stop(5_000)
  await world.clock.advance(0)
  await stopped
}

test('a start after a stop says `started` at once, and a second one within the min interval waits for it', async () => {
  const { world } = makeWorld()
  const torrent = world.create([[URL_A]])
  torrent.start()
  await world.clock.advance(700_000)
  for (let round = 0; round < 3; round += 1) {
    await stopNow(world, torrent)
    torrent.start()
    await world.clock.advance(1_000)
    torrent.announceNow(null)
    torrent.announceSoon(true)
    await world.clock.advance(1_000)
  }
  assert.deepEqual(world.http.events('a'), ['started', 'stopped', 'started', 'stopped'])
  await world.clock.advance(590_000)
  assert.equal(world.http.events('a').length, 4)
  await world.clock.advance(10_000)
  assert.deepEqual(world.http.events('a').slice(4), ['started'])
})

test('a tracker that is taken away and added again is asked no earlier for that', async () => {
  const { world } = makeWorld()
  const torrent = world.create([[URL_A]])
  torrent.start()
  await world.clock.advance(0)
  torrent.remove([URL_A])
  await world.clock.advance(0)
  torrent.addTiers([[URL_A]])
  await world.clock.advance(599_000)
  assert.deepEqual(world.http.events('a'), ['started', 'stopped'])
  await world.clock.advance(2_000)
  assert.deepEqual(world.http.events('a').slice(2), ['started'])
})

test('after a kill the rest of the min interval is waited for, and the peers of the last answer are called', async () => {
  const { world, kept } = makeWorld()
  world.create([[URL_A]]).start()
  await world.clock.advance(0)
  const row = kept.rows.get(URL_A)
  assert.equal(row?.mayAskAtMs, world.clock.wallMs() + 600_000)
  assert.deepEqual(row?.peers, [{ ip: '192.0.2.9', port: 6881 }])

  const next = makeWorld()
  next.kept.left = {
    untilMs: next.world.clock.wallMs() + 250_000,
    minMs: 600_000,
    peers: row?.peers ?? [],
    owesCompleted: false,
  }
  const torrent = next.world.create([[URL_A]])
  torrent.start()
  await next.world.clock.advance(1_000)
  torrent.announceNow(null)
  await next.world.clock.advance(248_000)
  assert.deepEqual(next.world.http.events('a'), [])
  assert.deepEqual(next.world.peers, ['192.0.2.9:6881'])
  await next.world.clock.advance(2_000)
  assert.deepEqual(next.world.http.events('a'), ['started'])
})

test('what is done while `started` waits is announced after it: bytes with the next announce, and `completed`', async () => {
  const { world, kept } = makeWorld()
  kept.left = { untilMs: world.clock.wallMs() + 100_000, minMs: 600_000, peers: [], owesCompleted: false }
  world.uploaded = 100
  const torrent = world.create([[URL_A]])
  torrent.start()
  await world.clock.advance(50_000)
  world.uploaded = 130
  world.left = 0
  torrent.completed()
  await world.clock.advance(51_000)
  const told = world.http.announces('a').map(({ query }) => `${query.get('event')} ${query.get('uploaded')}`)
  assert.deepEqual(told, ['started 0', 'completed 30'])
})

test('a tracker that says when to try again is not asked earlier because of a stop and a start', async () => {
  const { world } = makeWorld()
  world.http.trackers.set('a', () => 'd14:failure reason4:full8:retry ini10ee')
  const torrent = world.create([[URL_A]])
  torrent.start()
  await world.clock.advance(0)
  await stopNow(world, torrent)
  torrent.start()
  await world.clock.advance(590_000)
  assert.equal(world.http.events('a').length, 1)
  await world.clock.advance(20_000)
  assert.equal(world.http.events('a').length, 2)
})

test('an announce whose answer was lost with the process counts as one', async () => {
  const { world, kept } = makeWorld()
  kept.left = { untilMs: world.clock.wallMs() - 5_000, minMs: 600_000, peers: [], owesCompleted: false }
  world.http.trackers.set('a', () => 'silent')
  world.create([[URL_A]]).start()
  await world.clock.advance(0)
  assert.deepEqual(world.http.events('a'), ['started'])
  assert.equal(kept.rows.get(URL_A)?.mayAskAtMs, world.clock.wallMs() + 600_000)
})

test('events and what somebody asked for are kept at once, regular announces when there is time', async () => {
  const { world, kept } = makeWorld()
  const torrent = world.create([[URL_A]])
  torrent.start()
  await world.clock.advance(0)
  assert.ok(kept.pressing.every(Boolean) && kept.pressing.length > 0)
  kept.pressing.length = 0
  await world.clock.advance(1_800_000)
  assert.deepEqual(kept.pressing, [false, false])
  kept.pressing.length = 0
  await world.clock.advance(700_000)
  torrent.announceNow(null)
  await settle()
  assert.deepEqual(kept.pressing, [true, true])
})

test('a tracker that names no min interval hears `started` whenever there is one', async () => {
  const { world, kept } = makeWorld()
  world.http.trackers.set('a', () => reply())
  const torrent = world.create([[URL_A]])
  for (let round = 0; round < 3; round += 1) {
    torrent.start()
    await world.clock.advance(0)
    await stopNow(world, torrent)
  }
  assert.deepEqual(world.http.events('a'), ['started', 'stopped', 'started', 'stopped', 'started', 'stopped'])
  assert.equal(kept.rows.size, 0)
})

test('a `completed` that is owed from an earlier run follows the next `started`, once it is complete again', async () => {
  const { world, kept } = makeWorld()
  kept.left = { untilMs: world.clock.wallMs() - 5_000, minMs: 0, peers: [], owesCompleted: true }
  const torrent = world.create([[URL_A]], true)
  // A piece was lost meanwhile.
  world.left = 100
  torrent.start()
  await world.clock.advance(1_000)
  assert.deepEqual(world.http.events('a'), ['started'])
  assert.equal(kept.rows.get(URL_A)?.owesCompleted, true)
  world.left = 0
  const noted: unknown[] = []
  world.http.trackers.set('a', () => {
    noted.push(kept.rows.get(URL_A)?.owesCompleted)
    return reply()
  })
  torrent.completed()
  await world.clock.advance(1_000)
  assert.deepEqual(world.http.events('a'), ['started', 'completed'])
  assert.deepEqual(noted, [false], 'before it leaves')
})

test('what cannot be noted as told is not told; after a stop it is owed still', async () => {
  const { world, kept } = makeWorld()
  world.left = 0
  const torrent = world.create([[URL_A]])
  torrent.start()
  await world.clock.advance(0)
  kept.writes = false
  torrent.completed()
  await world.clock.advance(1_000)
  await stopNow(world, torrent)
  assert.deepEqual(world.http.events('a'), ['started', 'stopped'])
  assert.equal(kept.rows.get(URL_A)?.owesCompleted, true)
  kept.writes = true
  torrent.start()
  await world.clock.advance(601_000)
  assert.deepEqual(world.http.events('a').slice(2), ['started', 'completed'])
  await stopNow(world, torrent)
  torrent.start()
  await world.clock.advance(601_000)
  assert.deepEqual(world.http.events('a').slice(4), ['stopped', 'started'])
})
