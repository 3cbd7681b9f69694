// Bounds on connections whose address is not proven.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HalfOpen, MAX_HALF_OPEN, MAX_HALF_OPEN_PER_ADDRESS } from '../../../src/utp/half-open.ts'

test('one address gets a few', () => {
  const halfOpen = new HalfOpen()
  for (let count = 0; count < MAX_HALF_OPEN_PER_ADDRESS; count++) assert.ok(halfOpen.admit('10.0.0.1'))
  assert.equal(halfOpen.admit('10.0.0.1'), false)
  assert.ok(halfOpen.admit('10.0.0.2'))
  halfOpen.leave('10.0.0.1')
  assert.ok(halfOpen.admit('10.0.0.1'))
})

test('a network of 2^64 addresses counts as one', () => {
  const halfOpen = new HalfOpen()
  let admitted = 0
  for (let count = 1; count <= 100; count++) if (halfOpen.admit(`2001:db8::${count.toString(16)}`)) admitted += 1
  assert.equal(admitted, MAX_HALF_OPEN_PER_ADDRESS)
  assert.ok(halfOpen.admit('2001:db8:0:1::1'))
})

test('all together get so many, and nothing is left when they are gone', () => {
  const halfOpen = new HalfOpen()
  const admitted: string[] = []
  for (let host = 1; host <= 500; host++) {
    const ip = `10.0.${host >> 8}.${host & 0xff}`
    if (halfOpen.admit(ip)) admitted.push(ip)
  }
  assert.equal(admitted.length, MAX_HALF_OPEN)
  assert.equal(halfOpen.total, MAX_HALF_OPEN)
  for (const ip of admitted) halfOpen.leave(ip)
  halfOpen.leave('10.0.0.1')
  assert.equal(halfOpen.total, 0, 'one leave too many counts for nothing')
})
