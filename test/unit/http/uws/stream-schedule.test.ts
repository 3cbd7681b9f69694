// How streams share the event loop: a bound on what one turn writes, in the order of asking; and the watch over blocked
// ones.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StreamSchedule } from '../../../../src/http/uws/stream-schedule.ts'
import type { Clock } from '../../../../src/ports/clock.ts'

const MiB = 1024 * 1024

/** A clock whose only timer is moved by hand. */
class HandClock implements Clock {
  time = 0
  ticks: (() => void) | null = null
  now(): number {
    return this.time
  }
  wallMs(): number {
    return this.time
  }
  after(): never {
    throw new Error('not used')
  }
  every(_intervalMs: number, run: () => void) {
    this.ticks = run
    return {
      cancel: () => {
        this.ticks = null
      },
    }
  }
  move(ms: number): void {
    this.time += ms
    this.ticks?.()
  }
}

test('one turn of the loop writes 4 MiB, the rest waits in order', async () => {
  const schedule = new StreamSchedule(new HandClock(), 1000)
  const perTurn: number[][] = [[]]
  const granted: Promise<void>[] = []
  for (let stream = 0; stream < 10; stream++) {
    const wait = schedule.turn(MiB)
    if (wait === undefined) perTurn.at(-1)?.push(stream)
    else granted.push(wait.then(() => void perTurn.at(-1)?.push(stream)))
  }
  perTurn.push([])
  // Each of these rounds is one turn of the loop; three are enough for ten streams.
  for (let round = 0; round < 4; round++) {
    await new Promise(resolve => setImmediate(resolve))
    perTurn.push([])
  }
  await Promise.all(granted)
  const turns = perTurn.filter(turn => turn.length > 0)
  assert.deepEqual(turns, [
    [0, 1, 2, 3],
    [4, 5, 6, 7],
    [8, 9],
  ])
})

test('blocked streams are kept alive, and cut when they stay silent', () => {
  const clock = new HandClock()
  const schedule = new StreamSchedule(clock, 10_000)
  const calls: string[] = []
  const stream = { rearm: () => calls.push('rearm'), cut: () => calls.push('cut') }
  schedule.block(stream)
  clock.move(4000)
  clock.move(4000)
  assert.deepEqual(calls, ['rearm', 'rearm'])
  schedule.unblock(stream)
  assert.equal(clock.ticks, null)
  schedule.block(stream)
  clock.move(8000)
  clock.move(4000)
  assert.deepEqual(calls, ['rearm', 'rearm', 'rearm', 'cut'])
})
