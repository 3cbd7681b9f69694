// Slow mode over settings in memory: what is changed, what is told, and by whom.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../../../src/base/errors.ts'
import type { Caller } from '../../../../src/services/api.ts'
import type { Json } from '../../../../src/services/settings/settings-api.ts'
import { SlowMode } from '../../../../src/services/slow-mode/slow-mode.ts'

const caller: Caller = { anyPath: false, localFiles: true, spends: false }

function rig(held: string[] = []) {
  const settings = {
    enabled: false,
    max_download_rate: 1,
    max_upload_rate: 2,
    schedule_enabled: false,
    schedule: ['mon 08:00-09:00'],
    time_zone: 'UTC',
  }
  const asked: unknown[] = []
  const told: unknown[] = []
  const slow = new SlowMode({
    clock: { wallMs: () => Date.parse('2027-01-04T08:30Z') },
    current: () => ({ ...settings }),
    tell: (...event) => void told.push(event),
    settings: {
      change: async (body, by) => {
        asked.push([body, by])
        await Promise.resolve()
        if (held.length === 0) set(body as { slow_mode: { [key: string]: Json } })
        return { modified: true, restart_required: [], overridden: held }
      },
    },
  })
  const set = ({ slow_mode }: { slow_mode: { [key: string]: Json } }): void => {
    Object.assign(settings, slow_mode)
    slow.settingsChanged()
  }
  return { slow, asked, told, set }
}

test('a change goes to the settings as the caller, and only a switch is told', async () => {
  const { slow, asked, told } = rig()
  const before = slow.read()
  assert.equal(before.next_change, null)
  assert.deepEqual(await slow.change({ max_upload_rate: 9 }, caller), { ...before, max_upload_rate: 9 })
  const { next_change: next } = await slow.change({ schedule_enabled: true }, caller)
  assert.equal(next, Date.parse('2027-01-04T09:00Z') / 1000)
  assert.deepEqual(told, [])
  await slow.change({ enabled: true }, caller)
  await slow.change({ enabled: true }, caller)
  assert.deepEqual(told, [[true, 'request']])
  assert.deepEqual(asked[0], [{ slow_mode: { max_upload_rate: 9 } }, caller])
})

test('a switch by another door of the settings is told too; the schedule is named', async () => {
  const { slow, told, set } = rig()
  set({ slow_mode: { enabled: true } })
  await slow.switchBySchedule(false)
  await slow.change({ enabled: true }, caller)
  assert.deepEqual(told, [
    [true, 'request'],
    [false, 'schedule'],
    [true, 'request'],
  ])
})

test('what a flag holds is refused by name', async () => {
  const { slow } = rig(['slow_mode.enabled'])
  await assert.rejects(
    slow.change({ enabled: true }, caller),
    (error: unknown) =>
      error instanceof AppError && error.code === 'StateConflict' && error.message.includes('slow_mode.enabled'),
  )
})
