// The week's table of slow mode: what lines mean, what is refused, borders, and that hostile texts end quickly.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isIn, lineText, readLine, tableOf, toNextBorder, WEEK } from '../../../src/base/week-table.ts'

const HOUR = 60
const DAY = 24 * HOUR

test('days by name, range and list; times of day; an end before its begin is of the next day', () => {
  assert.deepEqual(readLine('mon-fri 08:00-18:30'), { days: [0, 1, 2, 3, 4], from: 480, to: 1110 })
  assert.deepEqual(readLine(' SAT,sun  0:00 - 24:00'), { days: [5, 6], from: 0, to: 1440 })
  assert.deepEqual(readLine('sat-mon 22:00-06:00'), { days: [0, 5, 6], from: 1320, to: 360 })
  assert.deepEqual(tableOf(['tue 22:00-06:00']), [{ from: DAY + 22 * HOUR, to: 2 * DAY + 6 * HOUR }])
  assert.deepEqual(tableOf(['sun 22:00-06:00']), [
    { from: 0, to: 6 * HOUR },
    { from: 6 * DAY + 22 * HOUR, to: WEEK },
  ])
  for (const text of ['mon,tue,wed,thu,fri 08:00-18:30', 'daily 22:00-06:00', 'sun 00:00-24:00']) {
    const read = readLine(text)
    assert.ok(!('problem' in read))
    assert.equal(lineText(read), text)
  }
})

test('lines that overlap or meet are one span; gaps stay', () => {
  const table = tableOf(['mon 08:00-12:00', 'mon 11:00-13:00', 'mon 13:00-14:00', 'mon 15:00-16:00'])
  assert.deepEqual(table, [
    { from: 8 * HOUR, to: 14 * HOUR },
    { from: 15 * HOUR, to: 16 * HOUR },
  ])
  assert.deepEqual(
    [7, 8, 13, 14, 15, 16].map(hour => isIn(table, hour * HOUR)),
    [false, true, true, false, true, false],
  )
  assert.deepEqual(tableOf(['daily 00:00-24:00']), [{ from: 0, to: WEEK }])
})

test('the next border, over the end of the week too', () => {
  const table = tableOf(['mon 08:00-18:00'])
  assert.equal(toNextBorder(table, 0), 8 * HOUR)
  assert.equal(toNextBorder(table, 8 * HOUR), 10 * HOUR)
  assert.equal(toNextBorder(table, 18 * HOUR), WEEK - 10 * HOUR)
  assert.equal(toNextBorder([], 0), null)
})

test('what means nothing is told with what it must be', () => {
  const faults: [string, RegExp][] = [
    ['', /such as mon-fri/],
    ['08:00-18:00', /such as mon-fri/],
    ['monday 08:00-18:00', /name days/],
    ['mon- 08:00-18:00', /name days/],
    ['mon-tue-wed 08:00-18:00', /name days/],
    ['mon 08:00-08:00', /later than it begins/],
    ['mon 24:00-08:00', /00:00 to 24:00/],
    ['mon 08:60-09:00', /00:00 to 24:00/],
    ['mon 08:00-24:01', /00:00 to 24:00/],
    ['mon 08:00-18:00\nmon 1:00-2:00', /such as mon-fri/],
    [`${'mon,'.repeat(2000)}mon 08:00-18:00`, /such as mon-fri/],
    [' '.repeat(4000), /such as mon-fri/],
  ]
  for (const [text, problem] of faults) {
    const read = readLine(text)
    assert.ok('problem' in read, text)
    assert.match(read.problem, problem)
  }
})
