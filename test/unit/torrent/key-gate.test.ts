// The bound on keys made at a time: so many in a turn, the others in order, none lost, the line itself bounded.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KeyGate, type KeyJob, MAX_POWERS_PER_TURN, MAX_WAITING } from '../../../src/torrent/peers/key-gate.ts'
import { VirtualClock } from '../../kit/sim/virtual-clock.ts'

function jobs(count: number, powers: number, ran: number[]): KeyJob[] {
  return Array.from({ length: count }, (_, index) => ({ powers, run: () => ran.push(index) }))
}

test('a turn makes so many, the others follow in order, and at the end nothing is left', async () => {
  const clock = new VirtualClock()
  const gate = new KeyGate(clock)
  const ran: number[] = []
  for (const job of jobs(10, 2, ran)) assert.equal(gate.ask(job), true)
  assert.equal(ran.length, MAX_POWERS_PER_TURN / 2)
  assert.equal(gate.waiting, 6)
  await clock.advance(9)
  assert.equal(ran.length, 4)
  await clock.advance(1)
  assert.equal(ran.length, 8)
  await clock.advance(10)
  assert.deepEqual(ran, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  assert.equal(gate.waiting, 0)
  await clock.advance(10)
  assert.equal(clock.pending, 0)
})

test('who comes while others wait does not overtake them', async () => {
  const clock = new VirtualClock()
  const gate = new KeyGate(clock)
  const ran: string[] = []
  const job = (name: string, powers: number): KeyJob => ({ powers, run: () => ran.push(name) })
  gate.ask(job('first', MAX_POWERS_PER_TURN - 1))
  gate.ask(job('two wide', 2))
  gate.ask(job('one wide', 1))
  assert.deepEqual(ran, ['first'])
  await clock.advance(10)
  assert.deepEqual(ran, ['first', 'two wide', 'one wide'])
})

test('a job that asks again while it runs waits like everybody', async () => {
  const clock = new VirtualClock()
  const gate = new KeyGate(clock)
  let runs = 0
  const greedy: KeyJob = {
    powers: MAX_POWERS_PER_TURN,
    run: () => {
      runs += 1
      if (runs < 3) gate.ask(greedy)
    },
  }
  gate.ask(greedy)
  assert.equal(runs, 1)
  await clock.advance(10)
  assert.equal(runs, 2)
  await clock.advance(10)
  assert.equal(runs, 3)
})

test('the line is bounded, and who left it does not run', async () => {
  const clock = new VirtualClock()
  const gate = new KeyGate(clock)
  const ran: number[] = []
  const all = jobs(MAX_POWERS_PER_TURN + MAX_WAITING + 5, 1, ran)
  const taken = all.filter(job => gate.ask(job))
  assert.equal(taken.length, MAX_POWERS_PER_TURN + MAX_WAITING)
  assert.equal(gate.waiting, MAX_WAITING)
  for (const job of all.slice(MAX_POWERS_PER_TURN + 1)) gate.forget(job)
  assert.equal(gate.waiting, 1)
  await clock.advance(100)
  assert.equal(ran.length, MAX_POWERS_PER_TURN + 1)
})

test('a job that is too wide for a turn gets one for itself', async () => {
  const clock = new VirtualClock()
  const gate = new KeyGate(clock)
  const ran: number[] = []
  for (const job of jobs(2, MAX_POWERS_PER_TURN + 1, ran)) gate.ask(job)
  assert.equal(ran.length, 1)
  await clock.advance(10)
  assert.equal(ran.length, 2)
})
