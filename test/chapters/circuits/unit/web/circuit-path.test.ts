// A circuit as a path, and its events in words.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CircuitRecord } from '../../../../../src/chapters/circuits/service/circuits-api.ts'
import { circuitEventText, inOrder, pathOf } from '../../../../../src/chapters/circuits/web/model/circuit-path.ts'

function circuit(parts: Partial<CircuitRecord> = {}): CircuitRecord {
  return {
    id: 1,
    state: 'READY',
    goal_hops: 2,
    bytes_up: 0,
    bytes_down: 0,
    created: 100,
    purpose: 'data',
    hops: [
      { host: '203.0.113.1:7759', member: 'aa'.repeat(20) },
      { host: 'unknown', member: 'bb'.repeat(20) },
    ],
    speed_up: 0,
    speed_down: 0,
    rtt: null,
    loss: 0,
    reason: '',
    ...parts,
  }
}

test('from this node to where it leads; a hop without address is told by its key', () => {
  assert.deepEqual(
    pathOf(circuit()).map(({ role, where, kind }) => `${kind}: ${role} ${where}`.trim()),
    ['here: This node', 'hop: Relay 203.0.113.1:7759', 'hop: Exit bbbbbbbb', 'far: Internet'],
  )
})

test('hops that are missing stand where they will be; more than were wanted break nothing', () => {
  const extending = circuit({ goal_hops: 3, hops: [], purpose: 'introduction-seeder' })
  assert.deepEqual(
    pathOf(extending).map(({ role, kind }) => `${kind}: ${role}`),
    [
      'here: This node',
      'waiting: Relay',
      'waiting: Relay',
      'waiting: Introduction point',
      'far: Anonymous downloaders',
    ],
  )
  assert.equal(pathOf(circuit({ goal_hops: 1 })).length, 4)
  assert.equal(pathOf(circuit({ goal_hops: 0, hops: [] })).length, 2)
})

test('what carries data comes first, the newest before the older ones', () => {
  const all = [
    circuit({ id: 1, state: 'CLOSING', created: 900 }),
    circuit({ id: 2, state: 'EXTENDING' }),
    circuit({ id: 3, created: 50 }),
    circuit({ id: 4, created: 60 }),
  ]
  assert.deepEqual(
    inOrder(all).map(({ id }) => id),
    [4, 3, 2, 1],
  )
})

test('events of circuits in words, also of a node that knows other purposes', () => {
  const event = {
    circuit_id: 7,
    purpose: 'data',
    goal_hops: 3,
    reason: 'No answer.',
    bytes_up: 1,
    uptime: 2,
    skipped: 0,
  }
  assert.equal(circuitEventText(event), 'Downloads and trackers · over 3 hops · No answer.')
  assert.equal(
    circuitEventText({ purpose: 'else', goal_hops: 1, skipped: 12 }),
    'Circuit · over 1 hop · 12 more events before it',
  )
  assert.equal(circuitEventText({}), 'Circuit')
})
