// /debug/circuits of a built node that has none: each list is there and empty.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startNode } from '../../../kit/nodes/node-process.ts'

test('a node without circuits has the fields of spec 4.11 and no others', async t => {
  const node = await startNode()
  t.after(() => node.stop())
  assert.deepEqual(await node.get('/debug/circuits'), { circuits: [] })
  assert.deepEqual(await node.get('/debug/circuits/slots'), { slots: [] })
  assert.deepEqual(await node.get('/debug/circuits/relays'), { relays: [] })
  assert.deepEqual(await node.get('/debug/circuits/exits'), { exits: [] })
  const { traffic } = await node.get<{ traffic: Record<string, number> }>('/debug/circuits/traffic')
  assert.deepEqual(Object.values(traffic), [0, 0, 0, 0, 0])
  const { network } = await node.get<{ network: Record<string, unknown> }>('/debug/circuits/network')
  assert.deepEqual([network['running'], network['lan_address'], network['relays']], [false, '0.0.0.0:0', 0])
})
