// Lines of a week's table to cells and back: overlaps, gaps, nights, the end of the week, odd minutes.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tableOf, WEEK } from '../../../../src/base/week-table.ts'
import {
  gridOf,
  linesOf,
  MAX_LINES,
  painted,
  paintedText,
  whyNoGrid,
} from '../../../../src/web/model/settings/week-grid.ts'
import { settingFields } from './setting-fields.ts'

const tidy = (...lines: string[]) => linesOf(tableOf(lines))
/** Hours of a day that are not off. */
const hours = (text: string, day: number) =>
  (gridOf(text)[day] ?? []).flatMap((state, hour) => (state === 'off' ? [] : [state === 'on' ? hour : `${hour} part`]))
const cell = (day: number, hour: number) => ({ day, hour })

test('lines that mean the same become the same', () => {
  assert.deepEqual(tidy('mon-fri 08:00-12:00', 'wed 10:00-18:00'), ['mon,tue,thu,fri 08:00-12:00', 'wed 08:00-18:00'])
  assert.deepEqual(tidy('daily 22:00-06:00'), ['daily 22:00-06:00'])
  assert.deepEqual(tidy('sat,sun 00:00-24:00'), ['sat,sun 00:00-24:00'])
  assert.deepEqual(tidy('daily 00:00-24:00'), ['daily 00:00-24:00'])
  assert.deepEqual(tidy('sun 23:00-01:00'), ['sun 23:00-01:00'])
  assert.deepEqual(tidy(), [])
})

test('cells: overlaps are on once, gaps are off, a night goes over midnight and the end of the week', () => {
  const text = 'mon-fri 08:00-10:00\nwed 09:00-11:00\n\n sun 23:00-01:30 '
  assert.deepEqual(hours(text, 0), [0, '1 part', 8, 9])
  assert.deepEqual(hours(text, 2), [8, 9, 10])
  assert.deepEqual(hours(text, 5), [])
  assert.deepEqual(hours(text, 6), [23])
  assert.equal(gridOf('').flat().length, 7 * 24)
})

test('a stroke is a rectangle, whichever corner it began at', () => {
  const on = paintedText('', '', { from: cell(4, 17), to: cell(0, 8), on: true })
  assert.equal(on, 'mon,tue,wed,thu,fri 08:00-18:00')
  const off = paintedText(on, '', { from: cell(2, 12), to: cell(2, 12), on: false })
  assert.equal(off, 'mon,tue,thu,fri 08:00-18:00\nwed 08:00-12:00\nwed 13:00-18:00')
  assert.equal(paintedText('', '', { from: cell(0, 0), to: cell(6, 23), on: true }), 'daily 00:00-24:00')
  assert.equal(paintedText('daily 00:00-24:00', '', { from: cell(0, 0), to: cell(6, 23), on: false }), '')
})

test('odd minutes elsewhere stay as they are', () => {
  const text = paintedText('mon 08:00-09:10\ntue 07:05-07:06', '', { from: cell(0, 8), to: cell(0, 8), on: false })
  assert.equal(text, 'mon 09:00-09:10\ntue 07:05-07:06')
})

test('what means the same is not written another way: painted to and fro it is no change', () => {
  const present = 'mon-fri 8:00-12:00\nwed 10:00-12:00'
  const stroke = { from: cell(5, 1), to: cell(6, 2) }
  const there = paintedText(present, present, { ...stroke, on: true })
  assert.notEqual(there, present)
  assert.equal(paintedText(there, present, { ...stroke, on: false }), present)
  const same = paintedText('sat 01:00-02:00', present, { from: cell(5, 1), to: cell(5, 1), on: true })
  assert.equal(same, 'sat 01:00-02:00')
})

test('what is no time, and more lines than a node takes, is no grid', () => {
  assert.equal(whyNoGrid('mon 08:00-09:00\n\n'), null)
  assert.deepEqual(whyNoGrid('mon 08:00-09:00\nmon 9-10'), { line: 'mon 9-10' })
  const lines = Array.from({ length: MAX_LINES }, () => 'mon 08:00-09:00')
  assert.equal(whyNoGrid(lines.join('\n')), null)
  assert.equal(whyNoGrid([...lines, 'mon 08:00-09:00'].join('\n')), 'many')
  const schedule = [...settingFields().values()].flat().find(({ name }) => name === 'schedule')
  assert.equal((schedule?.schema as { maxItems?: number } | undefined)?.maxItems, MAX_LINES)
})

test('any table comes to itself again, whatever was painted', () => {
  let seed = 7
  const next = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return seed % below
  }
  let table = tableOf([])
  for (let round = 0; round < 2000; round += 1) {
    const from = next(WEEK)
    table = painted(table, from, Math.min(WEEK, from + 1 + next(3000)), next(2) === 0)
    assert.deepEqual(tableOf(linesOf(table)), table, linesOf(table).join('; '))
  }
})
