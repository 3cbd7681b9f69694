// What is loaded at its first use: once for all who ask at the same time, again after a failure, never after the stop.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Deferred, makeDeferred } from '../../../src/base/deferred.ts'
import { OpenedAtFirstUse } from '../../../src/node/opened-at-first-use.ts'

interface Part {
  readonly number: number
  stop(limitMs: number): Promise<void>
}

/** Starts are settled by the test; `stops` has [number of the part, limit]. */
function rig() {
  const starts: Deferred<Part>[] = []
  const stops: [number: number, limitMs: number][] = []
  const start = (): Promise<Part> => {
    const started = makeDeferred<Part>()
    starts.push(started)
    return started.promise
  }
  const stopping = makeDeferred<void>()
  const part = (number: number): Part => ({
    number,
    stop(limitMs) {
      stops.push([number, limitMs])
      return stopping.promise
    },
  })
  return { opened: new OpenedAtFirstUse(start), starts, stops, stopping, part }
}

const turn = () => new Promise(resolve => setImmediate(resolve))

async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  return Promise.race([promise.then(() => true), turn().then(() => false)])
}

test('those who ask at the same time, and later, have the same one', async () => {
  const { opened, starts, part } = rig()
  assert.equal(opened.opened, null)
  const asked = [opened.open(), opened.open()]
  await turn()
  assert.deepEqual([starts.length, opened.opened], [1, null])
  const one = part(1)
  starts[0]?.resolve(one)
  assert.deepEqual(await Promise.all([...asked, opened.open()]), [one, one, one])
  assert.equal(opened.opened, one)
  assert.equal(starts.length, 1)
})

test('a start that failed is tried again by the next who asks', async () => {
  const { opened, starts, part } = rig()
  const asked = [opened.open(), opened.open()]
  await turn()
  starts[0]?.reject(new Error('the disk is full'))
  for (const each of asked) await assert.rejects(each, /the disk is full/)
  const again = opened.open()
  await turn()
  starts[1]?.resolve(part(2))
  assert.equal((await again).number, 2)
})

test('before it is known how to start it nothing is opened', async () => {
  const opened = new OpenedAtFirstUse<Part>()
  await assert.rejects(opened.open(), { code: 'NotReady' })
  const { part } = rig()
  opened.ready(() => Promise.resolve(part(1)))
  assert.equal((await opened.open()).number, 1)
})

test('a stop while it opens waits for it and stops it; after that nothing is opened', async () => {
  const { opened, starts, stops, stopping, part } = rig()
  const asked = opened.open()
  await turn()
  const stopped = opened.stop(500)
  assert.equal(await isSettled(stopped), false)
  assert.deepEqual(stops, [])
  starts[0]?.resolve(part(1))
  await asked
  assert.equal(opened.opened, null)
  assert.equal(await isSettled(stopped), false)
  assert.deepEqual(stops, [[1, 500]])
  stopping.resolve()
  await stopped
  await assert.rejects(opened.open(), { code: 'NotReady' })
  assert.equal(starts.length, 1)
})

test('a stop ends what is open, and nothing where nothing was opened or the start failed', async () => {
  const { opened, starts, stops, stopping, part } = rig()
  stopping.resolve()
  const asked = opened.open()
  await turn()
  starts[0]?.resolve(part(1))
  await asked
  await opened.stop(700)
  assert.deepEqual(stops, [[1, 700]])
  await new OpenedAtFirstUse(() => Promise.resolve(part(2))).stop(1)
  const failing = new OpenedAtFirstUse<Part>(() => Promise.reject(new Error('no')))
  const refused = assert.rejects(failing.open(), /no/)
  await failing.stop(1)
  await refused
  assert.equal(stops.length, 1)
})

test('after a discard the next use opens another, when the one before has ended; the stop waits for both', async () => {
  const { opened, starts, stops, stopping, part } = rig()
  opened.discard(1)
  const first = opened.open()
  await turn()
  starts[0]?.resolve(part(1))
  await first
  opened.discard(20)
  opened.discard(20)
  assert.equal(opened.opened, null)
  assert.deepEqual(stops, [[1, 20]])
  const second = opened.open()
  await turn()
  assert.equal(starts.length, 1)
  const stopped = opened.stop(30)
  stopping.resolve()
  await turn()
  starts[1]?.resolve(part(2))
  assert.equal((await second).number, 2)
  await stopped
  assert.deepEqual(stops.at(-1), [2, 30])
})

test('what cannot be ended well does not keep the next use from opening another', async () => {
  const { opened, starts, stopping, part } = rig()
  const first = opened.open()
  await turn()
  starts[0]?.resolve(part(1))
  await first
  opened.discard(20)
  stopping.reject(new Error('its thread is gone'))
  const second = opened.open()
  await turn()
  starts[1]?.resolve(part(2))
  assert.equal((await second).number, 2)
})
