// What a start has left behind is given back at rest, and only then.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StartMemory } from '../../../src/node/start-memory.ts'
import { VirtualClock } from '../../kit/sim/virtual-clock.ts'

function rig(): { clock: VirtualClock; ran: string[]; memory: StartMemory; busy: { ms: number } } {
  const clock = new VirtualClock()
  const ran: string[] = []
  const busy = { ms: 0 }
  const steps = ['first', 'second', 'third'].map(name => (): void => void ran.push(name))
  return { clock, ran, busy, memory: new StartMemory({ clock, busyMs: () => busy.ms, steps }) }
}

test('at rest the steps follow each other, the first six seconds after the start', async () => {
  const { clock, ran, memory, busy } = rig()
  // The start itself is work that does not count.
  memory.start()
  await clock.advance(3000)
  busy.ms += 3000
  await clock.advance(2999)
  assert.deepEqual(ran, [])
  await clock.advance(1)
  assert.deepEqual(ran, ['first'])
  busy.ms += 100
  await clock.advance(2000)
  assert.deepEqual(ran, ['first', 'second'])
  await clock.advance(2000)
  assert.deepEqual(ran, ['first', 'second', 'third'])
  assert.equal(clock.pending, 0)
})

test('while the node works nothing is given back, however long; then the step that was due comes', async () => {
  const { clock, ran, memory, busy } = rig()
  memory.start()
  await clock.advance(6000)
  for (let second = 0; second < 120; second += 1) {
    busy.ms += 400
    await clock.advance(1000)
  }
  assert.deepEqual(ran, ['first'])
  await clock.advance(4000)
  assert.deepEqual(ran, ['first', 'second', 'third'])
})

test('after its end no step is run', async () => {
  const { clock, ran, memory } = rig()
  memory.start()
  await clock.advance(6000)
  memory.stop()
  await clock.advance(60_000)
  assert.deepEqual(ran, ['first'])
  assert.equal(clock.pending, 0)
})
