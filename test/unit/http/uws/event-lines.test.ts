// Events as bytes: what goes over the wire, made once for all followers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EventLines } from '../../../../src/http/uws/event-lines.ts'

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString()

test('lines of JSON, or server-sent events that name what to go on from', () => {
  const lines = new EventLines()
  const run = { ids: [0, 7], lines: ['{"id":0}\n', '{"id":7}\n'] }
  assert.equal(text(lines.bytes(run, false)), '{"id":0}\n{"id":7}\n')
  assert.equal(text(lines.bytes(run, true)), 'data: {"id":0}\n\nid: 7\ndata: {"id":7}\n\n')
})

test('the bytes of a run are made once for each form', () => {
  const lines = new EventLines()
  const run = { ids: [1], lines: ['{"id":1}\n'] }
  for (const serverSent of [false, true]) assert.equal(lines.bytes(run, serverSent), lines.bytes(run, serverSent))
  assert.notEqual(lines.bytes(run, false), lines.bytes(run, true))
  assert.notEqual(lines.bytes({ ...run }, false), lines.bytes(run, false))
})
