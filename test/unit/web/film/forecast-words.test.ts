// When a film plays, in words: what is said in which case, and that it does not change each second.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FilmForecast, forecastWords } from '../../../../src/web/model/film/forecast-words.ts'

const LATER: FilmForecast = {
  state: 'later',
  startInSec: 12,
  startAloneSec: null,
  stopsAtSec: null,
  sources: 3,
  helps: ['wait'],
  missingBytes: 1000,
  rate: 50,
  bytesPerSecond: 100,
  keySec: 1,
}

test('how long it takes, in steps', () => {
  const words = [0.3, 5, 5.1, 12, 15, 59, 60, 61, 119, 121, 3600, 5400, 90_000].map(
    startInSec => /in (.*)\.$/.exec(forecastWords({ ...LATER, startInSec }).line)?.[1],
  )
  assert.deepEqual(words, [
    'a few seconds',
    'a few seconds',
    'about 10 seconds',
    'about 15 seconds',
    'about 15 seconds',
    'about 60 seconds',
    'about a minute',
    'about 2 minutes',
    'about 2 minutes',
    'about 3 minutes',
    'about an hour',
    'about 1.5 hours',
    'about 25 hours',
  ])
  assert.equal(forecastWords(LATER).help, '')
})

test('what would help: more peers, other downloads paused, peers that have what is missing', () => {
  const help = (over: Partial<FilmForecast>): string => forecastWords({ ...LATER, ...over }).help
  assert.match(help({ helps: ['wait', 'more-peers'] }), /^It comes in slower than it plays: more peers/)
  assert.match(help({ helps: ['wait', 'pause-others'], startAloneSec: 3 }), /Pausing other .* to a few seconds\.$/)
  const gap = forecastWords({ ...LATER, state: 'never', stopsAtSec: 750, helps: ['more-peers'] })
  assert.equal(gap.line, 'It would stop at 12:30.')
  assert.match(gap.help, /^No peer that is connected has what comes then/)
  assert.equal(forecastWords({ ...LATER, state: 'never', stopsAtSec: 0, helps: [] }).line, 'It cannot begin yet.')
  const dry = forecastWords({ ...LATER, state: 'never', startInSec: null, helps: ['more-peers'] })
  assert.deepEqual([dry.line, dry.help], ['Nothing of it comes in at the moment.', 'More peers would help.'])
})

test('before anything comes in: whether anybody is there', () => {
  const unknown: FilmForecast = { ...LATER, state: 'unknown', startInSec: null, helps: ['more-peers'] }
  assert.deepEqual(forecastWords(unknown), { line: 'Finding out how fast it comes in…', help: '' })
  assert.deepEqual(forecastWords({ ...unknown, sources: 0 }), {
    line: 'Nobody who has this film is connected yet.',
    help: '',
  })
})
