// One connection, packet by packet: all the ways it ends.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HALF_OPEN_MS, LINGER_MS, MAX_TIMEOUTS } from '../../../src/utp/connection.ts'
import { UTP_TYPE, UtpHeader } from '../../../src/wire/net/utp.ts'
import { dataOf, FIRST_SEQ, FULL, RTT_MS, seqs, types, UtpRig } from '../../kit/sim/utp-rig.ts'

test('a SYN is repeated, and given up in the end', () => {
  const rig = new UtpRig()
  rig.connection.connect(5000, rig.nowMs)
  rig.write('early')
  rig.out = []
  const again = rig.pass(3200)
  assert.deepEqual(types(again), [UTP_TYPE.syn, UTP_TYPE.syn])
  assert.deepEqual(seqs(again), [FIRST_SEQ, FIRST_SEQ])
  rig.pass(2000)
  assert.equal(rig.ends.length, 1)
  assert.equal(rig.ends.at(0)?.message, 'connect timed out')
  assert.equal(rig.pool.used, 0)
})

test('an address that is not proven in time is forgotten', () => {
  const rig = new UtpRig()
  const header = new UtpHeader()
  header.seq = 50
  rig.connection.accept(header, rig.nowMs)
  rig.pass(HALF_OPEN_MS - 100)
  assert.equal(rig.connection.state, 'syn-received')
  rig.pass(200)
  assert.equal(rig.connection.state, 'closed')
})

test('when nothing comes back the last packet is repeated, then waits double, and in the end the peer is dead', () => {
  const rig = new UtpRig().open()
  rig.write(FULL)
  const [first] = seqs(dataOf(rig.turn()))
  const startMs = rig.nowMs
  const times: number[] = []
  while (rig.ends.length === 0) {
    assert.ok(rig.nowMs < startMs + 200_000)
    for (const packet of dataOf(rig.pass(100))) {
      assert.equal(packet.seq, first)
      times.push(rig.nowMs - startMs)
    }
  }
  assert.ok((times[0] ?? 0) >= 2 * RTT_MS && (times[0] ?? 0) < 400, `repeated after ${times[0]} ms`)
  const timeouts = times.slice(1)
  assert.equal(timeouts.length, MAX_TIMEOUTS)
  const waits = timeouts.map((time, at) => time - (timeouts[at - 1] ?? 0))
  for (const [at, wait] of waits.entries())
    if (at > 1) assert.ok(wait >= 1.8 * (waits[at - 1] ?? 0), `waits of ${waits.join(', ')} ms`)
  assert.ok((waits[0] ?? 0) >= 500 && (waits[1] ?? 0) >= 500)
  assert.equal(rig.ends.at(0)?.message, 'connection timed out')
  assert.equal(rig.pool.used, 0)
})

test('a peer that does not answer in a closed window is dead in the end', () => {
  const rig = new UtpRig()
  rig.window = 0
  rig.open()
  rig.write(5000)
  rig.turn()
  rig.pass(120_000)
  assert.equal(rig.ends.at(0)?.message, 'connection timed out')
})

test('close sends what is in packets, then the FIN, and waits for both ends', () => {
  const rig = new UtpRig().open()
  rig.write(100)
  rig.connection.close(rig.nowMs)
  assert.deepEqual(rig.ends, [null])
  const sent = rig.turn()
  assert.deepEqual(types(sent), [UTP_TYPE.data, UTP_TYPE.fin])
  assert.equal(rig.connection.state, 'closing')
  rig.data(100, 'nobody reads this')
  assert.equal(rig.text, '')
  assert.equal(rig.turn()[0]?.ack, 100, 'it is acknowledged, so that the other end can come')
  rig.acks(0)
  rig.turn()
  assert.equal(rig.connection.state, 'closing')
  rig.get(UTP_TYPE.fin, 101)
  const [last] = rig.turn()
  assert.equal(last?.ack, 101)
  assert.equal(rig.connection.state, 'closed')
  assert.deepEqual([rig.ends, rig.pool.used], [[null], 0])
})

test('a FIN of the other side ends the stream after all its data', () => {
  const rig = new UtpRig().open()
  rig.get(UTP_TYPE.fin, 102)
  rig.data(101, 'b')
  assert.deepEqual(rig.ends, [])
  rig.turn()
  rig.data(100, 'a')
  assert.deepEqual([rig.text, rig.ends], ['ab', [null]])
  const sent = rig.turn()
  assert.deepEqual(types(sent), [UTP_TYPE.fin])
  assert.equal(sent[0]?.ack, 102)
  rig.acks(65_535)
  rig.turn()
  assert.equal(rig.connection.state, 'closed')
})

test('a FIN whose answer does not come is given up', () => {
  const rig = new UtpRig().open()
  rig.connection.close(rig.nowMs)
  rig.turn()
  rig.pass(LINGER_MS + 100)
  assert.equal(rig.connection.state, 'closed')
  assert.equal(rig.pool.used, 0)
})

test('a RESET must know the numbers', () => {
  const rig = new UtpRig().open()
  for (const ack of [30_000, FIRST_SEQ - 10, FIRST_SEQ + 20]) rig.get(UTP_TYPE.reset, 5, { ack: ack & 0xffff })
  assert.equal(rig.ends.length, 0)
  rig.get(UTP_TYPE.reset, 5, { ack: FIRST_SEQ })
  assert.equal(rig.ends.at(0)?.message, 'connection reset by the peer')
  assert.equal(rig.connection.state, 'closed')
  const calling = new UtpRig()
  calling.connection.connect(5000, calling.nowMs)
  calling.get(UTP_TYPE.reset, 5, { ack: FIRST_SEQ - 1 })
  assert.equal(calling.ends.length, 0)
  calling.get(UTP_TYPE.reset, 5, { ack: FIRST_SEQ })
  assert.equal(calling.ends.at(0)?.message, 'connection refused')
})

test('the user may end the connection in any callback', () => {
  const opening = new UtpRig()
  opening.onOpen = () => opening.connection.close(opening.nowMs)
  opening.open()
  assert.deepEqual(opening.ends, [null])
  const reading = new UtpRig().open()
  reading.onRead = () => reading.connection.close(reading.nowMs)
  reading.data(101, 'b')
  reading.data(100, 'a')
  assert.deepEqual([reading.text, reading.ends], ['a', [null]])
  const refusing = new UtpRig()
  refusing.onOpen = () => refusing.connection.abort(refusing.nowMs)
  refusing.open()
  assert.equal(refusing.connection.state, 'closed')
})
