// Child of event-burst.test and of bench/flow/events: the real hub over the real database before the real HTTP front.
// It says where it listens; on `burst N` from its standard input it writes N events, as fast as the log takes them, and
// says how long that took; on `cost` what all took since then; on any other line how many follow. Keep-alives come
// every 1.5 s instead of every 15, so that a stalled reader is seen soon.

import { createInterface } from 'node:readline'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { RecordsStore } from '../../../src/records/records-store.ts'
import type { EventLog } from '../../../src/ports/records.ts'
import type { EventsService } from '../../../src/services/api.ts'
import { SystemClock } from '../../../src/io/clock.ts'
import { EventHub } from '../../../src/services/events/events.ts'
import { silentLog } from '../../kit/doubles/silent-log.ts'
import { KEY, realClock, startServer } from './harness.ts'

const QUICKER = 10
/** Fewer than the hub takes before it gives up on the disk. */
const MAX_WRITING = 5000

const [path = ''] = process.argv.slice(2)
const records = await RecordsStore.open({ path })
let writing = 0
const log: EventLog = {
  append: async batch => {
    writing += batch.length
    try {
      return await records.events.append(batch)
    } finally {
      writing -= batch.length
    }
  },
  readSince: (since, limit) => records.events.readSince(since, limit),
  bounds: () => records.events.bounds(),
}
const events = new EventHub({
  log: silentLog,
  version: '1',
  started: () => true,
  now: () => performance.now(),
  after: (ms, run) => new SystemClock().after(ms, run),
})
await events.open(log)
let followers = 0
const counted: EventsService = {
  follow: (...args) => {
    followers++
    const { close } = events.follow(...args)
    return {
      close: () => {
        followers--
        close()
      },
    }
  },
}
const clock = { ...realClock, every: (ms: number, run: () => void) => realClock.every(ms / QUICKER, run) }
const server = await startServer({}, 8, { services: { events: counted }, clock })
const say = (value: object): void => void process.stdout.write(`${JSON.stringify(value)}\n`)

/** Counts the turns of the loop with its own period in them. */
const RESOLUTION_MS = 1
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
let rssBefore = 0
let cpuBefore = process.cpuUsage()

async function burst(count: number): Promise<void> {
  rssBefore = process.memoryUsage.rss()
  cpuBefore = process.cpuUsage()
  delay.enable()
  const began = performance.now()
  for (let n = 1; n <= count; n++) {
    events.emit('torrent_finished', { infohash: 'ab'.repeat(20), name: `torrent ${n}` })
    if (n % 100 !== 0) continue
    do await nextTurn()
    while (writing > MAX_WRITING)
  }
  while (writing > 0) await nextTurn()
  say({ writtenMs: Math.round(performance.now() - began) })
}

/** Since the last burst began; delays above the period of the timer that looks. */
function cost(): object {
  delay.disable()
  const { user, system } = process.cpuUsage(cpuBefore)
  const above = (nanoseconds: number) => Math.round(Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS) * 10) / 10
  return {
    loopP99Ms: above(delay.percentile(99)),
    loopMaxMs: above(delay.max),
    cpuSec: (user + system) / 1e6,
    grownMiB: Math.round((process.memoryUsage.rss() - rssBefore) / 2 ** 20),
  }
}

say({ port: server.port, key: KEY })
for await (const line of createInterface({ input: process.stdin })) {
  const [word, count] = line.split(' ')
  if (word === 'burst') await burst(Number(count))
  else if (word === 'cost') say(cost())
  else say({ followers })
}
await server.stop()
await events.close()
await records.close(5000)
