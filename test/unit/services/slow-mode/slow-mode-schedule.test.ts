// The schedule of slow mode on a virtual clock: borders, hands, restarts, clocks that are set, and trouble.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import type { Clock } from '../../../../src/ports/clock.ts'
import type { SlowModeSettings } from '../../../../src/services/slow-mode/slow-mode-api.ts'
import { SlowModeSchedule } from '../../../../src/services/slow-mode/slow-mode-schedule.ts'
import { silentLog } from '../../../kit/doubles/silent-log.ts'
import { VirtualClock } from '../../../kit/sim/virtual-clock.ts'

const HOUR = 60 * 60_000

let time: VirtualClock
/** How far the clock on the wall was set, ms. */
let shift = 0
let settings: SlowModeSettings
let kept: Map<string, Uint8Array>
let switched: boolean[]
let warned: unknown[]
let refusal: Error | null

beforeEach(() => {
  time = new VirtualClock(Date.parse('2027-01-04T07:00Z'))
  shift = 0
  const rates = { enabled: false, max_download_rate: 1, max_upload_rate: 1 }
  settings = Object.assign(rates, { schedule_enabled: true, schedule: ['daily 08:00-18:00'], time_zone: 'UTC' })
  kept = new Map()
  switched = []
  warned = []
  refusal = null
})

async function begun(): Promise<SlowModeSchedule> {
  const clock: Clock = {
    now: () => time.now(),
    wallMs: () => time.wallMs() + shift,
    after: (ms, run) => time.after(ms, run),
    every: (ms, run) => time.every(ms, run),
  }
  const schedule = new SlowModeSchedule({
    clock,
    log: { ...silentLog, warn: (_, fields) => void warned.push(fields?.['error']) },
    settings: () => settings,
    values: {
      get: async key => kept.get(key) ?? null,
      set: async (key, value) => void kept.set(key, value),
    },
    switchTo: async enabled => {
      if (refusal !== null) throw refusal
      settings = { ...settings, enabled }
      switched.push(enabled)
    },
  })
  await schedule.settingsChanged()
  return schedule
}

test('it switches at the borders, to the millisecond, and at once where it begins within a line', async () => {
  await begun()
  assert.deepEqual(switched, [])
  await time.advance(HOUR - 1)
  assert.deepEqual(switched, [])
  await time.advance(1)
  assert.deepEqual(switched, [true])
  await time.advance(10 * HOUR)
  assert.deepEqual(switched, [true, false])
  await time.advance(24 * HOUR)
  assert.deepEqual(switched, [true, false, true, false])
  settings = { ...settings, schedule: ['mon-sun 17:00-19:00'] }
  const second = await begun()
  assert.deepEqual(switched.slice(4), [true], 'another table is followed at once')
  await second.stop()
})

test('a switch by hand holds until the next border', async () => {
  const schedule = await begun()
  await time.advance(2 * HOUR)
  settings = { ...settings, enabled: false }
  await schedule.settingsChanged()
  await time.advance(8 * HOUR)
  assert.deepEqual([switched, settings.enabled], [[true], false])
  settings = { ...settings, enabled: true }
  await time.advance(HOUR)
  assert.deepEqual(switched, [true, false], 'the border at 18:00')
})

test('a restart keeps what was switched by hand, and makes up for a border that nobody saw', async () => {
  const first = await begun()
  await time.advance(2 * HOUR)
  settings = { ...settings, enabled: false }
  await first.stop()
  await time.advance(HOUR)
  const second = await begun()
  assert.deepEqual([switched, settings.enabled], [[true], false])
  await second.stop()
  settings = { ...settings, enabled: true }
  await time.advance(10 * HOUR)
  assert.equal(settings.enabled, true, 'nobody runs')
  const third = await begun()
  assert.deepEqual(switched, [true, false])
  await third.stop()
  assert.equal(time.pending, 0)
})

test('a clock on the wall that is set counts within a minute; a note of the future means nothing', async () => {
  const schedule = await begun()
  shift = 5 * HOUR
  await time.advance(60_000)
  assert.deepEqual(switched, [true])
  await schedule.stop()
  shift = -5 * HOUR
  await begun()
  assert.deepEqual(switched, [true, false])
})

test('off, or without a line, it leaves slow mode alone', async () => {
  settings = { ...settings, enabled: true, schedule: [] }
  const schedule = await begun()
  settings = { ...settings, schedule_enabled: false, schedule: ['daily 00:00-24:00'] }
  await schedule.settingsChanged()
  await time.advance(48 * HOUR)
  assert.deepEqual([switched, time.pending], [[], 0])
  settings = { ...settings, schedule_enabled: true, enabled: false }
  await schedule.settingsChanged()
  assert.deepEqual(switched, [true])
})

test('what cannot be switched is told once and tried again', async () => {
  refusal = new Error('held by a flag')
  await begun()
  await time.advance(2 * HOUR)
  assert.deepEqual([switched, warned], [[], ['held by a flag']])
  refusal = null
  await time.advance(60_000)
  assert.deepEqual(switched, [true])
})

test('a damaged note is none', async () => {
  kept.set('slow_mode.schedule', Buffer.from('{'))
  await begun()
  await time.advance(HOUR)
  assert.deepEqual(switched, [true])
})
