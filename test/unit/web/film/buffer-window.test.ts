// What of a film is held around the place that is played.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  behindHole,
  type Run,
  runWithout,
  type Span,
  stepOf,
  surplusOf,
} from '../../../../src/web/model/film/buffer-window.ts'

const span = (startSec: number, endSec: number): Span => ({ startSec, endSec })
const step = (spans: Span[], at: number, run: Run | null) => stepOf(spans, at, run, 30)

test('nothing is there: a run begins at the place', () => {
  assert.deepEqual(step([], 0, null), { does: 'begin', fromSec: 0 })
  assert.deepEqual(step([], 95.5, null), { does: 'begin', fromSec: 95.5 })
})

test('it goes on until enough is held', () => {
  assert.deepEqual(step([], 10, span(10, 10)), { does: 'more' })
  assert.deepEqual(step([span(8, 12)], 10, span(10, 12)), { does: 'more' })
  assert.deepEqual(step([span(8, 39.9)], 10, span(10, 39.9)), { does: 'more' })
  assert.deepEqual(step([span(8, 40)], 10, span(10, 40)), { does: 'wait' })
})

test('a place that is not held, and not about to be, begins a run', () => {
  assert.deepEqual(step([span(8, 40)], 60, span(10, 40)), { does: 'begin', fromSec: 60 })
  assert.deepEqual(step([span(8, 40)], 3, span(10, 40)), { does: 'begin', fromSec: 3 })
})

test('back in what an older run has left: from its end on', () => {
  const spans = [span(0, 20), span(60, 70)]
  assert.deepEqual(step(spans, 5, span(60, 70)), { does: 'begin', fromSec: 20 })
  assert.deepEqual(step([span(0, 40), span(60, 70)], 5, span(60, 70)), { does: 'wait' })
})

test('a run that has met what is held already goes on behind it', () => {
  assert.deepEqual(step([span(0, 25)], 5, span(5, 20)), { does: 'begin', fromSec: 25 })
})

test('a track with a hole at the place is not read without an end', () => {
  assert.deepEqual(step([span(12, 38)], 10, span(10, 38)), { does: 'more' })
  assert.deepEqual(step([span(12, 41)], 10, span(10, 41)), { does: 'wait' })
})

test('a hole of the film is passed, and not read again and again', () => {
  assert.deepEqual(step([span(0, 20), span(25, 30)], 18, span(0, 30)), { does: 'more' })
  assert.deepEqual(step([span(0, 20), span(25, 50)], 18, span(0, 50)), { does: 'wait' })
  // Nothing of what came was of use.
  assert.deepEqual(step([span(0, 20)], 18, span(20, 30)), { does: 'more' })
  // What was held there has been let go since: it is read again.
  assert.deepEqual(step([span(0, 20)], 18, span(5, 60)), { does: 'begin', fromSec: 20 })
})

test('the place jumps over a hole, and nowhere else', () => {
  assert.equal(behindHole([span(0, 20), span(25, 30)], 19.9), 25)
  assert.equal(behindHole([span(1.4, 30)], 0), 1.4)
  assert.equal(behindHole([span(0, 20), span(25, 30)], 12), null)
  assert.equal(behindHole([span(0, 20), span(60, 70)], 19.9), null, 'that is no hole')
  assert.equal(behindHole([span(0, 20)], 20), null)
})

test('tracks may begin and end a little beside each other', () => {
  assert.deepEqual(step([span(0.08, 40)], 0, span(0, 40)), { does: 'wait' })
  assert.deepEqual(step([span(0, 59.9)], 60, span(60, 59.9)), { does: 'more' })
})

test('what was played long ago goes, and what lies far ahead', () => {
  assert.deepEqual(surplusOf([span(0, 50)], 25, 20, 30), [])
  assert.deepEqual(surplusOf([span(0, 70)], 45, 20, 30), [span(0, 25)])
  assert.deepEqual(surplusOf([span(0, 10), span(100, 130)], 5, 20, 30), [span(100, Number.POSITIVE_INFINITY)])
  assert.deepEqual(surplusOf([span(0, 10), span(40, 60)], 5, 20, 30), [])
  assert.deepEqual(surplusOf([], 5, 20, 30), [])
})

test('what was let go is read again, although it came in the run that goes on', () => {
  const run = runWithout(span(0, 30), span(0, 10))
  assert.deepEqual(run, span(10, 30))
  assert.deepEqual(step([span(10, 30)], 3, run), { does: 'begin', fromSec: 3 })
  assert.deepEqual(step([span(10, 30)], 12, run), step([span(10, 30)], 12, span(0, 30)))
  assert.equal(runWithout(span(50, 70), span(60, Number.POSITIVE_INFINITY)), null)
  assert.deepEqual(runWithout(span(20, 30), span(0, 20)), span(20, 30))
  assert.deepEqual(runWithout(span(20, 30), span(30, 40)), span(20, 30))
})
