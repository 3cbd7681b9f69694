// Whether a browser reads a film that waits.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ReadState, ReadWatch } from '../../../../src/web/model/film/read-watch.ts'

/** What a look each second finds. */
function looks(...states: readonly ReadState[]): boolean[] {
  const watch = new ReadWatch()
  return states.map((state, second) => watch.look(state, second * 1000))
}

const times = (count: number, isIdle: boolean, aheadSec: number): ReadState[] =>
  Array.from({ length: count }, () => ({ isIdle, aheadSec }))

test('who asks for nothing and has nothing for ten seconds reads nothing', () => {
  assert.deepEqual(looks(...times(11, true, 0.04)), [...Array.from({ length: 10 }, () => false), true])
})

test('who waits for what was asked, or has something, reads', () => {
  assert.ok(!looks(...times(60, false, 0)).includes(true))
  assert.ok(!looks(...times(60, true, 1)).includes(true))
})

test('ten seconds in a row', () => {
  const found = looks(...times(10, true, 0), ...times(1, false, 0), ...times(11, true, 0))
  assert.equal(found.indexOf(true), 21)
})
