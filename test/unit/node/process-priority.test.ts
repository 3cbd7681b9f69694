// The priority of the process: every thread, beside the niceness it was started with, all or none.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type PriorityPlace, ProcessPriority } from '../../../src/node/process-priority.ts'
import { silentLog } from '../../kit/doubles/silent-log.ts'

function place(startedWith = 0) {
  const nice = new Map([
    [0, startedWith],
    [11, startedWith],
    [12, startedWith],
  ])
  let lowest = -20
  const made: PriorityPlace = {
    // 13 has ended since it was listed.
    threads: () => [11, 12, 13],
    get: thread => {
      const niceness = nice.get(thread)
      if (niceness === undefined) throw new Error('ESRCH')
      return niceness
    },
    set: (thread, niceness) => {
      if (niceness < lowest && thread !== 11) throw new Error('EACCES')
      nice.set(thread, niceness)
    },
  }
  const forbidBelow = (niceness: number): void => {
    lowest = niceness
  }
  return { made, forbidBelow, now: () => [nice.get(11), nice.get(12)] }
}

test('levels are steps from where the process was started; 2 is there', () => {
  const { made, now } = place(3)
  const priority = new ProcessPriority(silentLog, made)
  priority.follow(2)
  assert.deepEqual(now(), [3, 3])
  for (const [level, niceness] of [
    [1, 13],
    [0, 19],
    [3, -2],
    [5, -12],
    [2, 3],
  ] as const) {
    priority.follow(level)
    assert.deepEqual(now(), [niceness, niceness], `level ${level}`)
  }
})

test('what is not allowed leaves all threads as they were, and may be tried again', () => {
  const { made, forbidBelow, now } = place()
  const priority = new ProcessPriority(silentLog, made)
  priority.follow(1)
  forbidBelow(0)
  priority.follow(4)
  assert.deepEqual(now(), [10, 10])
  forbidBelow(-20)
  priority.follow(4)
  assert.deepEqual(now(), [-10, -10])
})

test('on this machine', () => {
  const priority = new ProcessPriority(silentLog)
  priority.follow(2)
})
