// Forecasts of films: their facts put to the downloads, and what is not known of them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../../../../src/base/errors.ts'
import type { FilmFacts } from '../../../../../src/chapters/media/core/film-facts.ts'
import { filmForecast, type ForecastingDownloads } from '../../../../../src/chapters/media/service/film-forecasts.ts'
import type { Forecast } from '../../../../../src/torrent/streams/forecast.ts'

const FACTS: FilmFacts = {
  container: 'matroska',
  fragmented: false,
  duration: 10,
  bitrate: 8000,
  seek: 'keys',
  note: '',
  tracks: [],
  chapters: [],
  index: [{ start: 0, end: 90 }],
  keys: { track: 1, times: [0, 5], bytes: [90, 500], gap: 0 },
}
const FORECAST: Forecast = {
  state: 'later',
  startInSec: 4,
  startAloneSec: null,
  stopsAtSec: null,
  missingBytes: 5000,
  rate: 900,
  sources: 1,
  helps: ['wait'],
}

function downloads(asked: unknown[], answer: () => Forecast | null): ForecastingDownloads {
  return {
    async forecast(...what) {
      asked.push(what)
      return answer()
    },
  }
}

test('rate, index and key frames of the film go to the engine, with the second that is asked for', async () => {
  const asked: unknown[] = []
  assert.equal(
    await filmForecast(
      downloads(asked, () => FORECAST),
      'ab',
      '3',
      61.5,
      FACTS,
    ),
    FORECAST,
  )
  const film = { bytesPerSecond: 1000, index: FACTS.index, keys: { times: [0, 5], bytes: [90, 500] } }
  assert.deepEqual(asked, [['ab', 3, { second: 61.5 }, film]])
})

test('without facts, duration or bitrate nobody is asked', async () => {
  for (const facts of [null, { ...FACTS, duration: null }, { ...FACTS, bitrate: null }]) {
    assert.equal(
      await filmForecast(
        downloads([], () => assert.fail()),
        'ab',
        '3',
        0,
        facts,
      ),
      null,
    )
  }
})

test('metadata that has to be fetched anew is no error, a download that is gone is one', async () => {
  const failing = (code: 'MetadataNotFound' | 'DownloadNotFound'): ForecastingDownloads =>
    downloads([], () => {
      throw new AppError(code)
    })
  assert.equal(await filmForecast(failing('MetadataNotFound'), 'ab', '3', 0, FACTS), null)
  await assert.rejects(filmForecast(failing('DownloadNotFound'), 'ab', '3', 0, FACTS), { code: 'DownloadNotFound' })
})
