// Rate meter and token buckets against the numbers they promise.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { RateLimiter } from '../../../src/base/rate-limiter.ts'
import { RateMeter } from '../../../src/base/rate-meter.ts'

test('a steady stream is measured at its rate, and forgotten after the window', () => {
  const meter = new RateMeter(5000)
  for (let ms = 0; ms < 20_000; ms += 10) meter.add(ms, 1000)
  assert.ok(Math.abs(meter.rate(20_000) - 100_000) <= 5000, `${meter.rate(20_000)}`)
  assert.equal(meter.rate(26_000), 0)
  assert.equal(meter.idle(26_000), true)
  assert.equal(meter.total, 2_000_000)
})

test('a young meter divides by its age, so that a first second is not hidden', () => {
  const meter = new RateMeter(5000)
  for (let ms = 10_000; ms < 11_000; ms += 100) meter.add(ms, 10_000)
  assert.equal(meter.rate(10_999), 100_000)
  meter.add(40_000, 500)
  assert.equal(meter.rate(40_000), 500)
})

test('a bucket grants its rate and no more than one burst above it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1000, max: 10_000_000 }), fc.integer({ min: 1, max: 400 }), (rate, stepMs) => {
      const bucket = new RateLimiter(rate)
      let granted = 0
      for (let ms = 0; ms <= 60_000; ms += stepMs) granted += bucket.take(ms, 100_000_000)
      const burst = Math.max(16 * 1024 + 64, rate / 2)
      assert.ok(granted <= rate * 60 + burst + 1)
      assert.ok(granted >= rate * 60 - (rate * stepMs) / 1000 - 1000)
    }),
  )
})

test('both the own bucket and the one above must grant', () => {
  const global = new RateLimiter(50_000)
  const a = new RateLimiter(40_000, global)
  const b = new RateLimiter(0, global)
  let first = 0
  let second = 0
  for (let ms = 0; ms <= 10_000; ms += 50) {
    first += a.take(ms, 1_000_000)
    second += b.take(ms, 1_000_000)
  }
  assert.ok(first <= 40_000 * 10 + 20_000)
  assert.ok(first + second <= 50_000 * 10 + 25_000)
  assert.ok(first + second >= 50_000 * 10 - 5000)
})

test('unlimited grants all; a limit set later holds at once; 0 lifts it', () => {
  const bucket = new RateLimiter(0)
  assert.equal(bucket.unlimited, true)
  assert.equal(bucket.take(0, 1e9), 1e9)
  bucket.setRate(10_000)
  assert.equal(bucket.unlimited, false)
  assert.ok(bucket.take(0, 1e9) <= 16 * 1024 + 64)
  bucket.setRate(0)
  assert.equal(bucket.take(0, 1e9), 1e9)
})

test('takeAll takes all or nothing, msUntil tells when, and unused bytes can be given back', () => {
  const bucket = new RateLimiter(16_384)
  assert.equal(bucket.takeAll(0, 16_384), true)
  assert.equal(bucket.takeAll(0, 16_384), false)
  const wait = bucket.msUntil(0, 16_384)
  assert.ok(wait > 900 && wait <= 1000, `${wait}`)
  assert.equal(bucket.takeAll(wait, 16_384), true)
  bucket.giveBack(16_384)
  assert.equal(bucket.takeAll(wait, 16_384), true)
  // Larger than any burst: granted from a full bucket, then a debt is worked off.
  assert.equal(bucket.takeAll(10_000, 64 * 1024), true)
  assert.ok(bucket.msUntil(10_000, 1) > 2500)
})
