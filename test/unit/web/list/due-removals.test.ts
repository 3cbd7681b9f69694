// Removals that wait: each is sent once, when its time is over or at once, and none that was taken back.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DueRemovals, type Removal } from '../../../../src/web/model/due-removals.ts'

function waiting() {
  const timers = new Set<() => void>()
  const sent: Removal[] = []
  let changes = 0
  const removals = new DueRemovals({
    later(run) {
      const timer = () => run()
      timers.add(timer)
      return () => timers.delete(timer)
    },
    send: removal => sent.push(removal),
    changed: () => {
      changes += 1
    },
  })
  const elapse = () => {
    for (const timer of [...timers]) {
      timers.delete(timer)
      timer()
    }
  }
  return { removals, sent, timers, elapse, changes: () => changes }
}

const what = (all: readonly Removal[]) => all.map(({ infohashes, withFiles }) => [...infohashes, withFiles])

test('sent when the time is over, once', () => {
  const { removals, sent, elapse, timers, changes } = waiting()
  removals.add(['a', 'b', 'a'], true)
  assert.deepEqual([...removals.due], ['a', 'b'])
  assert.deepEqual(sent, [])
  elapse()
  elapse()
  assert.deepEqual(what(sent), [['a', 'b', true]])
  assert.deepEqual([removals.waiting.length, removals.due.size, timers.size, changes()], [0, 0, 0, 2])
})

test('what is undone is never sent, the others are', () => {
  const { removals, sent, elapse } = waiting()
  removals.add(['a'], false)
  removals.add(['b'], false)
  removals.undo(removals.waiting[0]?.id ?? 0)
  removals.undo(77)
  elapse()
  assert.deepEqual(what(sent), [['b', false]])
})

test('of a download the newest removal counts, and one that is added again stays', () => {
  const { removals, sent, elapse } = waiting()
  removals.add(['a', 'b'], false)
  removals.add(['b', 'c'], true)
  removals.add(['d'], true)
  removals.keep('c')
  removals.keep('d')
  removals.keep('x')
  assert.deepEqual(what(removals.waiting), [
    ['a', false],
    ['b', true],
  ])
  elapse()
  assert.deepEqual(what(sent), [
    ['a', false],
    ['b', true],
  ])
})

test('who reads of it is waited for; what is sent at once is not sent later', () => {
  const { removals, sent, elapse } = waiting()
  removals.add(['a'], false)
  const [{ id } = { id: 0 }] = removals.waiting
  removals.hold(id)
  elapse()
  assert.deepEqual(sent, [])
  removals.go(id)
  removals.go(id)
  removals.now(id)
  elapse()
  removals.now(id)
  removals.go(id)
  elapse()
  assert.deepEqual(what(sent), [['a', false]])
})

test('all are taken out for a page that goes away', () => {
  const { removals, sent, elapse } = waiting()
  removals.add(['a'], false)
  removals.add(['b'], true)
  assert.deepEqual(what(removals.takeAll()), [
    ['a', false],
    ['b', true],
  ])
  elapse()
  assert.deepEqual([sent, removals.takeAll()], [[], []])
})
