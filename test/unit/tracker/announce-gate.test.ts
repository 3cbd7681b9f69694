// The gate: limits, turns, urgency, leaving the line.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AnnounceGate, type Pass } from '../../../src/tracker/announce-gate.ts'

const never = new AbortController().signal

test('a full host does not hold back others, and a released pass goes to who waits', async () => {
  const gate = new AnnounceGate({ maxRunning: 3, maxPerHost: 1 })
  const order: string[] = []
  const enter = (host: string, name: string, urgent = false): Promise<Pass | null> =>
    gate.enter(host, urgent, never).then(pass => {
      order.push(name)
      return pass
    })
  const first = enter('a', 'a1')
  const second = enter('a', 'a2')
  const third = enter('a', 'a3')
  const stop = enter('a', 'a-stopped', true)
  const other = enter('b', 'b1')
  const passOne = await first
  await other
  assert.deepEqual(order, ['a1', 'b1'])
  assert.equal(gate.running, 2)
  assert.equal(gate.waiting, 3)
  passOne?.release()
  passOne?.release()
  const passStop = await stop
  passStop?.release()
  ;(await second)?.release()
  ;(await third)?.release()
  assert.deepEqual(order, ['a1', 'b1', 'a-stopped', 'a2', 'a3'])
  assert.equal(gate.running, 1)
})

test('who gives up leaves the line', async () => {
  const gate = new AnnounceGate({ maxRunning: 1, maxPerHost: 1 })
  const held = await gate.enter('a', false, never)
  const abort = new AbortController()
  const waiting = gate.enter('a', false, abort.signal)
  const behind = gate.enter('b', false, never)
  abort.abort()
  assert.equal(await waiting, null)
  assert.equal(await gate.enter('c', false, abort.signal), null)
  held?.release()
  const pass = await behind
  assert.notEqual(pass, null)
  pass?.release()
  assert.equal(gate.running, 0)
  assert.equal(gate.waiting, 0)
})
