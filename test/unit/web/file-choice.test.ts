// What of a torrent's files is asked for, of one and of many.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commonPriority, namedPriority, priorityList, progressOf } from '../../../src/web/model/file-choice.ts'

const file = (index: number, priority: number, size = 10, progress = 0) => ({ index, priority, size, progress })

test('eight priorities are four names; of many it is known where they are the same', () => {
  assert.deepEqual([0, 1, 2, 3, 4, 5, 6, 7].map(namedPriority), [0, 1, 1, 4, 4, 4, 7, 7])
  assert.equal(commonPriority([file(0, 4), file(1, 3)]), 4)
  assert.equal(commonPriority([file(0, 4), file(1, 0)]), null)
  assert.equal(commonPriority([]), null)
})

test('a list for the node leaves all others as they are', () => {
  assert.deepEqual(priorityList([file(4, 1), file(1, 1)], 7), [-1, 7, -1, -1, 7])
  assert.deepEqual(priorityList([], 7), [])
})

test('the progress of a folder is that of its bytes', () => {
  assert.equal(progressOf([file(0, 1, 30, 1), file(1, 1, 10, 0)]), 0.75)
  assert.equal(progressOf([file(0, 1, 0, 1)]), 1)
})
