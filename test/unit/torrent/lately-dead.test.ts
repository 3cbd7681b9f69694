// Addresses that did not answer lately: how long they count, and how many there are.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InfoHash } from '../../../src/base/ids.ts'
import { LatelyDead } from '../../../src/torrent/peers/lately-dead.ts'

const MINUTE_MS = 60_000
const first = 'a'.repeat(40) as InfoHash
const other = 'b'.repeat(40) as InfoHash
const random = { bytes: (count: number) => new Uint8Array(count), below: (below: number) => Math.floor(below / 3) }

test('a note is of one address and one torrent, counts for an hour and a half and is gone after twice that', () => {
  const dead = new LatelyDead(random)
  const address = { ip: '192.0.2.1', port: 6881 }
  assert.equal(dead.has(first, address, 0), false)
  dead.note(first, address, 40 * MINUTE_MS)
  assert.equal(dead.has(first, address, 129 * MINUTE_MS), true)
  assert.equal(dead.has(other, address, 129 * MINUTE_MS), false)
  assert.equal(dead.has(first, { ip: '192.0.2.1', port: 6882 }, 129 * MINUTE_MS), false)
  assert.equal(dead.has(first, { ip: '192.0.2.2', port: 6881 }, 129 * MINUTE_MS), false)
  assert.equal(dead.has(first, address, 220 * MINUTE_MS), false)
})

test('nobody asks for hours: what was noted before is gone', () => {
  const dead = new LatelyDead(random)
  const address = { ip: '2001:db8::1', port: 6881 }
  dead.note(first, address, 0)
  assert.equal(dead.has(first, address, 181 * MINUTE_MS), false)
})

test('a hundred thousand notes: the last fifty thousand count, and forgetting forgets all', () => {
  const dead = new LatelyDead(random)
  const at = (number: number) => ({ ip: `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`, port: 6881 })
  for (let number = 0; number < 150_000; number += 1) dead.note(first, at(number), 0)
  const known = (from: number, to: number) => {
    let count = 0
    for (let number = from; number < to; number += 1) if (dead.has(first, at(number), 1)) count += 1
    return count
  }
  assert.equal(known(100_000, 150_000), 50_000)
  // Two that meet are rare: 100,000 notes among two thousand million numbers.
  assert.ok(known(0, 50_000) < 50, 'the oldest have gone')
  dead.forget()
  assert.equal(known(0, 150_000), 0)
})
