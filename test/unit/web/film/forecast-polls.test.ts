// When a page that waits for a film asks again.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ForecastPolls } from '../../../../src/web/model/film/forecast-polls.ts'
import type { FilmForecast } from '../../../../src/web/model/film/forecast-words.ts'

const later = (startInSec: number | null): FilmForecast => ({
  state: startInSec === null ? 'never' : 'later',
  startInSec,
  startAloneSec: null,
  stopsAtSec: null,
  sources: 1,
  helps: ['wait'],
  missingBytes: 1000,
  rate: 50,
  bytesPerSecond: 100,
  keySec: 1,
})

test('near the moment each second, far from it at a quarter of the way, and every 15 s at the latest', () => {
  const polls = new ForecastPolls()
  assert.deepEqual(
    [0, 0.5, 4, 8, 40, 60, 7200].map(sec => polls.after(later(sec))),
    [1000, 1000, 1000, 2000, 10_000, 15_000, 15_000],
  )
})

test('what is in vain is asked for ever more rarely, up to half a minute; a moment that is known ends that', () => {
  const polls = new ForecastPolls()
  const vain = ['not-yet', later(null), null, 'none', later(null), null, null, null] as const
  assert.deepEqual(
    vain.map(answer => polls.after(answer)),
    [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000],
  )
  assert.equal(polls.after(later(3)), 1000)
  assert.deepEqual([polls.after('not-yet'), polls.after('not-yet')], [1000, 2000])
})
