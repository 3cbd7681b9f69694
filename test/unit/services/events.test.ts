// The event hub: order, replay, what was lost, slow followers, a log that fails.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { EventRecord, EventRun } from '../../../src/services/api.ts'
import { AppError } from '../../../src/base/errors.ts'
import { EventHub } from '../../../src/services/events/events.ts'
import { silentLog } from '../../kit/doubles/silent-log.ts'
import { VirtualClock } from '../../kit/sim/virtual-clock.ts'
import { waitFor } from '../../kit/wait-for.ts'
import { MemoryEventLog } from './memory-event-log.ts'

function makeHub(started = true, now = () => 0, clock = new VirtualClock()): EventHub {
  const after = (ms: number, run: () => void) => clock.after(ms, run)
  return new EventHub({ log: silentLog, version: '1.2.3', started: () => started, now, after })
}

const recordsOf = (run: EventRun) => run.lines.map(line => JSON.parse(line) as EventRecord)

/** Follows and collects; `types` are shown with their ids. */
function collect(hub: EventHub, since: number | null, accept = (_record: EventRecord): boolean => true) {
  const records: EventRecord[] = []
  const subscription = hub.follow(since, run => {
    const these = recordsOf(run)
    records.push(...these)
    return these.every(accept)
  })
  return { records, subscription, ids: () => records.map(record => record.id) }
}

/** The table of a chapter. */
interface FilmEvents {
  film_found: { title: string }
  films_counted: undefined
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

test('a chapter emits the events of its own table, and no others, in one row with those of the core', async () => {
  const hub = makeHub()
  await hub.open(new MemoryEventLog(40))
  const follower = collect(hub, null)
  const films = hub.of<FilmEvents>()
  films.emit('film_found', { title: 'a' })
  finish(hub, 'b')
  films.emit('films_counted')
  await waitFor('four events', () => follower.records.length === 4)
  assert.deepEqual(follower.records.slice(1), [
    { id: 41, type: 'film_found', event: { title: 'a' } },
    { id: 42, type: 'torrent_finished', event: { infohash: 'f', name: 'b' } },
    { id: 43, type: 'films_counted' },
  ])
  const wrong = [
    // @ts-expect-error a type of the core's
    () => films.emit('tribler_started'),
    // @ts-expect-error another payload
    () => films.emit('film_found', { title: 1 }),
    // @ts-expect-error a table with a type of the core's
    () => hub.of<{ tribler_started: { by: string } }>(),
  ]
  assert.equal(wrong.length, 3)
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
  for (let i = 1; i <= 1200; i++) log.add('torrent_finished', JSON.stringify({ infohash: 'f', name: String(i) }))
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

test('a replay waits for a follower without room', async () => {
  const hub = makeHub()
  const log = new MemoryEventLog()
  for (let i = 1; i <= 1700; i++) log.add('torrent_finished', JSON.stringify({ infohash: 'f', name: String(i) }))
  await hub.open(log)
  const asked: (() => void)[] = []
  const records: EventRecord[] = []
  // Full from 500 records on, until it is freed.
  let taken = 0
  const deliver = (run: EventRun) => records.push(...recordsOf(run)) > 0
  hub.follow(0, deliver, () => {
    if (records.length < taken + 500) return undefined
    return new Promise(resolve =>
      asked.push(() => {
        taken = records.length
        resolve()
      }),
    )
  })
  for (const count of [513, 1025, 1537]) {
    await waitFor('a full follower', () => records.length === count && asked.length > 0)
    for (const free of asked.splice(0)) free()
  }
  await waitFor('the rest', () => records.length === 1701)
})

test('events that the log no longer has are told as lost', async () => {
  const hub = makeHub()
  const log = new MemoryEventLog(0, 5)
  for (let i = 1; i <= 12; i++) log.add('tribler_started', 'null')
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
  finish(hub, 'x')
  await waitFor('the first one', () => quick.records.length === 2 && slow.records.length === 2)
  for (let i = 0; i < 2; i++) finish(hub, 'x')
  await waitFor('all for the quick one', () => quick.records.length === 4)
  assert.equal(slow.records.length, 2)
  quick.subscription.close()
  finish(hub, 'y')
  await hub.close()
  assert.equal(quick.records.length, 4)
})

test('what the store tells while it is upgraded is shown at once, under its numbers', async () => {
  const hub = makeHub(false)
  const early = collect(hub, null)
  hub.publishLogged(41, 'upgrader_started', null)
  hub.publishLogged(42, 'upgrader_tick', { text: '1 of 2' })
  await waitFor('both', () => early.records.length === 3)
  assert.deepEqual(early.records.slice(1), [
    { id: 41, type: 'upgrader_started' },
    { id: 42, type: 'upgrader_tick', event: { text: '1 of 2' } },
  ])
  // One that lost its connection goes on where it was; one that asks for more waits for the log.
  const back = collect(hub, 41)
  const further = collect(hub, 3)
  hub.publishLogged(43, 'upgrader_finished', null)
  await waitFor('the rest', () => back.records.length === 3)
  assert.deepEqual(back.ids(), [41, 42, 43])
  assert.deepEqual(further.records, [])

  const log = new MemoryEventLog(40)
  for (const type of ['upgrader_started', 'upgrader_tick', 'upgrader_finished']) log.add(type, 'null')
  await hub.open(log)
  finish(hub, 'a')
  await waitFor('the first live one', () => [early, back, further].every(({ ids }) => ids().at(-1) === 44))
  assert.deepEqual(early.ids(), [40, 41, 42, 43, 44])
  assert.deepEqual(back.ids(), [41, 42, 43, 44])
  assert.deepEqual(further.ids(), [40, 41, 42, 43, 44])
})

test('a follower without room falls behind, gets everything later, and holds nobody up', async () => {
  const hub = makeHub()
  await hub.open(new MemoryEventLog())
  let full = false
  let free: () => void = () => undefined
  const records: EventRecord[] = []
  const take = (run: EventRun) => {
    full = records.length > 0
    return records.push(...recordsOf(run)) > 0
  }
  hub.follow(null, take, () =>
    full
      ? new Promise(resolve => {
          free = resolve
        })
      : undefined,
  )
  const quick = collect(hub, null)
  for (let i = 0; i < 3000; i++) finish(hub, 'x')
  await waitFor('all for the quick one', () => quick.records.length === 3001)
  assert.equal(records.length, 1 + 128)
  while (records.length < 3001) {
    full = false
    free()
    const before = records.length
    await waitFor('more', () => records.length > before)
  }
  assert.deepEqual(
    records.map(record => record.id),
    Array.from({ length: 3001 }, (_, id) => id),
  )
})

test('a follower that fell behind the log is told what it lost', async () => {
  const hub = makeHub()
  await hub.open(new MemoryEventLog(0, 1200))
  let full = true
  let free: () => void = () => undefined
  const records: EventRecord[] = []
  const deliver = (run: EventRun) => records.push(...recordsOf(run)) > 0
  hub.follow(null, deliver, () =>
    full
      ? new Promise(resolve => {
          free = resolve
        })
      : undefined,
  )
  const quick = collect(hub, null)
  for (let i = 0; i < 3000; i++) {
    finish(hub, 'x')
    if (i % 100 === 99) await nextTurn()
  }
  await waitFor('all for the quick one', () => quick.records.length === 3001)
  full = false
  free()
  await waitFor('what is kept', () => records.at(-1)?.id === 3000)
  assert.deepEqual([records[1]?.type, records[1]?.event?.['lost'], records[2]?.id], ['events_start', 1800, 1801])
  assert.equal(records.length, 1 + 1 + 1200)
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

test('events that a full disk refuses come into the log when there is space, in order', async () => {
  const clock = new VirtualClock()
  const hub = makeHub(true, () => 0, clock)
  const log = new MemoryEventLog()
  await hub.open(log)
  const follower = collect(hub, null)
  log.failWith = new AppError('DiskFull')
  for (const name of ['a', 'b']) finish(hub, name)
  await waitFor('told at once', () => follower.records.length === 3)
  finish(hub, 'c')
  await waitFor('told at once', () => follower.records.length === 4)
  await clock.advance(60_000)
  assert.equal(log.events.length, 0)
  log.failWith = null
  finish(hub, 'd')
  await clock.advance(5000)
  await waitFor('all', () => log.events.length === 4)
  const names = log.events.map(({ payload }) => (JSON.parse(payload) as { name: string }).name)
  assert.deepEqual(names, ['a', 'b', 'c', 'd'])
  await waitFor('with their numbers', () => follower.ids().at(-1) === 4)
  assert.deepEqual(follower.ids(), [0, 0, 0, 0, 0, 1, 2, 3, 4])
})

test('a stop does not wait for space', async () => {
  const hub = makeHub()
  const log = new MemoryEventLog()
  await hub.open(log)
  log.failWith = new AppError('DiskFull')
  finish(hub, 'a')
  await nextTurn()
  await hub.close()
  assert.equal(log.events.length, 0)
})

test('followers are bounded', async () => {
  const hub = makeHub()
  for (let i = 0; i < 256; i++) hub.follow(null, () => true)
  assert.throws(() => hub.follow(null, () => true), { code: 'TooManyRequests' })
})

test('events of one turn go into the log together, and one that is too long costs the others nothing', async () => {
  const hub = makeHub()
  const log = new MemoryEventLog()
  const batches: number[] = []
  const append = log.append.bind(log)
  log.append = events => {
    batches.push(events.length)
    return append(events)
  }
  await hub.open(log)
  const follower = collect(hub, null)
  await nextTurn()
  for (let i = 0; i < 300; i++) finish(hub, 'x')
  finish(hub, 'y'.repeat(70_000))
  finish(hub, 'z')
  const all = Array.from({ length: 302 }, (_, id) => id)
  await waitFor('all others', () => follower.records.length === all.length)
  assert.deepEqual(follower.ids(), all)
  assert.deepEqual(batches, [256, 44, 1])
  // Those who have everything hear it too.
  finish(hub, 'y'.repeat(70_000))
  await waitFor('the long one', () => follower.records.length === all.length + 1)
  assert.equal(follower.ids().at(-1), 301)
  assert.equal(log.newest, 301)
})
