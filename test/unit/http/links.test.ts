// Signed links: what a token is bound to, and for how long.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LinkSigner } from '../../../src/http/links.ts'
import type { Clock } from '../../../src/ports/clock.ts'

const HASH = 'a'.repeat(40)
let wall = 1_700_000_123_456
const clock: Clock = {
  now: () => wall,
  wallMs: () => wall,
  after: () => ({ cancel: () => {} }),
  every: () => ({ cancel: () => {} }),
}
const tokenOf = (url: string) => new URL(url, 'http://localhost').searchParams.get('token') ?? ''

test('a token opens its own file until it expires, not longer', () => {
  const links = new LinkSigner(Buffer.alloc(32, 1), clock)
  const token = tokenOf(links.streamUrl(HASH, 3))
  const hours = (count: number) => {
    wall += count * 3600_000
  }
  assert.equal(links.opens(HASH, '3', token), true)
  assert.equal(links.opens(HASH.toUpperCase(), '3', token), true)
  hours(23.5)
  assert.equal(links.opens(HASH, '3', token), true)
  hours(0.6)
  assert.equal(links.opens(HASH, '3', token), false)
})

test('a token is bound to infohash, index, expiry and secret', () => {
  const links = new LinkSigner(Buffer.alloc(32, 1), clock)
  const token = tokenOf(links.streamUrl(HASH, 3))
  assert.equal(links.opens('b'.repeat(40), '3', token), false)
  assert.equal(links.opens(HASH, '4', token), false)
  assert.equal(links.opens(HASH, '03', token), false)
  assert.equal(links.opens(HASH, '3', token.replace(/^\d/, '9')), false)
  assert.equal(new LinkSigner(Buffer.alloc(32, 2), clock).opens(HASH, '3', token), false)
  for (const bad of ['', '.', 'x.y', `${token}A`, ` ${token}`, `0${token}`])
    assert.equal(links.opens(HASH, '3', bad), false)
})

test('links made shortly after each other are equal, so that lists do not change all the time', () => {
  const links = new LinkSigner(Buffer.alloc(32, 1), clock)
  wall = 1_700_000_400_000
  const first = links.streamUrl(HASH, 0)
  wall += 60_000
  assert.equal(links.streamUrl(HASH, 0), first)
})

test('a short secret is refused', () => {
  assert.throws(() => new LinkSigner(Buffer.alloc(31), clock), RangeError)
})
