// One connection, packet by packet: how losses that nothing sent later can show are found, and what is no loss.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UTP_HEADER_BYTES } from '../../../src/wire/net/utp.ts'
import { dataOf, RTT_MS, seqs, UtpRig } from '../../kit/sim/utp-rig.ts'

/** Lets `count` packets go out in one turn; their numbers. */
function flight(rig: UtpRig, count: number): number[] {
  rig.write(count * (rig.connection.measures.packetBytes - UTP_HEADER_BYTES))
  return seqs(dataOf(rig.turn()))
}

/** A rig whose window holds twelve packets and more, and whose round trip is known. */
function warm(): UtpRig {
  const rig = new UtpRig().open()
  for (let round = 0; round < 8; round++) {
    const sent = flight(rig, 12)
    rig.nowMs += RTT_MS
    rig.acks(sent.at(-1) ?? 0)
    rig.turn()
  }
  return rig
}

test('the end of a flight is lost: the last packet is repeated, its answer brings all the others', () => {
  const rig = warm()
  const sent = flight(rig, 4)
  assert.equal(sent.length, 4)
  const window = rig.connection.measures.windowBytes
  const again = dataOf(rig.pass(200))
  assert.deepEqual(seqs(again), [sent[3]], 'one packet, once')
  rig.nowMs += RTT_MS
  rig.acks((sent[0] ?? 0) - 1, [sent[3] ?? 0])
  assert.deepEqual(seqs(dataOf(rig.turn())), sent.slice(0, 3))
  assert.ok(rig.connection.measures.windowBytes >= window / 2 - 1, 'a loss, not a time-out')
})

test('nothing is repeated while answers come in time', () => {
  const rig = warm()
  const sent = flight(rig, 2)
  rig.nowMs += RTT_MS
  rig.acks(sent[0] ?? 0)
  rig.turn()
  rig.nowMs += RTT_MS
  rig.connection.tick(rig.nowMs)
  assert.deepEqual(rig.turn(), [])
})

test('an answer that was lost and came with a later one says nothing about the round trip', () => {
  const rig = warm()
  const before = rig.connection.measures.rttMs
  const sent = flight(rig, 3)
  const again = dataOf(rig.pass(400))
  assert.deepEqual(seqs(again), [sent[2]])
  rig.acks(sent[2] ?? 0)
  rig.turn()
  assert.equal(rig.connection.measures.rttMs, before)
})

test('where packets overtake others, only time tells that one is lost', () => {
  const rig = warm()
  const first = flight(rig, 6)
  const from = first[0] ?? 0
  // Three later ones came: it counts as lost, and is sent again.
  rig.nowMs += RTT_MS
  rig.acks(
    from - 1,
    [from + 1, from + 2, from + 3].map(seq => seq & 0xffff),
  )
  assert.deepEqual(seqs(dataOf(rig.turn())), [from])
  // But it had only been overtaken.
  rig.nowMs += 3
  rig.acks(first.at(-1) ?? 0)
  rig.turn()
  const second = flight(rig, 6)
  const next = second[0] ?? 0
  rig.nowMs += RTT_MS
  rig.acks(
    next - 1,
    [next + 1, next + 2, next + 3].map(seq => seq & 0xffff),
  )
  assert.deepEqual(dataOf(rig.turn()), [], 'not again')
  rig.acks(next + 3)
  // What was sent a quarter of a round trip later arrived.
  rig.nowMs += RTT_MS
  const third = flight(rig, 1)
  assert.equal(third.length, 1)
  rig.nowMs += RTT_MS
  rig.acks(next + 3, [third[0] ?? 0])
  assert.deepEqual(seqs(dataOf(rig.turn())), [next + 4, next + 5])
})
