// History on a virtual clock; one dump and one profile at a time.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Deferred, makeDeferred } from '../../../src/base/deferred.ts'
import type { Slot } from '../../../src/ports/arena.ts'
import type { MemoryDump } from '../../../src/services/diagnostics/debug-api.ts'
import { Debug, type ProcessInspection } from '../../../src/services/diagnostics/debug.ts'
import { DoctorRuns } from '../../../src/services/diagnostics/doctor-runs.ts'
import { HISTORY_DEFAULTS, ResourceHistory } from '../../../src/services/diagnostics/resource-history.ts'
import { VirtualClock } from '../../kit/sim/virtual-clock.ts'

function inspection(change: Partial<ProcessInspection> = {}): ProcessInspection {
  return {
    openFiles: async () => [],
    openSockets: async () => [],
    threads: async () => [],
    memoryDump: async () => dump(),
    startProfile: async () => ({ stop: async () => '/x.cpuprofile' }),
    logTail: async maxLines => `${maxLines} lines`,
    ...change,
  }
}

function dump(): MemoryDump {
  return {
    name: 'dump',
    size: 3,
    tag: 'dump',
    openReader: () => ({ waitFor: () => 3, read: async () => 3, close: () => undefined }),
  }
}

function debugOf(change: Partial<ProcessInspection> = {}): Debug {
  const history = new ResourceHistory({ clock: new VirtualClock(), usage: () => ({ cpuUs: 0, memoryBytes: 0 }) })
  const doctor = new DoctorRuns({ clock: new VirtualClock(), examine: async () => '{}' })
  return new Debug({ history, inspection: inspection(change), doctor })
}

const code = (name: string) => (error: unknown) => (error as { code?: string }).code === name

test('an hour of samples, every five seconds, oldest first', async () => {
  const clock = new VirtualClock()
  let cpuUs = 0
  const history = new ResourceHistory({ clock, usage: () => ({ cpuUs, memoryBytes: 1000 + cpuUs }) })
  history.follow(HISTORY_DEFAULTS)
  assert.deepEqual(history.cpu(), [])
  cpuUs = 2_500_000
  await clock.advance(5000)
  const [first] = history.cpu()
  assert.equal(first?.cpu, 50)
  assert.ok(Number.isInteger(first?.time) && Math.abs((first?.time ?? 0) - clock.wallMs()) < 1)
  assert.deepEqual(history.memory(), [{ time: first?.time, mem: 2_501_000 }])
  await clock.advance(5000 * 800)
  const times = history.cpu().map(entry => entry.time)
  assert.equal(times.length, 720)
  for (const [at, time] of times.entries()) if (at > 0) assert.equal(time - (times[at - 1] ?? 0), 5000)
  assert.equal(history.cpu().at(-1)?.cpu, 0)
  history.stop()
  await clock.advance(60_000)
  assert.equal(history.cpu().at(-1)?.time, times.at(-1))
})

test('interval, number and the whole history follow the settings; what is kept stays in order', async () => {
  const clock = new VirtualClock()
  const history = new ResourceHistory({ clock, usage: () => ({ cpuUs: 0, memoryBytes: clock.now() }) })
  const seconds = () => history.memory().map(({ mem }) => Math.round(mem / 1000))
  history.follow({ enabled: true, intervalMs: 1000, samples: 4 })
  await clock.advance(6000)
  const begun = seconds()[0] ?? 0
  const since = () => seconds().map(second => second - begun + 3)
  assert.deepEqual(since(), [3, 4, 5, 6])
  history.follow({ enabled: true, intervalMs: 1000, samples: 2 })
  assert.deepEqual(since(), [5, 6])
  await clock.advance(1000)
  assert.deepEqual(since(), [6, 7])
  history.follow({ enabled: true, intervalMs: 3000, samples: 5 })
  await clock.advance(3000)
  assert.deepEqual(since(), [6, 7, 10])
  history.follow({ enabled: true, intervalMs: 3000, samples: 5 })
  await clock.advance(3000)
  assert.deepEqual(since(), [6, 7, 10, 13])
  history.follow({ enabled: false, intervalMs: 3000, samples: 5 })
  await clock.advance(30_000)
  assert.deepEqual(history.cpu(), [])
  history.follow({ enabled: true, intervalMs: 3000, samples: 5 })
  await clock.advance(3000)
  assert.equal(history.cpu().length, 1)
  history.stop()
})

test('one memory dump at a time, until its reader is closed', async () => {
  const debug = debugOf()
  const file = await debug.memoryDump()
  const reader = file.openReader()
  assert.equal(await reader.read(0, 3, {} as Slot), 3)
  await assert.rejects(debug.memoryDump(), code('TooManyRequests'))
  reader.close()
  ;(await debug.memoryDump()).openReader().close()
})

test('a memory dump that failed is over', async () => {
  let fails = true
  const debug = debugOf({ memoryDump: () => (fails ? Promise.reject(new Error('disk')) : Promise.resolve(dump())) })
  await assert.rejects(debug.memoryDump(), /disk/)
  fails = false
  await debug.memoryDump()
})

test('the profiler starts and stops once', async () => {
  const debug = debugOf()
  assert.equal(debug.profilerState(), 'STOPPED')
  await assert.rejects(debug.stopProfiler(), code('StateConflict'))
  await debug.startProfiler()
  assert.equal(debug.profilerState(), 'STARTED')
  await assert.rejects(debug.startProfiler(), code('StateConflict'))
  assert.equal(await debug.stopProfiler(), '/x.cpuprofile')
  assert.equal(debug.profilerState(), 'STOPPED')
  await assert.rejects(debug.stopProfiler(), code('StateConflict'))
  await debug.startProfiler()
  await debug.stop()
  assert.equal(debug.profilerState(), 'STOPPED')
})

test('a profiler that could not start, or ended by itself, is stopped', async () => {
  let end: () => void = () => undefined
  let fails = true
  const debug = debugOf({
    startProfile: async ended => {
      if (fails) throw new Error('no inspector')
      end = ended
      return { stop: async () => '' }
    },
  })
  await assert.rejects(debug.startProfiler(), /no inspector/)
  assert.equal(debug.profilerState(), 'STOPPED')
  fails = false
  await debug.startProfiler()
  end()
  assert.equal(debug.profilerState(), 'STOPPED')
  await debug.startProfiler()
  assert.equal(debug.profilerState(), 'STARTED')
})

test('asked at the same time, threads are looked at once; the log of the surface is empty', async () => {
  let looks = 0
  const debug = debugOf({
    threads: async () => {
      looks += 1
      return []
    },
  })
  await Promise.all([debug.threads(), debug.threads()])
  assert.equal(looks, 1)
  await debug.threads()
  assert.equal(looks, 2)
  assert.equal(await debug.log('gui', 7), '')
  assert.equal(await debug.log('core', 7), '7 lines')
})

const PARAMETERS = { time: 'now', at: 1, long: 'x'.repeat(100_000), odd: { a: 1 }, list: [1], no: null, yes: true }
const PRINTED = JSON.stringify({
  healthy: true,
  findings: [
    { state: 'ok', check: 'clock', code: 'clock_ok', parameters: PARAMETERS, text: 'It says now.', advice: '' },
    { state: 'problem', check: 'ports', text: 'The port is taken.', advice: 'x'.repeat(100_000), key: 'secret' },
  ],
})

test('the doctor: one examination for all who ask, again only after five seconds, and what is cut', async () => {
  const clock = new VirtualClock()
  const started: Deferred<string>[] = []
  const examine = (): Promise<string> => {
    const run = makeDeferred<string>()
    started.push(run)
    return run.promise
  }
  const runs = new DoctorRuns({ clock, examine })
  const answers = [runs.report(), runs.report(), runs.report()]
  started[0]?.resolve(PRINTED)
  const [first, ...others] = await Promise.all(answers)
  for (const other of others) assert.equal(other, first)
  assert.equal(first?.healthy, false)
  assert.deepEqual(Object.keys(first?.findings[1] ?? {}), ['state', 'check', 'code', 'parameters', 'text', 'advice'])
  assert.deepEqual(first?.findings[0]?.parameters, { time: 'now', at: 1, long: 'x'.repeat(4096) })
  assert.deepEqual([first?.findings[0]?.code, first?.findings[1]?.code], ['clock_ok', ''])
  assert.deepEqual(first?.findings[1]?.parameters, {})
  assert.equal(first?.findings[1]?.advice.length, 4096)
  await clock.advance(4999)
  assert.equal(await runs.report(), first)
  assert.equal(started.length, 1)
  await clock.advance(1)
  const next = runs.report()
  assert.equal(started.length, 2)
  started[1]?.resolve('{"findings":[]}')
  assert.deepEqual((await next).findings, [])
})

test('an examination that fails, or prints something else, is a finding with what to do', async () => {
  const printed: (() => Promise<string>)[] = [
    async () => Promise.reject(new Error('it took longer than 30 seconds')),
    async () => 'Killed',
    async () => '{"healthy":true}',
    async () => '{"healthy":true,"findings":[{"state":"fine"}]}',
  ]
  for (const examine of printed) {
    const { healthy, findings } = await new DoctorRuns({ clock: new VirtualClock(), examine }).report()
    assert.equal(healthy, false)
    assert.deepEqual(
      findings.map(({ state, check }) => [state, check]),
      [['problem', 'doctor']],
    )
    assert.match(findings[0]?.advice ?? '', /tributary doctor/)
  }
})
