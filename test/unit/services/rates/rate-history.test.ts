// The rings of one download: averages of steps, gaps, clocks that are set, and what the store may hold.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_STORED_BYTES, RateHistory } from '../../../../src/services/rates/rate-history.ts'

const SECOND = 1000
const HOUR = 3600 * SECOND
/** A time at which a step of every ring begins. */
const BEGAN = 120_000 * 4 * HOUR

const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0)

test('what moved between two times is spread over the steps it took, in every range', () => {
  const history = new RateHistory()
  history.add(BEGAN - 10 * SECOND, BEGAN + 10 * SECOND, 20_000, 2000)
  const hour = history.series('hour', BEGAN + 10 * SECOND)
  assert.deepEqual([hour.step, hour.speed_down.length, hour.speed_up.length], [20, 180, 180])
  // Half of a step of 20 s; the last one has been 10 s.
  assert.deepEqual(hour.speed_down.slice(-3), [0, 500, 1000])
  assert.deepEqual(hour.speed_up.slice(-3), [0, 50, 100])
  assert.equal(hour.start, (BEGAN - 179 * 20 * SECOND) / 1000)
  const day = history.series('day', BEGAN + 600 * SECOND)
  assert.deepEqual([day.step, day.speed_down.at(-1)], [600, Math.round(10_000 / 600)])
  const month = history.series('month', BEGAN + 4 * HOUR)
  assert.deepEqual([month.step, month.speed_down.length * month.step], [14_400, 31 * 86_400])
  assert.equal(month.speed_down.at(-2), Math.round(10_000 / 14_400))
})

test('a ring forgets what is older than it reaches, and only that', () => {
  const history = new RateHistory()
  for (let at = BEGAN; at < BEGAN + 3 * HOUR; at += 20 * SECOND) history.add(at, at + 20 * SECOND, 2000, 0)
  const end = BEGAN + 3 * HOUR
  assert.deepEqual(new Set(history.series('hour', end).speed_down), new Set([100]))
  assert.equal(history.series('day', end).speed_down.filter(rate => rate === 100).length, 18)
  // Nobody added anything since: nothing of before may show.
  assert.equal(sum(history.series('hour', end + 2 * HOUR).speed_down), 0)
  assert.equal(history.series('day', end + 2 * HOUR).speed_down.filter(rate => rate === 100).length, 18)
  history.add(end + 59 * 60 * SECOND, end + 59 * 60 * SECOND + 20 * SECOND, 0, 40)
  const { speed_down: down, speed_up: up } = history.series('hour', end + 59 * 60 * SECOND + 20 * SECOND)
  assert.deepEqual([down.filter(rate => rate > 0).length, up.at(-1), sum(up)], [2, 2, 2])
})

test('a clock that was set: a little back it adds, far back what was is gone, a leap takes bounded time', () => {
  const history = new RateHistory()
  history.add(BEGAN, BEGAN + 5 * SECOND, 1000, 0)
  history.add(BEGAN - 25 * SECOND, BEGAN - 20 * SECOND, 500, 0)
  assert.deepEqual(history.series('hour', BEGAN + 20 * SECOND).speed_down.slice(-3), [25, 0, 50])
  const far = BEGAN - 40 * 86_400 * SECOND
  history.add(far, far + 5 * SECOND, 700, 0)
  for (const range of ['hour', 'day', 'month'] as const) {
    const { speed_down: down, step } = history.series(range, far + 5 * SECOND)
    assert.deepEqual([down.at(-1), sum(down)], [140, 140], `${range} of ${step}`)
  }
  const leap = Date.UTC(9999, 0)
  history.add(0, leap, 1e12, 0)
  assert.ok(sum(history.series('hour', leap).speed_down) > 0)
})

test('what is stored is read back; halves in which nothing moved take no room; what is damaged is nothing', () => {
  const history = new RateHistory()
  history.add(BEGAN, BEGAN + 5 * SECOND, 0, 5000)
  const seed = history.toBytes()
  assert.equal(seed.length, (5 + 180 + 144 + 186) * 4)
  const back = RateHistory.fromBytes(seed)
  for (const range of ['hour', 'day', 'month'] as const)
    assert.deepEqual(back?.series(range, BEGAN + 5 * SECOND), history.series(range, BEGAN + 5 * SECOND))
  history.add(BEGAN, BEGAN + 5 * SECOND, 5000, 0)
  assert.equal(history.toBytes().length, MAX_STORED_BYTES)
  assert.equal(new RateHistory().toBytes().length, 20)
  const other = Uint8Array.from(seed)
  other[0] = 2
  const masked = Uint8Array.from(seed)
  masked[19] = 255
  for (const bad of [new Uint8Array(0), seed.subarray(0, -4), seed.subarray(1), other, masked, Buffer.alloc(1e6)])
    assert.equal(RateHistory.fromBytes(bad), null)
  const wild = Uint8Array.from(seed)
  new Float32Array(wild.buffer, 20).fill(Number.NaN).fill(-1, 0, 50).fill(Number.POSITIVE_INFINITY, 50, 90)
  const read = RateHistory.fromBytes(wild)
  for (const range of ['hour', 'day', 'month'] as const)
    assert.equal(sum(read?.series(range, BEGAN + 5 * SECOND).speed_up ?? [1]), 0)
  // A step far in the future is held as one, and shows nothing.
  new Uint32Array(wild.buffer, 4).fill(0xffffffff, 0, 3)
  const future = RateHistory.fromBytes(wild)
  future?.add(BEGAN, BEGAN + 5 * SECOND, 0, 500)
  assert.equal(future?.series('hour', BEGAN + 5 * SECOND).speed_up.at(-1), 100)
})

test('an older history is merged into a newer one, which keeps its reach', () => {
  const [older, newer] = [new RateHistory(), new RateHistory()]
  older.add(BEGAN, BEGAN + 20 * SECOND, 2000, 0)
  newer.add(BEGAN + 10 * SECOND, BEGAN + 20 * SECOND, 1000, 0)
  newer.add(BEGAN + HOUR, BEGAN + HOUR + 20 * SECOND, 400, 0)
  newer.merge(older)
  const at = BEGAN + HOUR + 20 * SECOND
  assert.equal(newer.series('hour', at).speed_down.at(-1), 20)
  assert.equal(newer.series('day', at).speed_down.at(-7), Math.round(3000 / 600))
  const empty = new RateHistory()
  empty.merge(newer)
  assert.deepEqual(empty.series('day', at), newer.series('day', at))
  const ancient = new RateHistory()
  ancient.add(BEGAN - 90 * 86_400 * SECOND, BEGAN - 90 * 86_400 * SECOND + SECOND, 1e9, 1e9)
  newer.merge(ancient)
  assert.deepEqual(newer.series('month', at), empty.series('month', at))
})
