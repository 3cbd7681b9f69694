// Bursts of events for many followers: how much one turn of the loop hands out to all of them together, who comes when,
// and that what is handed out is made once.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { EventRun } from '../../../src/services/api.ts'
import { EventHub } from '../../../src/services/events/events.ts'
import { silentLog } from '../../kit/doubles/silent-log.ts'
import { MemoryEventLog } from './memory-event-log.ts'

const FOLLOWERS = 60
const RUN_EVENTS = 128
/** As in events.ts. */
const TURN_EVENTS = 8192
const TURN_MS = 4
/** More turns than any of these needs: a hub that forgets somebody is not waited for. */
const MOST_TURNS = 10_000

const never = () => ({ cancel: () => undefined })

/** Followers that note what they get; `ms` is the time of the hub. */
class Crowd {
  ms = 0
  readonly hub = new EventHub({ log: silentLog, version: '1', started: () => true, now: () => this.ms, after: never })
  readonly runs: EventRun[][] = []
  /** What was sent in this turn. */
  sent = { events: 0, runs: 0 }
  #eventsEach: number

  constructor(eventsEach: number) {
    this.#eventsEach = eventsEach
  }

  /** Follows; each delivery takes `costMs`. Settles when all are greeted. */
  async follow(since: number | null, costMs: number): Promise<void> {
    for (let n = 0; n < FOLLOWERS; n++) {
      const runs: EventRun[] = []
      this.runs.push(runs)
      this.hub.follow(since, run => {
        // The greeting is everybody's own.
        if (!run.lines[0]?.includes('events_start')) runs.push(run)
        this.ms += costMs
        this.sent = { events: this.sent.events + run.ids.length, runs: this.sent.runs + 1 }
        return true
      })
    }
    await nextTurn()
    this.sent = { events: 0, runs: 0 }
  }

  counts(): number[] {
    return this.runs.map(runs => runs.reduce((sum, run) => sum + run.ids.length, 0))
  }

  /** What each turn sent, until all have all. */
  async turns(): Promise<{ events: number; runs: number; spread: number }[]> {
    const turns: { events: number; runs: number; spread: number }[] = []
    while (this.counts().some(count => count < this.#eventsEach)) {
      await nextTurn()
      const counts = this.counts()
      turns.push({ ...this.sent, spread: Math.max(...counts) - Math.min(...counts) })
      this.sent = { events: 0, runs: 0 }
      assert.ok(turns.length < MOST_TURNS, `not all have all: ${counts.join(' ')}`)
    }
    return turns
  }

  assertAllInOrder(): void {
    const all = Array.from({ length: this.#eventsEach }, (_, at) => at + 1)
    for (const runs of this.runs) {
      assert.deepEqual(
        runs.flatMap(run => run.ids),
        all,
      )
    }
  }
}

function emit(hub: EventHub, count: number): void {
  for (let n = 1; n <= count; n++) hub.emit('torrent_finished', { infohash: 'f', name: `torrent ${n}` })
}

test('a turn of the loop sends a bounded number of events to all followers together, each in its turn', async () => {
  const crowd = new Crowd(600)
  await crowd.hub.open(new MemoryEventLog())
  await crowd.follow(null, 0)
  emit(crowd.hub, 600)
  const turns = await crowd.turns()
  crowd.assertAllInOrder()
  const most = Math.max(...turns.map(turn => turn.events))
  assert.ok(most < TURN_EVENTS + RUN_EVENTS, `${most} events in one turn`)
  for (const { spread } of turns) assert.ok(spread <= RUN_EVENTS, `one follower was ${spread} events before another`)
  // Nor does the bound make it slow.
  assert.ok(turns.length <= Math.ceil((600 * FOLLOWERS) / TURN_EVENTS) + 4, `${turns.length} turns`)
})

test('a turn of the loop ends when it has taken long enough', async () => {
  const crowd = new Crowd(300)
  await crowd.hub.open(new MemoryEventLog())
  await crowd.follow(null, 1)
  emit(crowd.hub, 300)
  const turns = await crowd.turns()
  crowd.assertAllInOrder()
  const most = Math.max(...turns.map(turn => turn.runs))
  assert.ok(most <= TURN_MS, `${most} deliveries of a millisecond in one turn`)
  for (const { spread } of turns) assert.ok(spread <= RUN_EVENTS, `one follower was ${spread} events before another`)
})

test('a replay of the log for many is bounded in the same way, and read and made once', async () => {
  const log = new MemoryEventLog()
  for (let n = 1; n <= 3000; n++) log.add('torrent_finished', '{"infohash":"f","name":"x"}')
  let reads = 0
  const read = log.readSince.bind(log)
  log.readSince = (since, limit) => {
    reads++
    return read(since, limit)
  }
  const crowd = new Crowd(3000)
  await crowd.hub.open(log)
  await crowd.follow(0, 0)
  const turns = await crowd.turns()
  crowd.assertAllInOrder()
  const most = Math.max(...turns.map(turn => turn.events))
  assert.ok(most < TURN_EVENTS + RUN_EVENTS, `${most} events in one turn`)
  const [first = [], ...others] = crowd.runs
  for (const runs of others) for (const [at, run] of runs.entries()) assert.equal(run, first[at])
  assert.ok(reads <= Math.ceil(3000 / 512), `${reads} reads of the log`)
})

test('followers of a burst share its runs', async () => {
  const crowd = new Crowd(500)
  await crowd.hub.open(new MemoryEventLog())
  await crowd.follow(null, 0)
  emit(crowd.hub, 500)
  await crowd.turns()
  const [first = [], ...others] = crowd.runs
  assert.equal(first.length, Math.ceil(500 / RUN_EVENTS))
  for (const runs of others) for (const [at, run] of runs.entries()) assert.equal(run, first[at])
})
