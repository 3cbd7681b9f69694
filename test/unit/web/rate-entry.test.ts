// Limits of speed as people enter them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { enteredRate, RATE_UNITS, rateOf, rateUnit } from '../../../src/web/model/rate-entry.ts'

const [kib, mib, mbit] = RATE_UNITS

test('a number in a unit becomes bytes a second, nothing is no limit', () => {
  assert.equal(rateOf('500', kib), 512_000)
  assert.equal(rateOf(' 2.5 ', mbit), 312_500)
  assert.equal(rateOf('2,5', mib), 2_621_440)
  assert.equal(rateOf('', mbit), 0)
  assert.equal(rateOf('0', kib), 0)
  assert.equal(rateOf('0.000001', kib), 1, 'what is nearly nothing is not no limit')
})

test('what is no speed, or more than a node takes, is refused', () => {
  for (const text of ['-1', 'a lot', '1e9', '0x10', '1.2.3', '1 000', '99999999999999', '1.2345678', 'Infinity', 'NaN'])
    assert.equal(rateOf(text, kib), null, text)
  assert.equal(rateOf('9999999', mbit), null)
})

test('what is in force is shown in the unit, and comes to about the same again', () => {
  assert.equal(enteredRate(0, kib), '')
  assert.equal(enteredRate(512_000, kib), '500')
  assert.equal(enteredRate(312_500, mbit, ','), '2,5')
  assert.equal(enteredRate(1, mib), '0.000001')
  for (const unit of RATE_UNITS)
    for (const rate of [1000, 50_000, 123_456, 10_000_000, 125_000_000]) {
      const again = rateOf(enteredRate(rate, unit), unit) ?? 0
      assert.ok(Math.abs(again - rate) / rate < 0.01, `${rate} ${unit.name}: ${again}`)
    }
})

test('a unit that this device kept may be anything', () => {
  assert.equal(rateUnit('mbit'), mbit)
  for (const kept of [null, 7, 'furlongs', {}]) assert.equal(rateUnit(kept), kib)
})
