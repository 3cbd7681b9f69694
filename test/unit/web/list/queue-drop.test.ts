// Rows that are dragged in the queue: where they are dropped, also several, over each other, and beyond what is here.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allDownloads, type View } from '../../../../src/web/model/list-view.ts'
import { dropIndex, isQueue, isWholeQueue, queuePlace } from '../../../../src/web/model/queue-drop.ts'
import type { ListedRow, ShownList } from '../../../../src/web/model/shown-list.ts'
import { download } from '../../../contract/http/sample-records.ts'

/** Rows by a letter each; a dot is one that is not here yet. */
function listOf(letters: string): ShownList {
  const at = (index: number): ListedRow | null =>
    letters[index] === undefined || letters[index] === '.' ? null : { ...download, infohash: letters[index] }
  return { length: letters.length, at, indexOf: infohash => letters.indexOf(infohash), names: () => [] }
}

const placeIn = (letters: string, moved: string, index: number) => queuePlace(listOf(letters), new Set(moved), index)

test('before the row that is there, or the next one that stays; behind the last one', () => {
  assert.deepEqual(placeIn('abcd', 'd', 0), { before: 'a' })
  assert.deepEqual(placeIn('abcd', 'a', 2), { before: 'c' })
  assert.deepEqual(placeIn('abcd', 'bc', 1), { before: 'd' })
  assert.deepEqual(placeIn('abcd', 'cd', 2), { move: 'bottom' })
  assert.deepEqual(placeIn('abcd', 'a', 4), { move: 'bottom' })
  // Nobody knows which row that is.
  assert.equal(placeIn('ab.d', 'a', 2), null)
  assert.deepEqual(placeIn('ab.d', 'a', 3), { before: 'd' })
})

test('the nearest edge between two rows, within the list', () => {
  assert.deepEqual(
    [-500, 0, 18, 20, 57, 1e9].map(y => dropIndex(y, 38, 4)),
    [0, 0, 0, 1, 2, 4],
  )
  assert.equal(dropIndex(12, 38, 0), 0)
})

test('rows are dragged in the order of the queue alone, and have numbers where all of it is shown', () => {
  const queue: View = { ...allDownloads, sort: 'queue_order', descending: false }
  assert.deepEqual([isQueue(queue), isWholeQueue(queue)], [true, true])
  assert.deepEqual([isQueue({ ...queue, label: 'films' }), isWholeQueue({ ...queue, label: 'films' })], [true, false])
  assert.equal(isQueue({ ...queue, descending: true }), false)
  assert.equal(isQueue(allDownloads), false)
})
