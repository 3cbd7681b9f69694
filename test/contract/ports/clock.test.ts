// The real clock: what is due at once is done in the next turn of the loop, not a millisecond later, and can be called
// off.

import assert from 'node:assert/strict'
import { stat } from 'node:fs'
import { test } from 'node:test'
import { SystemClock } from '../../../src/io/clock.ts'

test('after no time comes the next turn, with what else was asked for it, in order', async () => {
  const clock = new SystemClock()
  const order: string[] = []
  await new Promise<void>(resolve => {
    // From the callback of a system call immediates come before every timer.
    stat('/', () => {
      clock.after(0, () => order.push('due'))
      clock.after(-1, () => order.push('overdue'))
      clock.after(0, () => order.push('called off')).cancel()
      setImmediate(() => {
        order.push('immediate')
        resolve()
      })
      assert.deepEqual(order, [], 'never inside the call')
    })
  })
  assert.deepEqual(order, ['due', 'overdue', 'immediate'])
})

test('cancelled after it ran, or twice: nothing happens', async () => {
  const clock = new SystemClock()
  const timer = await new Promise<{ cancel(): void }>(resolve => {
    const made = clock.after(0, () => resolve(made))
  })
  timer.cancel()
  timer.cancel()
})
