// Known addresses: who is tried next, back-off, bounds.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KnownPeers } from '../../../src/torrent/known-peers.ts'

const at = (index: number) => ({ ip: `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`, port: 6881 })
const anyone = () => true

test('those that worked come first, failures wait longer each time', () => {
  const known = new KnownPeers()
  const fresh = known.add(at(1))
  const good = known.add(at(2))
  assert.ok(fresh && good)
  known.shookHands(good)
  known.left(good, true, 0)
  assert.equal(known.next(0, anyone), fresh, 'one that just left is not called back at once')
  assert.equal(known.next(30_000, anyone), good)
  const waits: number[] = []
  for (let i = 0; i < 12; i += 1) {
    known.failed(fresh, 0)
    waits.push(fresh.nextTryMs)
  }
  assert.deepEqual(waits.slice(0, 3), [10_000, 20_000, 40_000])
  assert.equal(waits.at(-1), 30 * 60 * 1000)
  known.forgiveAll()
  assert.equal(fresh.nextTryMs, 0)
})

test('busy, refused and our own addresses are not tried', () => {
  const known = new KnownPeers()
  const own = known.add(at(1))
  const busy = known.add(at(2))
  assert.ok(own && busy)
  known.banish(own)
  busy.busy = true
  assert.equal(known.next(1e12, anyone), null)
  assert.equal(known.hasCandidates(anyone), false)
  assert.equal(known.add(at(1)), own, 'named again it is still known')
  known.forgiveAll()
  assert.equal(known.next(1e12, anyone), null)
  known.released(busy)
  assert.equal(
    known.next(0, peer => peer !== busy),
    null,
  )
  assert.equal(known.next(0, anyone), busy)
})

test('the list is bounded; only failed addresses make room', () => {
  const known = new KnownPeers()
  for (let i = 0; i < 5000; i += 1) known.add(at(i))
  assert.equal(known.size, 2000)
  assert.equal(known.add(at(6000)), null)
  const failed = known.add(at(7))
  assert.ok(failed)
  known.failed(failed, 0)
  assert.ok(known.add(at(6000)))
  assert.equal(known.get('10.0.0.7:6881'), undefined)
  assert.equal(known.size, 2000)
})

test('seeds are counted', () => {
  const known = new KnownPeers()
  const peer = known.add(at(1))
  assert.ok(peer)
  known.setSeed(peer, true)
  known.setSeed(peer, true)
  assert.equal(known.seeds, 1)
  known.setSeed(peer, false)
  assert.equal(known.seeds, 0)
})
