// Places in a film that the page works out itself.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { beginsAt, placeAfter } from '../../../src/web/model/film-places.ts'

test('a step stays in the film, and is a step also while nobody knows its length', () => {
  assert.equal(placeAfter(30, 10, 60), 40)
  assert.equal(placeAfter(55, 10, 60), 60)
  assert.equal(placeAfter(3, -5, 60), 0)
  for (const unknown of [Number.NaN, Number.POSITIVE_INFINITY, 0]) {
    assert.equal(placeAfter(30, 10, unknown), 40, String(unknown))
    assert.equal(placeAfter(30, -10, unknown), 20, String(unknown))
    assert.equal(placeAfter(3, -5, unknown), 0, String(unknown))
  }
})

test('played without an answer it begins where it was left, or where it was moved to', () => {
  assert.equal(beginsAt(0, 1800), 1800)
  assert.equal(beginsAt(0.2, 1800), 1800, 'it has played a little before that is heard of')
  assert.equal(beginsAt(900, 1800), 900)
})
