// When the node is told where a film is.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { place } from '../../../src/web/model/format.ts'
import { PlaceReports } from '../../../src/web/model/place-reports.ts'

test('at most once in ten seconds of play, at once at a pause, never twice for one place', () => {
  const reports = new PlaceReports(0)
  const told: number[] = []
  for (let ms = 0; ms <= 30_000; ms += 250) if (reports.due(ms, ms / 1000, false)) told.push(ms)
  assert.deepEqual(told, [500, 10_500, 20_500])
  assert.equal(reports.due(30_100, 30.1, true), true, 'it pauses')
  assert.equal(reports.due(30_200, 30.1, true), false, 'and goes away at the same place')
  assert.equal(reports.due(31_000, 31, false), false)
  assert.equal(reports.due(41_000, Number.NaN, true), false)
})

test('a place that the node knows is not told again', () => {
  const reports = new PlaceReports(101)
  assert.equal(reports.due(0, 101.2, true), false)
  assert.equal(reports.due(0, 102, true), true)
})

test('places in films as people read them', () => {
  assert.deepEqual([-1, 0, 59.9, 101, 3723].map(place), ['0:00', '0:00', '0:59', '1:41', '1:02:03'])
})
