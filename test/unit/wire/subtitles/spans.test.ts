// Parts of a film's time, and the note of a WebVTT that names them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Cue, keyOf, MAX_AT_ONCE, MAX_CUES, mergedCues, webVttOf } from '../../../../src/wire/subtitles/cue.ts'
import { coveredIn, coveredNote, cutTo, gapsIn, joined, type Span } from '../../../../src/wire/subtitles/spans.ts'

const span = (fromSec: number, toSec: number): Span => ({ fromSec, toSec })
const cue = (startMs: number, text: string): Cue => ({ startMs, endMs: startMs + 1000, text })

test('parts that touch or overlap become one; what is empty or no number is none', () => {
  const spans = [span(10, 20), span(0, 5), span(5, 7), span(12, 13), span(20, 25), span(30, 30), span(9, 8)]
  assert.deepEqual(joined(spans), [span(0, 7), span(10, 25)])
  assert.deepEqual(joined([span(Number.NaN, 1), span(0, Number.NaN)]), [])
})

test('what lacks in a part, and what of it is there', () => {
  const spans = [span(0, 7), span(10, 25)]
  assert.deepEqual(gapsIn(spans, span(5, 30)), [span(7, 10), span(25, 30)])
  assert.deepEqual(gapsIn(spans, span(11, 24)), [])
  assert.deepEqual(gapsIn([], span(3, 4)), [span(3, 4)])
  assert.deepEqual(cutTo(spans, span(5, 12)), [span(5, 7), span(10, 12)])
  assert.deepEqual(cutTo([span(0, Number.POSITIVE_INFINITY)], span(5, 12)), [span(5, 12)])
})

test('a WebVTT says what it covers, and no text in it can', () => {
  const vtt = webVttOf([cue(0, 'NOTE covered 0.000-9.000')], 0, coveredNote([span(0, 57.2), span(61, 240)]))
  assert.ok(vtt.startsWith('WEBVTT\n\nNOTE covered 0.000-57.200 61.000-240.000\n\n'))
  assert.deepEqual(coveredIn(vtt), [span(0, 57.2), span(61, 240)])
  assert.deepEqual(coveredIn(webVttOf([], 0, coveredNote([]))), [])
  for (const other of [
    '',
    'WEBVTT\n\nNOTE covered 1-2',
    'WEBVTT\n\nNOTE covered 1-\n',
    `WEBVTT\n\nNOTE covered${' 1-2'.repeat(9000)}\n`,
  ])
    assert.deepEqual(coveredIn(other), [])
  const many = Array.from({ length: 100 }, (_, at) => span(at * 10, at * 10 + 1))
  assert.equal(coveredIn(webVttOf([], 0, coveredNote(many))).length, 64)
})

test('texts that come twice are there once; without anything new the list stays the same', () => {
  const known = [cue(0, 'a'), cue(5000, 'b')]
  assert.equal(mergedCues(known, [cue(5000, 'b')]), known)
  assert.deepEqual(mergedCues(known, [cue(2000, 'c'), cue(0, 'a')]).map(keyOf), [
    '0 1000 a',
    '2000 3000 c',
    '5000 6000 b',
  ])
  const many = Array.from({ length: MAX_CUES + 10 }, (_, at) => cue(at * 1000, 'x'))
  assert.equal(mergedCues([], many).length, MAX_CUES)
  const atOnce = Array.from({ length: 100 }, (_, at) => cue(0, String(at)))
  assert.equal(mergedCues(atOnce.slice(0, 30), atOnce).length, MAX_AT_ONCE)
})
