// The Range header, case by case (RFC 9110 part 14).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type RangeChoice, chooseRanges } from '../../../src/http/range-header.ts'

const digits = '9'.repeat(400)

const cases: [string, number, RangeChoice][] = [
  ['', 10, 'whole'],
  ['bytes=0-0', 10, [{ start: 0, end: 1 }]],
  ['bytes=0-9', 10, [{ start: 0, end: 10 }]],
  ['bytes=0-10', 10, [{ start: 0, end: 10 }]],
  [`bytes=2-${digits}`, 10, [{ start: 2, end: 10 }]],
  ['bytes=9-', 10, [{ start: 9, end: 10 }]],
  ['bytes=10-', 10, 'unsatisfiable'],
  [`bytes=${digits}-`, 10, 'unsatisfiable'],
  ['bytes=-3', 10, [{ start: 7, end: 10 }]],
  ['bytes=-30', 10, [{ start: 0, end: 10 }]],
  [`bytes=-${digits}`, 10, [{ start: 0, end: 10 }]],
  ['bytes=-0', 10, 'unsatisfiable'],
  ['bytes=0-0', 0, 'unsatisfiable'],
  ['bytes=-5', 0, 'unsatisfiable'],
  ['bytes=3-2', 10, 'whole'],
  ['bytes=--2', 10, 'whole'],
  ['bytes=1-2-3', 10, 'whole'],
  ['bytes=0x1-2', 10, 'whole'],
  ['bytes=1-2,', 10, 'whole'],
  ['seconds=1-2', 10, 'whole'],
  ['bytes', 10, 'whole'],
  [
    'bytes=4-5 , 10-11,-1',
    10,
    [
      { start: 4, end: 6 },
      { start: 9, end: 10 },
    ],
  ],
  ['bytes=10-11,20-', 10, 'unsatisfiable'],
]

test('the short way to read a header comes to what the long way does', () => {
  const numbers = [
    '',
    '0',
    '1',
    '7',
    '9',
    '10',
    '11',
    '007',
    '999999999999999',
    '9999999999999999',
    'x',
    '1 ',
    '+1',
    '1e1',
  ]
  for (const first of numbers) {
    for (const last of numbers) {
      for (const size of [0, 1, 10, 2 ** 40]) {
        // A blank in front is what the short way leaves to the long one.
        const [short, long] = [`bytes=${first}-${last}`, ` bytes=${first}-${last}`]
        assert.deepEqual(chooseRanges(short, size), chooseRanges(long, size), `${short} of ${size}`)
      }
    }
  }
})

for (const [header, size, choice] of cases) {
  test(`${header.slice(0, 30) || 'no header'} of ${size} bytes`, () => {
    assert.deepEqual(chooseRanges(header, size), choice)
  })
}
