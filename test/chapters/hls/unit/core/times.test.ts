// Decode times that rise and are never too late, and frames of sound without the rounding of their container.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decodeTimes, fromZero } from '../../../../../src/chapters/hls/core/decode-times.ts'
import { evenTimes } from '../../../../../src/chapters/hls/core/even-times.ts'
import { fuzzSource } from '../../../../kit/sim/fuzz.ts'

const FRAME = 3750

describe('decode times', () => {
  test('pictures in their order are decoded when they are shown', () => {
    assert.deepEqual(decodeTimes([0, 10, 20], 0), [0, 10, 20])
    assert.deepEqual(decodeTimes([], 100), [])
  })

  test('those that are decoded ahead: the same delay in every segment, so that one fits to the other', () => {
    const shown = [0, 4, 2, 1, 3, 8, 6, 5, 7].map(at => at * FRAME)
    const times = decodeTimes(shown, 2 * FRAME)
    assert.deepEqual(
      times,
      [0, 1, 2, 3, 4, 5, 6, 7, 8].map(at => (at - 2) * FRAME),
    )
    const next = decodeTimes(
      [9, 11, 10].map(at => at * FRAME),
      2 * FRAME,
    )
    assert.equal((next[0] ?? 0) - (times.at(-1) ?? 0), FRAME)
  })

  test('whatever the order, they rise and are not behind their pictures', () => {
    for (let seed = 1; seed <= 300; seed += 1) {
      const source = fuzzSource(seed)
      const count = 1 + source.below(40)
      const shown = Array.from({ length: count }, () => source.below(50) * 100 + source.below(3))
      const times = decodeTimes(shown, source.below(4) * 100)
      for (const [at, time] of times.entries()) {
        assert.ok(time <= (shown[at] ?? 0), `${seed}: picture ${at}`)
        assert.ok(at === 0 || time > (times[at - 1] ?? 0), `${seed}: picture ${at} rises`)
      }
    }
  })
})

describe('before the start of the clock', () => {
  test('what lies there is decoded and shown at once; the rest stays', () => {
    const times = { decoded: [-4, -2, 0, 10], shown: [-1, 20, 5, 12] }
    assert.deepEqual(fromZero(times), { decoded: [0, 1, 2, 10], shown: [0, 20, 5, 12] })
    const usual = { decoded: [0, 5], shown: [7, 9] }
    assert.deepEqual(fromZero(usual), usual)
  })
})

describe('times of sound', () => {
  const step = 1024 / 48_000
  const rounded = (from: number, count: number, start = 0): number[] =>
    Array.from({ length: count }, (_, at) => Math.round((start + (from + at) * step) * 1000) / 1000)

  test('milliseconds of Matroska become exact again, the same in two parts of one', () => {
    const [first, second] = [evenTimes(rounded(0, 235), step), evenTimes(rounded(235, 200), step)]
    const all = [...first, ...second]
    for (const [at, time] of all.entries()) {
      assert.ok(Math.abs(time - at * step) < 0.0004, `frame ${at}`)
      if (at > 0) assert.ok(Math.abs(time - (all[at - 1] ?? 0) - step) < 0.0004, `step ${at}`)
    }
  })

  test('exact ones stay, and holes stay holes', () => {
    const times = [...rounded(0, 10), ...rounded(30, 10)]
    const even = evenTimes(times, step)
    assert.ok(Math.abs((even[10] ?? 0) - (even[9] ?? 0) - 21 * step) < 0.001)
    const exact = Array.from({ length: 5 }, (_, at) => at * step)
    for (const [at, time] of evenTimes(exact, step).entries()) assert.ok(Math.abs(time - at * step) < 1e-9)
    assert.deepEqual(evenTimes([], step), [])
  })
})
