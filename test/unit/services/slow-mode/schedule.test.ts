// When the schedule switches next, in zones with summer time: hours that are left out, that come twice, and a year of
// changes compared with a walk from minute to minute.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tableOf } from '../../../../src/base/week-table.ts'
import { isOn, nextChange } from '../../../../src/services/slow-mode/schedule.ts'
import { isTimeZone, ZoneClock } from '../../../../src/services/slow-mode/zone-clock.ts'

const MINUTE_MS = 60_000

/** Changes from `from` on, as ISO texts of UTC, by `count`. */
function changes(lines: string[], zone: string, from: string, count: number): string[] {
  const [table, clock] = [tableOf(lines), new ZoneClock(zone)]
  const found: string[] = []
  for (let at = Date.parse(from); found.length < count; ) {
    const next = nextChange(table, clock, at)
    assert.ok(next !== null && next > at)
    found.push(`${new Date(next).toISOString().slice(0, 16)} ${isOn(table, clock, next) ? 'on' : 'off'}`)
    at = next
  }
  return found
}

test('borders keep to the clock on the wall when summer time begins', () => {
  // 2027-03-28 in Berlin: 02:00 becomes 03:00, UTC+1 becomes UTC+2.
  assert.deepEqual(changes(['daily 08:00-18:00'], 'Europe/Berlin', '2027-03-27T12:00Z', 4), [
    '2027-03-27T17:00 off',
    '2027-03-28T06:00 on',
    '2027-03-28T16:00 off',
    '2027-03-29T06:00 on',
  ])
  // A begin in the hour that is left out is at the jump; what lies in it alone does not come.
  assert.deepEqual(changes(['sun 02:30-05:00'], 'Europe/Berlin', '2027-03-27T12:00Z', 2), [
    '2027-03-28T01:00 on',
    '2027-03-28T03:00 off',
  ])
  assert.deepEqual(changes(['sun 02:10-02:50'], 'Europe/Berlin', '2027-03-27T12:00Z', 2), [
    '2027-04-04T00:10 on',
    '2027-04-04T00:50 off',
  ])
})

test('an hour that comes twice is there twice when summer time ends', () => {
  // 2027-10-31 in Berlin: 03:00 becomes 02:00.
  assert.deepEqual(changes(['daily 08:00-18:00'], 'Europe/Berlin', '2027-10-30T12:00Z', 3), [
    '2027-10-30T16:00 off',
    '2027-10-31T07:00 on',
    '2027-10-31T17:00 off',
  ])
  assert.deepEqual(changes(['sun 02:15-02:45'], 'Europe/Berlin', '2027-10-30T12:00Z', 4), [
    '2027-10-31T00:15 on',
    '2027-10-31T00:45 off',
    '2027-10-31T01:15 on',
    '2027-10-31T01:45 off',
  ])
  // It ends at 03:00, which the first pass does not reach.
  assert.deepEqual(changes(['sat 22:00-03:00'], 'Europe/Berlin', '2027-10-30T12:00Z', 2), [
    '2027-10-30T20:00 on',
    '2027-10-31T02:00 off',
  ])
})

test('a year of changes is what a walk from minute to minute finds, in zones of all kinds', () => {
  const lines = ['mon-fri 07:30-23:45', 'sat 22:00-03:10', 'sun 01:50-02:20', 'sun 02:40-03:00']
  for (const zone of ['America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu']) {
    const [table, clock] = [tableOf(lines), new ZoneClock(zone)]
    // The weeks around a jump of either half of the year; Lord Howe jumps by half an hour.
    for (const day of ['2027-03-12', '2027-04-02', '2027-10-01', '2027-11-05']) {
      const [from, to] = [Date.parse(`${day}T00:00Z`), Date.parse(`${day}T00:00Z`) + 4 * 24 * 60 * MINUTE_MS]
      let expected = nextChange(table, clock, from)
      let on = isOn(table, clock, from)
      for (let at = from + MINUTE_MS; at < to; at += MINUTE_MS) {
        if (isOn(table, clock, at) === on) continue
        on = !on
        assert.equal(expected, at, `${zone} ${new Date(at).toISOString()}`)
        expected = nextChange(table, clock, at)
      }
    }
  }
})

test('a table that is always on, or empty, never changes; names that are no zone are told', () => {
  const clock = new ZoneClock('Europe/Berlin')
  assert.equal(nextChange(tableOf(['daily 00:00-24:00']), clock, 0), null)
  assert.equal(nextChange([], clock, 0), null)
  assert.ok(isTimeZone('') && isTimeZone('Europe/Berlin') && isTimeZone('UTC'))
  for (const name of ['Mars/Olympus', 'Europe/Berlin\0', '../etc', 'x'.repeat(5000)]) assert.ok(!isTimeZone(name), name)
})
