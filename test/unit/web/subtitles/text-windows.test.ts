// Which parts of the texts inside of a film are asked for: around the place, each once, and again what was not there.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KnownFilm, KnownTrack } from '../../../../src/web/model/film/film-way.ts'
import { textsName } from '../../../../src/web/model/film/sound-names.ts'
import { shownAtFirst, textTracksOf } from '../../../../src/web/model/subtitles/film-texts.ts'
import { TextWindows } from '../../../../src/web/model/subtitles/text-windows.ts'
import type { Span } from '../../../../src/wire/subtitles/spans.ts'

const span = (fromSec: number, toSec: number): Span => ({ fromSec, toSec })

/** Asks and gets all of it; what was asked. */
function fill(windows: TextWindows, place: number, nowMs = 0): Span | null {
  const asked = windows.next(place, nowMs)
  if (asked !== null) windows.answered([asked], nowMs)
  return asked
}

test('three minutes ahead at first, then a minute at a time, and nothing behind that is known', () => {
  const windows = new TextWindows(7200)
  assert.deepEqual(fill(windows, 0), span(0, 180))
  for (const place of [1, 30, 59]) assert.equal(windows.next(place, 0), null, String(place))
  const asked: Span[] = []
  for (let place = 60; place < 600; place += 1) {
    const next = fill(windows, place)
    if (next !== null) asked.push(next)
  }
  assert.deepEqual(asked.slice(0, 3), [span(180, 241), span(241, 302), span(302, 363)])
  assert.equal(asked.length, 9)
})

test('after a jump: ahead of the place first, then a minute behind it; back again nothing', () => {
  const windows = new TextWindows(7200)
  fill(windows, 0)
  assert.deepEqual(fill(windows, 5000), span(4990, 5180), 'what began before it may still be shown')
  assert.deepEqual(fill(windows, 5000), span(4940, 4990))
  assert.equal(windows.next(5001, 0), null)
  assert.equal(windows.next(10, 0), null)
})

test('the end of the film is the end; where that is not known it goes on', () => {
  const windows = new TextWindows(100)
  assert.deepEqual(fill(windows, 20), span(10, 100))
  assert.deepEqual(fill(windows, 20), span(0, 10))
  assert.equal(windows.next(99, 0), null)
  assert.deepEqual(fill(new TextWindows(null), 99_999), span(99_989, 100_179))
})

test('what was not there is asked for again, after a while, and at once after a jump or when something came', () => {
  const windows = new TextWindows(7200)
  assert.deepEqual(windows.next(0, 0), span(0, 180))
  windows.answered([span(0, 20)], 0)
  assert.deepEqual(windows.next(1, 1000), span(20, 181), 'it brought something: the rest may only have been too much')
  windows.answered([], 1000)
  const waits: number[] = []
  let before = 1000
  for (let ms = 2000; ms < 120_000; ms += 1000) {
    if (windows.next(2, ms) === null) continue
    waits.push(ms - before)
    before = ms
    windows.answered([], ms)
  }
  assert.deepEqual(waits, [5000, 10_000, 20_000, 20_000, 20_000, 20_000, 20_000])
  assert.deepEqual(windows.next(3000, 120_000), span(2990, 3180))
  windows.failed(120_000)
  assert.deepEqual(windows.next(3000, 120_001), span(2940, 3000), 'the other side does not wait')
})

test('where nothing comes it is asked ever more rarely, until the film goes on or another place is played', () => {
  const windows = new TextWindows(7200)
  const asksIn = (fromMs: number, toMs: number, isPaused = false): number => {
    let asked = 0
    for (let ms = fromMs; ms < toMs; ms += 1000) {
      // Played on, so that it is no jump.
      if (windows.next(100 + ms / 1000, ms, isPaused) === null) continue
      asked += 1
      windows.answered([], ms)
    }
    return asked
  }
  const minutes = (from: number, to: number, isPaused?: boolean): number => asksIn(from * 60_000, to * 60_000, isPaused)
  assert.ok(minutes(0, 4) > 20, 'of both sides, for some minutes')
  minutes(4, 20)
  assert.equal(minutes(20, 40), 8, 'then once in five minutes')
  windows.goesOn(40 * 60_000)
  assert.ok(minutes(40, 41) >= 6, 'it may have come in')
  for (let ms = 41 * 60_000; ms < 42 * 60_000; ms += 1000) windows.goesOn(ms)
  assert.ok(minutes(41, 42) <= 8, 'a film that stutters asks no more often for that')
  assert.equal(minutes(42, 60, true), 0, 'nobody sees what comes in while it stands')
  assert.deepEqual(windows.next(6000, 60 * 60_000, true), span(5990, 6180), 'but another place is asked for')
})

const track = (
  id: number,
  kind: KnownTrack['kind'],
  codec: string,
  language = 'und',
  more: Partial<KnownTrack> = {},
) => ({
  id,
  kind,
  codec,
  codecString: null,
  language,
  name: '',
  isDefault: true,
  channels: 0,
  ...more,
})

function filmOf(...tracks: KnownTrack[]): KnownFilm {
  return { container: 'matroska', durationSec: 60, tracks }
}

test('tracks of texts are chosen from, those of pictures are not', () => {
  const codecs = ['srt', 'pgs', 'ass', 'vobsub', 'vtt', 'tx3g', 'ttml']
  const film = filmOf(track(1, 'video', 'h264'), ...codecs.map((codec, at) => track(at + 2, 'subtitle', codec)))
  assert.deepEqual(
    textTracksOf(film).map(({ codec }) => codec),
    ['srt', 'ass', 'vtt', 'tx3g'],
  )
  assert.deepEqual(textTracksOf({ ...film, container: 'mpegts' }), [])
  assert.equal(textTracksOf({ ...film, container: 'mp4' }).length, 4)
})

test('without a choice: what is forced, in the language that is heard; else nothing', () => {
  const forced = { isForced: true }
  const sounds = [track(2, 'audio', 'aac', 'eng'), track(3, 'audio', 'aac', 'de')]
  const texts = [
    track(4, 'subtitle', 'srt', 'eng'),
    track(5, 'subtitle', 'pgs', 'eng', forced),
    track(6, 'subtitle', 'srt', 'en-US', forced),
    track(7, 'subtitle', 'srt', 'deu', forced),
  ]
  const film = filmOf(...sounds, ...texts)
  assert.equal(shownAtFirst(film, null)?.id, 6)
  assert.equal(shownAtFirst(film, 3)?.id, 7)
  assert.equal(shownAtFirst(filmOf(track(2, 'audio', 'aac', 'fra'), ...texts), null), null)
  assert.equal(shownAtFirst(filmOf(...sounds, ...texts.slice(0, 2)), null), null, 'default alone is no reason')
  assert.equal(shownAtFirst(filmOf(...texts), null), null)
})

test('what they are called', () => {
  assert.equal(textsName(track(1, 'subtitle', 'srt', 'eng'), 0), 'English')
  assert.equal(
    textsName(track(1, 'subtitle', 'srt', 'fra', { name: 'Signs', isForced: true }), 0),
    'French · Signs · forced',
  )
  assert.equal(
    textsName(track(1, 'subtitle', 'srt', 'und', { name: 'Forced', isForced: true }), 2),
    'Subtitles 3 · Forced',
  )
})
