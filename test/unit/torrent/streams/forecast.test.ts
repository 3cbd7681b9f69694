// The forecast as a function: what is there, a rate and its swings, who sends; and the times and rates it is made of.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyPieceSet, type PieceSet, setRange } from '../../../../src/base/piece-set.ts'
import type { FilmFacts } from '../../../../src/torrent/streams/film-facts.ts'
import { type ForecastInput, forecastOf } from '../../../../src/torrent/streams/forecast.ts'
import { PlayTimes } from '../../../../src/torrent/streams/play-times.ts'
import { RateHistory } from '../../../../src/torrent/streams/rate-history.ts'

const PIECE = 1000
const COUNT = 100
/** What is waited beyond the last byte. */
const SLACK = 0.4

/** A film of 100 pieces of 1,000 bytes, played at 100 bytes/s: a piece in 10 s. */
function film(keys: FilmFacts['keys'] = null, bytesPerSecond = 100): PlayTimes {
  const times = PlayTimes.of({ bytesPerSecond, index: [], keys }, COUNT * PIECE)
  assert.ok(times)
  return times
}

/** What is told of pieces, one by one. */
interface Pieces {
  isThere(piece: number): boolean
  /** How many of the connected have it. */
  sourcesOf(piece: number): number
}

function input(over: Partial<ForecastInput & Pieces> = {}): ForecastInput {
  const { isThere = () => false, sourcesOf = () => 1 } = over
  const there = emptyPieceSet(COUNT)
  for (let piece = 0; piece < COUNT; piece += 1) if (isThere(piece)) there.set(piece, true)
  return {
    lengths: { totalLength: COUNT * PIECE, pieceLength: PIECE, pieceCount: COUNT },
    file: { offset: 0, length: COUNT * PIECE },
    times: film(),
    from: 0,
    there,
    receivedOf: () => 0,
    firstOfNobody(first, last) {
      let piece = first
      while (piece <= last && (isThere(piece) || sourcesOf(piece) > 0)) piece += 1
      return piece
    },
    rate: { bytesPerSecond: 130, spread: 0 },
    sources: [{ rate: 130, asked: 0 }],
    othersRate: 0,
    ...over,
  }
}

function near(actual: number | null, expected: number): void {
  assert.ok(actual !== null && Math.abs(actual - expected) < 0.02, `${actual}, not ${expected}`)
}

test('quicker than it is played: the first piece; just before its end: the next one as well', () => {
  near(forecastOf(input()).startInSec, PIECE / 130 + SLACK)
  // At 0.9 of a piece the next is needed after one second, and has come after two pieces.
  near(forecastOf(input({ from: 900 })).startInSec, (2 * PIECE) / 130 - 1 + SLACK)
  // That one is there, or half of it.
  near(forecastOf(input({ from: 900, isThere: piece => piece === 1 })).startInSec, PIECE / 130 + SLACK)
  near(
    forecastOf(input({ from: 900, receivedOf: piece => (piece === 1 ? 500 : 0) })).startInSec,
    1500 / 130 + SLACK - 1,
  )
  assert.deepEqual(forecastOf(input()).helps, ['wait'])
})

test('a piece that has come and is not verified cannot be played yet', () => {
  const { state, startInSec } = forecastOf(input({ receivedOf: () => PIECE }))
  assert.equal(state, 'later')
  near(startInSec, SLACK)
})

test('slower than it is played: as long as the rest takes, less the time of its last piece; more peers help', () => {
  const forecast = forecastOf(input({ rate: { bytesPerSecond: 50, spread: 0 } }))
  near(forecast.startInSec, (COUNT * PIECE) / 50 - 990 + SLACK)
  assert.deepEqual([forecast.state, forecast.helps], ['later', ['wait', 'more-peers']])
  // What is there counts wherever it is.
  const half = forecastOf(input({ rate: { bytesPerSecond: 50, spread: 0 }, isThere: piece => piece % 2 === 0 }))
  assert.ok((half.startInSec ?? 99) < 11, `${half.startInSec}`)
})

test('all there, from the end, nothing coming, nothing known', () => {
  assert.equal(forecastOf(input({ isThere: () => true, rate: null })).state, 'plays')
  assert.equal(forecastOf(input({ from: COUNT * PIECE })).state, 'plays')
  const dead = forecastOf(input({ rate: { bytesPerSecond: 0, spread: 0 }, sources: [] }))
  assert.deepEqual([dead.state, dead.startInSec, dead.helps], ['never', null, ['more-peers']])
  const unknown = forecastOf(input({ rate: null, sources: [], sourcesOf: () => 0 }))
  assert.deepEqual([unknown.state, unknown.stopsAtSec, unknown.sources], ['unknown', null, 0])
})

test('what nobody has is said, with the second at which it stops', () => {
  const forecast = forecastOf(input({ sourcesOf: piece => (piece === 40 ? 0 : 3) }))
  assert.deepEqual([forecast.state, forecast.stopsAtSec, forecast.helps], ['never', 400, ['more-peers']])
  assert.equal(forecastOf(input({ from: 41_000, sourcesOf: piece => (piece === 40 ? 0 : 3) })).state, 'later')
  assert.equal(forecastOf(input({ isThere: piece => piece === 40, sourcesOf: () => 0 })).stopsAtSec, 0)
})

test('other downloads: what their pause would gain, where it gains something', () => {
  const slow = { bytesPerSecond: 50, spread: 0 }
  const forecast = forecastOf(input({ rate: slow, othersRate: 80 }))
  near(forecast.startAloneSec, PIECE / 130 + SLACK)
  assert.deepEqual(forecast.helps, ['wait', 'more-peers', 'pause-others'])
  assert.equal(forecastOf(input({ rate: slow, othersRate: 1 })).startAloneSec, null)
  const starved = forecastOf(input({ rate: { bytesPerSecond: 0, spread: 0 }, othersRate: 130 }))
  assert.deepEqual([starved.state, starved.helps], ['never', ['more-peers', 'pause-others']])
  near(starved.startAloneSec, PIECE / 130 + SLACK)
})

test('swings take a part of the rate, more where little is to spare', () => {
  const wait = (bytesPerSecond: number, spread: number): number =>
    forecastOf(input({ rate: { bytesPerSecond, spread } })).startInSec ?? 0
  const [wide, narrow] = [wait(200, 60) - wait(200, 0), wait(110, 60) - wait(110, 0)]
  assert.ok(wide > 0.5 && narrow > 2 * wide, `${wide}, ${narrow}`)
  // Not watched for long: a little is taken anyway.
  const unseen = forecastOf(input({ rate: { bytesPerSecond: 130, spread: null } })).startInSec ?? 0
  assert.ok(unseen > wait(130, 0) && unseen < wait(130, 60), `${unseen}`)
})

test('the largest of several uneven sources may leave: a wait of a third more at most, none for even ones', () => {
  const three = [60, 40, 30].map(rate => ({ rate, asked: 0 }))
  const wait = (spread: number | null, sources = three): number =>
    forecastOf(input({ sources, rate: { bytesPerSecond: 130, spread } })).startInSec ?? 0
  const even = wait(0)
  near(even, PIECE / 130 + SLACK)
  near(wait(13), wait(13, three.slice(0, 1)) + 0.3 * even)
  // Before it has been watched: by how they differ.
  assert.ok(wait(null) > wait(null, three.slice(0, 1)) + 1, `${wait(null)}`)
  const alike = [44, 43, 43].map(rate => ({ rate, asked: 0 }))
  near(wait(null, alike), wait(null, three.slice(0, 1)))
  // 2.6 times the rate: without the largest it plays as well.
  const rate = { bytesPerSecond: 260, spread: 26 }
  near(forecastOf(input({ sources: three, rate })).startInSec, forecastOf(input({ rate })).startInSec ?? 0)
})

test('the slowest of several sources holds pieces up by what its queue takes longer, up to a bound', () => {
  const wait = (asked: readonly number[]): number =>
    forecastOf(input({ sources: [65, 65].map((rate, i) => ({ rate, asked: asked[i] ?? 0 })) })).startInSec ?? 0
  near(wait([130, 130]), PIECE / 130 + SLACK)
  near(wait([195, 65]), PIECE / 130 + SLACK + 1)
  near(wait([6500, 0]), PIECE / 130 + SLACK + 3)
})

test('a table of key frames moves times; what is no table of the film changes nothing', () => {
  // The first half of the bytes is played in a tenth of the time.
  const times = film({ times: [0, 100], bytes: [0, 50_000] })
  assert.equal(times.secondAt(25_000), 50)
  assert.equal(times.secondAt(75_000), 550)
  assert.equal(times.byteAt(99), 0)
  assert.equal(times.byteAt(100), 50_000)
  assert.equal(times.byteAt(5000), 50_000)
  near(forecastOf(input({ times, rate: { bytesPerSecond: 500, spread: 0 } })).startInSec, PIECE / 500 + SLACK)
  // 51 pieces come in 127.5 s, and the last of them is played after 100.
  near(forecastOf(input({ times, rate: { bytesPerSecond: 400, spread: 0 } })).startInSec, 127.5 - 100 + SLACK)
  const odd = [Number.NaN, -1, 1e12, 5]
  for (const lie of [
    { times: odd, bytes: [1, 2, 3] },
    { times: [], bytes: odd },
    { times: [9, 8], bytes: [-5, 1e15] },
  ]) {
    assert.equal(film(lie).secondAt(50_000), 500)
    assert.equal(film(lie).byteAt(500), 50_000)
  }
  for (const rate of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.equal(PlayTimes.of({ bytesPerSecond: rate, index: [], keys: null }, 1000), null)
  }
})

/** A set that counts how often it is asked for a piece. */
function countedSet(pieceCount: number): PieceSet & { asked: number } {
  const set = emptyPieceSet(pieceCount)
  const get = set.get.bind(set)
  return Object.assign(set, {
    asked: 0,
    get(this: { asked: number }, piece: number) {
      this.asked += 1
      return get(piece)
    },
  })
}

test('a film of 800,000 pieces is looked at in some thousands of rows, bytes at a time, and never earlier than piece by piece', () => {
  const pieceCount = 800_000
  const lengths = { totalLength: pieceCount * PIECE, pieceLength: PIECE, pieceCount }
  const file = { offset: 0, length: pieceCount * PIECE }
  const times = PlayTimes.of({ bytesPerSecond: 100, index: [], keys: null }, file.length)
  assert.ok(times)
  let lookedUp = 0
  const counted = Object.assign(Object.create(times) as PlayTimes, {
    secondAt(byte: number) {
      lookedUp += 1
      return times.secondAt(byte)
    },
  })
  const there = countedSet(pieceCount)
  const forecast = forecastOf(input({ lengths, file, times: counted, there }))
  assert.ok(lookedUp < 9000, `${lookedUp}`)
  assert.equal(forecast.missingBytes, pieceCount * PIECE)
  assert.ok((forecast.startInSec ?? 0) >= PIECE / 130 + SLACK)
  // Rows that do not begin and end with bytes: fewer than 16 pieces of each are asked for one by one.
  assert.ok(there.asked < 16 * 9000, `${there.asked} pieces were asked for`)
  setRange(there, 0, pieceCount - 1, true)
  there.set(700_001, false)
  const late = forecastOf(input({ lengths, file, times: counted, there }))
  assert.deepEqual([late.state, late.missingBytes], ['plays', PIECE])
})

/** Notes what had come by each second from `fromSec` up to `toSec`, all of it of use unless said. */
function noted(
  history: RateHistory,
  fromSec: number,
  toSec: number,
  total: (second: number) => number,
  share = 1,
): void {
  for (let second = fromSec; second < toSec; second += 1) {
    const all = total(second)
    history.note(second * 1000, { all, useful: all * share })
  }
}

test('the rate of the last seconds, and its swings over a minute; nothing before the first bytes', () => {
  const even = new RateHistory()
  noted(even, 0, 30, () => 0)
  assert.equal(even.estimate(29_000, 0), null)
  noted(even, 30, 90, second => (second - 29) * 500)
  assert.deepEqual(even.estimate(89_000, 7), { bytesPerSecond: 500, spread: 0 })
  const swinging = new RateHistory()
  let total = 0
  noted(swinging, 0, 200, second => (total += second % 16 < 8 ? 250 : 750))
  const found = swinging.estimate(199_000, 7)
  assert.ok(found !== null && found.bytesPerSecond > 400 && found.bytesPerSecond < 600, JSON.stringify(found))
  // Runs of 8 s deviate by 250 each second: 250 x root of 8.
  assert.ok((found.spread ?? 0) > 500 && (found.spread ?? 0) < 900, JSON.stringify(found))
})

test('the meter counts while little is noted, what came twice does not, and what was long ago says nothing', () => {
  const history = new RateHistory()
  assert.equal(history.estimate(0, 300), null)
  noted(history, 0, 2, second => second * 500, 0.8)
  assert.equal(history.estimate(1900, 300), null, 'only just begun')
  noted(history, 2, 3, second => second * 500, 0.8)
  assert.deepEqual(history.estimate(2000, 300), { bytesPerSecond: 240, spread: null }, 'by the meter')
  noted(history, 3, 4, second => second * 500, 0.8)
  assert.deepEqual(
    history.estimate(3000, 300),
    { bytesPerSecond: 400, spread: null },
    'three seconds, the first in part',
  )
  assert.equal(history.estimate(60_000, 300), null)
  noted(history, 60, 70, second => 2000 + (second - 60) * 100, 0)
  assert.deepEqual(history.estimate(69_000, 300), { bytesPerSecond: 0, spread: 0 }, 'all of it came twice')
  // A check of the data finds 10,000 bytes that nobody has sent.
  history.note(70_000, { all: 2950, useful: 10_000 })
  assert.ok((history.estimate(70_000, 300)?.bytesPerSecond ?? 99) <= 10)
})
