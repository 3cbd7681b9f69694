// Requests at web servers: how many at one, how many at all, and what ended makes room.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HostGate } from '../../../src/torrent/web-seeds/host-gate.ts'

test('a request that has ended makes room at its server, the last one too', () => {
  const gate = new HostGate(1, 2)
  for (let round = 0; round < 3; round++) {
    const release = gate.take('a.example')
    assert.ok(release !== null, `no room in round ${round}`)
    assert.equal(gate.take('a.example'), null)
    const other = gate.take('b.example')
    assert.ok(other !== null)
    assert.equal(gate.take('c.example'), null, 'all servers together have their bound')
    other()
    release()
    release()
    assert.equal(gate.taken, 0, 'a second release does nothing')
  }
})
