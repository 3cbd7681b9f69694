// Unacknowledged packets by number.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Packet } from '../../../src/utp/packet-pool.ts'
import { SendBuffer } from '../../../src/utp/send-buffer.ts'
import { seqAdd } from '../../../src/utp/sequence.ts'

function packet(payloadBytes: number, small = false): Packet {
  const made = new Packet(64)
  made.payloadBytes = payloadBytes
  made.small = small
  return made
}

test('packets get numbers in a row, across the wrap, however many', () => {
  const buffer = new SendBuffer(65_500)
  const packets = Array.from({ length: 500 }, () => packet(10))
  for (const one of packets) buffer.push(one)
  assert.equal(buffer.span, 500)
  assert.equal(buffer.inFlightBytes, 5000)
  for (const [index, one] of packets.entries()) {
    assert.equal(one.seq, seqAdd(65_500, index))
    assert.equal(buffer.at(one.seq), one)
  }
  assert.equal(buffer.at(65_499), null)
  assert.equal(buffer.at(buffer.next), null)
  for (const one of packets) assert.equal(buffer.remove(one.seq), one)
  assert.deepEqual([buffer.inFlightBytes, buffer.inFlightPackets], [0, 0])
})

test('each packet is under way or lost', () => {
  const buffer = new SendBuffer(1)
  const first = packet(10)
  const second = packet(20, true)
  buffer.push(first)
  buffer.push(second)
  assert.equal(buffer.smallPackets, 1)
  buffer.lose(first)
  buffer.lose(first)
  assert.deepEqual([buffer.inFlightBytes, buffer.inFlightPackets, buffer.lostPackets], [20, 1, 1])
  buffer.resent(first)
  assert.deepEqual([buffer.inFlightBytes, buffer.inFlightPackets, buffer.lostPackets], [30, 2, 0])
  buffer.lose(second)
  assert.equal(buffer.remove(2), second)
  assert.equal(buffer.remove(2), null)
  assert.deepEqual([buffer.lostPackets, buffer.smallPackets, buffer.inFlightPackets], [0, 0, 1])
})

test('clear takes out everything once', () => {
  const buffer = new SendBuffer(65_530)
  for (let count = 0; count < 20; count++) buffer.push(packet(1))
  buffer.remove(65_533)
  let seen = 0
  buffer.clear(() => {
    seen += 1
  })
  assert.equal(seen, 19)
  assert.deepEqual([buffer.span, buffer.inFlightPackets, buffer.inFlightBytes], [0, 0, 0])
})
