// The event hub: order, replay, what was lost, slow followers, a log that fails.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EventRecord } from '../../../src/services/api.ts'
import { EventHub } from '../../../src/services/events.ts'
import { silentLog } from '../../kit/silent-log.ts'
import { waitFor } from '../../kit/wait-for.ts'
import { MemoryEventLog } from './service-doubles.ts'

function makeHub(started = true): EventHub {
  return new EventHub({ log: silentLog, version: '1.2.3', started: () => started })
}

/** Follows and collects; `types` are shown with their ids. */
function collect(hub: EventHub, since: number | null, accept = (_record: EventRecord): boolean => true) {
  const records: EventRecord[] = []
  const subscription = hub.follow(since, record => {
    records.push(record)
    return accept(record)
  })
  return { records, subscription, ids: () => records.map(record => record.id) }
}

const finish = (hub: EventHub, name: string) => hub.emit('torrent_finished', { infohash: 'f', name })

test('a follower gets events_start, then live events with growing ids', async () => {
  const hub = makeHub()
  await hub.open(new MemoryEventLog(40))
  const follower = collect(hub, null)
  finish(hub, 'a')
  hub.emit('tribler_started')
  await waitFor('three events', () => follower.records.length === 3)
  assert.deepEqual(follower.records, [
    { id: 40, type: 'events_start', event: { tribler_started: true, version: '1.2.3' } },
    { id: 41, type: 'torrent_finished', event: { infohash: 'f', name: 'a' } },
    { id: 42, type: 'tribler_started' },
  ])
})

test('the subscription is in hand before the first record', async () => {
  const hub = makeHub()
  let inHand = false
  const seen = new Promise<boolean>(resolve => {
    hub.follow(null, () => {
      resolve(inHand)
      return true
    })
    inHand = true
  })
  assert.equal(await seen, true)
})

test('before the log is open: events_start at once, events when they have their number', async () => {
  const hub = makeHub(false)
  const follower = collect(hub, null)
  finish(hub, 'early')
  await waitFor('events_start', () => follower.records.length === 1)
  assert.deepEqual(follower.records[0]?.event, { tribler_started: false, version: '1.2.3' })
  await hub.open(new MemoryEventLog(7))
  await waitFor('the early event', () => follower.records.length === 2)
  assert.equal(follower.records[1]?.id, 8)
})

test('since replays the log and goes over into live events without a gap or a double', async () => {
  const hub = makeHub()
  const log = new MemoryEventLog()
  for (let i = 1; i <= 1200; i++) await log.append('torrent_finished', { infohash: 'f', name: String(i) })
  await hub.open(log)
  const follower = collect(hub, 3)
  for (let i = 0; i < 50; i++) finish(hub, 'live')
  await waitFor('everything', () => follower.records.length === 1 + 1197 + 50)
  assert.equal(follower.records[0]?.type, 'events_start')
  assert.deepEqual(
    follower.ids().slice(1),
    Array.from({ length: 1247 }, (_, i) => i + 4),
  )
})

test('a replay waits for a follower without room, batch by batch', async () => {
  const hub = makeHub()
  const log = new MemoryEventLog()
  for (let i = 1; i <= 1700; i++) await log.append('torrent_finished', { infohash: 'f', name: String(i) })
  await hub.open(log)
  const asked: (() => void)[] = []
  const records: EventRecord[] = []
  const deliver = (record: EventRecord) => records.push(record) > 0
  hub.follow(0, deliver, () => new Promise(resolve => asked.push(resolve)))
  for (const [batch, count] of [0, 500, 1000, 1500].entries()) {
    await waitFor('the question for room', () => asked.length === batch + 1)
    assert.equal(records.length, 1 + count)
    asked[batch]?.()
  }
  await waitFor('the rest', () => records.length === 1701)
})

test('events that the log no longer has are told as lost', async () => {
  const hub = makeHub()
  const log = new MemoryEventLog(0, 5)
  for (let i = 1; i <= 12; i++) await log.append('tribler_started', null)
  await hub.open(log)
  const follower = collect(hub, 2)
  await waitFor('the kept ones', () => follower.records.length === 6)
  assert.equal(follower.records[0]?.event?.['lost'], 5)
  assert.deepEqual(follower.ids().slice(1), [8, 9, 10, 11, 12])
  const newest = collect(hub, 12)
  const future = collect(hub, 999)
  await waitFor('greetings', () => newest.records.length === 1 && future.records.length === 1)
  assert.equal(newest.records[0]?.event?.['lost'], undefined)
  finish(hub, 'x')
  await waitFor('the new one', () => newest.records.length === 2 && future.records.length === 2)
  assert.equal(future.records[1]?.id, 13)
})

test('a slow follower is let go, the others stay', async () => {
  const hub = makeHub()
  await hub.open(new MemoryEventLog())
  const slow = collect(hub, null, record => record.type === 'events_start')
  const quick = collect(hub, null)
  for (let i = 0; i < 3; i++) finish(hub, 'x')
  await waitFor('all for the quick one', () => quick.records.length === 4)
  assert.equal(slow.records.length, 2)
  quick.subscription.close()
  finish(hub, 'y')
  await hub.close()
  assert.equal(quick.records.length, 4)
})

test('a log that fails costs no event to those who listen', async () => {
  const hub = makeHub()
  const log = new MemoryEventLog()
  await hub.open(log)
  const follower = collect(hub, null)
  finish(hub, 'logged')
  await waitFor('the first', () => follower.records.length === 2)
  log.failWith = new Error('disk')
  finish(hub, 'unlogged')
  await waitFor('the unlogged', () => follower.records.length === 3)
  log.failWith = null
  finish(hub, 'again')
  await waitFor('the next', () => follower.records.length === 4)
  assert.deepEqual(follower.ids(), [0, 1, 1, 2])
})

test('followers are bounded', async () => {
  const hub = makeHub()
  for (let i = 0; i < 256; i++) hub.follow(null, () => true)
  assert.throws(() => hub.follow(null, () => true), { code: 'TooManyRequests' })
})
