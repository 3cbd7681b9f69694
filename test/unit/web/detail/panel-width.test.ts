// How wide the panel of a download is: bounds, what is kept, the pointer and the keys.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  LEAST_WIDTH,
  MOST_WIDTH,
  USUAL_WIDTH,
  widthAfter,
  widthAt,
  widthIn,
} from '../../../../src/web/model/detail/panel-width.ts'

test('what a device has kept is read within the bounds; what is no number is none', () => {
  assert.deepEqual([40.4, 1, 1e300, -5].map(widthIn), [40, LEAST_WIDTH, MOST_WIDTH, LEAST_WIDTH])
  assert.deepEqual(
    [null, '40', Number.NaN, Number.POSITIVE_INFINITY, [40], {}].map(widthIn),
    Array.from({ length: 6 }, () => null),
  )
})

test('the edge follows the pointer from either side, and stops at the bounds', () => {
  const place = { left: 200, right: 1200, mirrored: false }
  assert.equal(widthAt(place, 700), 50)
  assert.equal(widthAt(place, 5000), LEAST_WIDTH)
  assert.equal(widthAt(place, -5000), MOST_WIDTH)
  assert.equal(widthAt({ ...place, mirrored: true }, 500), 30)
  assert.equal(widthAt({ left: 5, right: 5, mirrored: false }, 5), USUAL_WIDTH)
})

test('arrows move the edge where they point; Home, End, Enter; other keys are for others', () => {
  assert.deepEqual(
    ['ArrowLeft', 'ArrowRight', 'PageUp', 'PageDown', 'Home', 'End'].map(key => widthAfter(key, 40, false)),
    [42, 38, 50, 30, LEAST_WIDTH, MOST_WIDTH],
  )
  assert.equal(widthAfter('ArrowLeft', 40, true), 38)
  assert.equal(widthAfter('ArrowLeft', MOST_WIDTH, false), MOST_WIDTH)
  assert.equal(widthAfter('Enter', 50, false), null)
  assert.equal(widthAfter('Escape', 50, false), undefined)
})
