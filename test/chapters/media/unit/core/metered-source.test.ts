// The source with a budget: what it gives is what the file holds, whatever was read before; nothing is fetched twice.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OverBudget } from '../../../../../src/chapters/media/core/byte-source.ts'
import { MeteredSource } from '../../../../../src/chapters/media/core/metered-source.ts'
import { seededBytes } from '../../../../kit/content/make-torrent.ts'
import { fuzzSource } from '../../../../kit/sim/fuzz.ts'
import { MemorySource } from '../../kit/memory-source.ts'

test('a thousand reads of any place and length give the bytes of the file, up to its end', () => {
  const inner = new MemorySource(seededBytes(100_001))
  const source = new MeteredSource(inner, 1_000_000_000)
  const chance = fuzzSource(7)
  for (let turn = 0; turn < 1000; turn += 1) {
    const start = chance.below(110_000)
    const end = start + chance.below(chance.pick([4, 100, 9000, 40_000]))
    assert.ok(Buffer.from(source.read(start, end)).equals(inner.bytes.subarray(start, end)), `${start} to ${end}`)
  }
  assert.equal(source.fetched, inner.fetched)
})

test('small reads that lie together are one, and the budget is kept to the byte', () => {
  const inner = new MemorySource(seededBytes(100_000))
  const source = new MeteredSource(inner, 8192 + 10_000)
  for (let at = 0; at < 8000; at += 4) source.read(at, at + 4)
  assert.equal(inner.fetched, 8192)
  // From within the block that is kept: only what lies behind it.
  source.read(8000, 18_192)
  assert.equal(inner.fetched, 18_192)
  assert.throws(() => source.read(50_000, 50_001), OverBudget)
  assert.equal(inner.fetched, 18_192)
  source.allow(8192)
  assert.equal(source.read(50_000, 50_001).length, 1)
})

test('a long range is what the file gave: its memory is not taken twice, whatever is kept of it', () => {
  const given: Uint8Array[] = []
  const inner = new MemorySource(seededBytes(3_000_000))
  const noting = {
    size: inner.size,
    read(start: number, end: number): Uint8Array {
      const bytes = inner.read(start, end)
      given.push(bytes)
      return bytes
    },
  }
  const source = new MeteredSource(noting, 3_000_000)
  source.read(8, 16)
  const long = source.read(8, 2_500_000)
  assert.equal(long.length, 2_499_992)
  assert.equal(long.buffer, given[1]?.buffer)
})
