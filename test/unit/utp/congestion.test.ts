// LEDBAT: how the window grows, shrinks and is cut.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FIRST_WINDOW_BYTES, Ledbat, MIN_PACKETS, TARGET_DELAY_MICROS } from '../../../src/utp/congestion.ts'

const PACKET = 1400
const RTT_MICROS = 500_000

/** A window that is filled and acknowledged whole, `rounds` times. */
function rounds(ledbat: Ledbat, count: number): void {
  for (let round = 0; round < count; round++) ledbat.acked(ledbat.windowBytes, ledbat.windowBytes, RTT_MICROS, PACKET)
}

test('slow start doubles the window until a queue builds up', () => {
  const ledbat = new Ledbat()
  rounds(ledbat, 3)
  assert.equal(ledbat.windowBytes, FIRST_WINDOW_BYTES * 8)
  for (let count = 0; count < 3; count++) ledbat.sample(TARGET_DELAY_MICROS)
  rounds(ledbat, 1)
  assert.equal(ledbat.slowStart, false)
  assert.equal(ledbat.windowBytes, FIRST_WINDOW_BYTES * 8, 'on target it stays')
})

test('below the target it grows by 3000 bytes a round trip at most, above it shrinks', () => {
  const ledbat = new Ledbat()
  rounds(ledbat, 4)
  ledbat.lost(1000, PACKET)
  const before = ledbat.windowBytes
  rounds(ledbat, 1)
  assert.equal(ledbat.windowBytes, before + 3000)
  for (let count = 0; count < 3; count++) ledbat.sample(TARGET_DELAY_MICROS / 2)
  rounds(ledbat, 1)
  assert.equal(ledbat.windowBytes, before + 4500)
  for (let count = 0; count < 3; count++) ledbat.sample(TARGET_DELAY_MICROS * 3)
  rounds(ledbat, 1)
  assert.equal(ledbat.windowBytes, before - 1500)
  rounds(ledbat, 1000)
  assert.equal(ledbat.windowBytes, MIN_PACKETS * PACKET, 'room for some packets is always left')
})

test('only the smallest of the last three delays counts, and none above the round trip', () => {
  const ledbat = new Ledbat()
  ledbat.sample(400_000)
  ledbat.sample(20_000)
  ledbat.sample(300_000)
  assert.equal(ledbat.delayMicros, 20_000)
  ledbat.sample(300_000)
  ledbat.sample(300_000)
  assert.equal(ledbat.delayMicros, 300_000)
  ledbat.acked(FIRST_WINDOW_BYTES, FIRST_WINDOW_BYTES, 30_000, PACKET)
  assert.equal(ledbat.slowStart, true, 'a packet that came back after 30 ms did not wait 300')
})

test('who does not fill the window does not widen it', () => {
  const ledbat = new Ledbat()
  for (let count = 0; count < 100; count++) ledbat.acked(500, 500, RTT_MICROS, PACKET)
  assert.equal(ledbat.windowBytes, FIRST_WINDOW_BYTES)
})

test('a loss halves the window, at most every 100 ms', () => {
  const ledbat = new Ledbat()
  rounds(ledbat, 5)
  const before = ledbat.windowBytes
  ledbat.lost(1000, PACKET)
  ledbat.lost(1050, PACKET)
  assert.equal(ledbat.windowBytes, before / 2)
  assert.equal(ledbat.slowStart, false)
  ledbat.lost(1100, PACKET)
  assert.equal(ledbat.windowBytes, before / 4)
})

test('a loss while nobody waits in queues leaves seven tenths; while somebody does, half', () => {
  const ledbat = new Ledbat()
  rounds(ledbat, 5)
  ledbat.lost(1000, PACKET)
  const before = ledbat.windowBytes
  for (let count = 0; count < 3; count++) ledbat.sample(TARGET_DELAY_MICROS / 10)
  ledbat.lost(2000, PACKET)
  assert.equal(ledbat.windowBytes, before * 0.7)
  for (let count = 0; count < 3; count++) ledbat.sample(TARGET_DELAY_MICROS / 2)
  ledbat.lost(3000, PACKET)
  assert.equal(ledbat.windowBytes, (before * 0.7) / 2)
})

test('after a time-out it starts from the smallest window and quickly gets to half', () => {
  const ledbat = new Ledbat()
  rounds(ledbat, 5)
  const before = ledbat.windowBytes
  ledbat.timedOut(PACKET)
  ledbat.timedOut(PACKET)
  assert.equal(ledbat.windowBytes, MIN_PACKETS * PACKET)
  rounds(ledbat, 4)
  assert.ok(ledbat.windowBytes > before / 4, 'slow start')
  rounds(ledbat, 3)
  assert.equal(ledbat.slowStart, false, 'which ends at half of what it was')
  assert.ok(ledbat.windowBytes < before)
})

test('an idle window decays to the first', () => {
  const ledbat = new Ledbat()
  ledbat.idle(PACKET)
  assert.equal(ledbat.windowBytes, FIRST_WINDOW_BYTES)
  rounds(ledbat, 5)
  const before = ledbat.windowBytes
  ledbat.idle(PACKET)
  assert.ok(ledbat.windowBytes < before)
  for (let count = 0; count < 50; count++) ledbat.idle(PACKET)
  assert.equal(ledbat.windowBytes, FIRST_WINDOW_BYTES)
})
