// Memory of packets: used again, up to a limit, never by two.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PACKET_BYTES, PacketPool } from '../../../src/utp/packet-pool.ts'

test('a packet that was given back is used again, as good as new', () => {
  const pool = new PacketPool(2)
  const packet = pool.take()
  assert.ok(packet)
  packet.payloadBytes = 5
  packet.transmissions = 1
  packet.probeBytes = 9
  packet.inFlight = true
  pool.give(packet)
  assert.equal(pool.used, 0)
  const again = pool.take()
  assert.equal(again, packet)
  assert.deepEqual([again?.payloadBytes, again?.transmissions, again?.probeBytes, again?.inFlight], [0, 0, 0, false])
})

test('a packet that was dropped is not: a socket may hold it', () => {
  const pool = new PacketPool(2)
  const packet = pool.take()
  assert.ok(packet)
  pool.drop(packet)
  assert.equal(pool.used, 0)
  assert.notEqual(pool.take(), packet)
})

test('there is a limit, and nothing is given back twice', () => {
  const pool = new PacketPool(2)
  const first = pool.take()
  assert.ok(first && pool.take())
  assert.equal(pool.hasRoom, false)
  assert.equal(pool.take(), null)
  assert.equal(pool.copyOf(new Uint8Array(10)), null)
  assert.equal(pool.copyOf(new Uint8Array(PACKET_BYTES + 1)), null)
  pool.give(first)
  assert.throws(() => pool.give(first), RangeError)
  assert.throws(() => pool.drop(first), RangeError)
})

test('copies have the length of what was copied, whatever it is', () => {
  const pool = new PacketPool(4)
  for (const length of [0, 3, PACKET_BYTES, PACKET_BYTES + 1, 60_000]) {
    const packet = pool.copyOf(new Uint8Array(length).fill(3))
    assert.ok(packet)
    assert.equal(packet.bytes.length, length)
    assert.ok(packet.bytes.every(byte => byte === 3))
    pool.give(packet)
  }
  assert.equal(pool.take()?.memory.length, PACKET_BYTES, 'large ones are not kept')
})

test('the view stays while the length does', () => {
  const packet = new PacketPool(1).take()
  assert.ok(packet)
  packet.cut(100)
  const view = packet.bytes
  packet.cut(100)
  assert.equal(packet.bytes, view)
})
