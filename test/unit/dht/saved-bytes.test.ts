// The saved state of the DHT: it comes back as it was, and anything else is nothing.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeSavedDht, encodeSavedDht } from '../../../src/dht/saved-bytes.ts'
import type { SavedDht } from '../../../src/dht/types.ts'

const id = (n: number): string => n.toString(16).padStart(40, '0')
const saved: SavedDht = {
  4: {
    id: id(1),
    nodes: Array.from({ length: 400 }, (_, n) => ({ id: id(n + 9), ip: `9.8.${n >> 8}.${n & 255}`, port: n + 1 })),
  },
  6: { id: id(2), nodes: [{ id: id(3), ip: '2a00::5', port: 65_535 }] },
}

test('both tables come back as they were, whole', () => {
  const bytes = encodeSavedDht(saved)
  assert.ok(bytes.length < 64 * 1024)
  assert.deepEqual(decodeSavedDht(bytes), saved)
  const none: SavedDht = { 4: null, 6: null }
  assert.deepEqual(decodeSavedDht(encodeSavedDht(none)), none)
  assert.deepEqual(decodeSavedDht(encodeSavedDht({ ...saved, 6: null })), { ...saved, 6: null })
})

test('broken bytes are nothing', () => {
  const bytes = Buffer.from(encodeSavedDht(saved))
  for (const broken of [Buffer.alloc(0), Buffer.from('le'), bytes.subarray(0, 500), Buffer.alloc(70_000, 'x')]) {
    assert.equal(decodeSavedDht(broken), null)
  }
  assert.deepEqual(decodeSavedDht(Buffer.from('d1:4d2:id3:abc5:nodes0:ee')), { 4: null, 6: null })
  assert.equal(decodeSavedDht(Buffer.from(`d1:4d2:id20:${'a'.repeat(20)}5:nodes3:abcee`)), null)
})
