// Rates as bars: as wide as there is room, as high as the largest, and words where nothing moved.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { barsOf, ratesText } from '../../../src/cli/detail/rates-command.ts'

const rates = (down: number[], up: number[]) =>
  ({ infohash: 'ab'.repeat(20), range: 'hour', start: 0, step: 20, speed_down: down, speed_up: up }) as const

test('a bar stands for the largest of its numbers; what moved at all can be seen', () => {
  assert.equal(barsOf([0, 1, 50, 100], 4), ' ▁▄█')
  assert.equal(barsOf([0, 0, 100, 0, 0, 1], 3), ' █▁')
  assert.equal(barsOf([0, 0], 9), '  ')
  assert.equal(barsOf([], 9), ' ')
})

test('the lines fit a terminal; a name of strangers is printed harmlessly', () => {
  const moving = ratesText(
    'Film\u001b[2J',
    rates(
      Array.from({ length: 180 }, (_, n) => n * 1024),
      [0],
    ),
    80,
  )
  const lines = moving.trimEnd().split('\n')
  assert.equal(lines.length, 3)
  assert.ok(!moving.includes('\u001b'))
  assert.match(lines[0] ?? '', /^Film.* in the last hour:$/)
  assert.match(lines[1] ?? '', /^ {2}Down {2}.{50} {2}most 179 KiB\/s$/)
  assert.match(lines[2] ?? '', /nothing$/)
  assert.ok(lines.every(line => line.length <= 80))
  assert.ok(ratesText('F', rates([1], [1]), 5).length > 0)
  assert.equal(ratesText('Film', rates([0, 0], [0, 0]), 80), 'Film in the last hour: nothing moved.\n')
})
