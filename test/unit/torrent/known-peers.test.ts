// Known addresses: who is tried next, back-off, bounds.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KnownPeers } from '../../../src/torrent/peers/known-peers.ts'
import type { PexFlags } from '../../../src/wire/peer/ut-pex.ts'

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

const HEARSAY: PexFlags = { encryption: false, seed: false, utp: false, holepunch: true, reachable: false }

test('of two that are worth the same the one with the higher priority comes first', () => {
  const known = new KnownPeers()
  const [low, high, failed] = [known.add(at(1)), known.add(at(2)), known.add(at(3))]
  assert.ok(low && high && failed)
  known.failed(failed, 0)
  known.setPriorities(address => Number(address.ip.split('.')[3]))
  assert.equal(known.next(10_000, anyone), high)
  const late = known.add(at(9))
  assert.equal(late?.priority, 9, 'also one that is added later')
  assert.equal(known.next(10_000, anyone), late)
  known.setPriorities(() => 0)
  assert.equal(known.next(10_000, anyone), low)
})

test('to whom we were introduced is called first, once, although it failed', () => {
  const known = new KnownPeers()
  const good = known.add(at(1))
  const hidden = known.add(at(2), false, HEARSAY)
  const own = known.add(at(3))
  assert.ok(good && hidden && own)
  known.shookHands(good)
  known.left(good, true, -100_000)
  for (let i = 0; i < 2; i += 1) known.failed(hidden, 0)
  known.introduced(hidden)
  assert.equal(known.next(0, anyone), hidden)
  hidden.punch = false
  known.failed(hidden, 0)
  assert.notEqual(known.next(0, anyone), hidden)
  known.banish(own)
  known.introduced(own)
  assert.equal(own.punch, false, 'never ourselves')
})

test('what peers alone have named fills half of the list at most, and makes room for anything else', () => {
  const known = new KnownPeers()
  for (let i = 0; i < 5000; i += 1) known.add(at(i), false, HEARSAY)
  assert.equal(known.size, 1000)
  assert.equal(known.get('10.0.0.7:6881')?.holepunch, true)
  const named = known.add(at(7))
  assert.equal(named?.hearsay, false, 'somebody else names it too')
  assert.ok(known.add(at(6000), false, HEARSAY), 'so there is room for one more')
  assert.equal(known.add(at(6001), false, HEARSAY), null)
  for (let i = 10_000; i < 13_000; i += 1) known.add(at(i), false, null)
  assert.equal(known.size, 2000)
  assert.equal(known.get('10.0.39.16:6881')?.hearsay, false)
  assert.equal(known.get('10.0.50.199:6881')?.hearsay, undefined, 'what nobody can tell apart does not push out itself')
  assert.equal(known.add(at(20_000), false, HEARSAY), null)
})

test('hearsay that fails three times is forgotten, also when it is heard of again in between', () => {
  const known = new KnownPeers()
  const [invented, named] = [known.add(at(1), false, HEARSAY), known.add(at(2), false, HEARSAY)]
  assert.ok(invented && named)
  known.add(at(2))
  for (let i = 0; i < 3; i += 1) {
    known.add(at(1), false, HEARSAY)
    known.failed(invented, 0)
    known.failed(named, 0)
  }
  assert.equal(known.get('10.0.0.1:6881'), undefined)
  assert.equal(known.get('10.0.0.2:6881'), named)
  assert.equal(known.size, 1)
})

test('hearsay that says it is a seed counts as one until it is forgotten', () => {
  const known = new KnownPeers()
  const peer = known.add(at(1), false, { ...HEARSAY, seed: true })
  assert.ok(peer)
  assert.equal(known.seeds, 1)
  known.keepTracked()
  assert.equal(known.seeds, 0)
  assert.equal(known.size, 0)
})

test('who may rest: hope is what was not tried, what was reached, what only the user named; until it failed ten times', () => {
  const known = new KnownPeers()
  assert.equal(known.hasHope(true), false)
  const tracked = known.add(at(1), true)
  assert.ok(tracked)
  assert.deepEqual([known.hasHope(true), known.hasHope(false)], [true, false], 'not tried')
  known.failed(tracked, 0)
  assert.equal(known.hasHope(true), false)
  known.shookHands(tracked)
  known.left(tracked, true, 0)
  assert.equal(known.hasHope(false), true, 'reached before')
  for (let i = 0; i < 9; i += 1) known.failed(tracked, 0)
  assert.equal(known.hasHope(false), true)
  known.failed(tracked, 0)
  assert.equal(known.hasHope(true), false)
  const named = known.add(at(2))
  assert.ok(named)
  for (let i = 0; i < 9; i += 1) known.failed(named, 0)
  assert.equal(known.hasHope(false), true, 'of the user')
  known.failed(named, 0)
  assert.equal(known.hasHope(true), false)
  const own = known.add(at(3), true)
  assert.ok(own)
  known.banish(own)
  assert.equal(known.hasHope(true), false)
  assert.deepEqual([[...known.addresses(true)].length, [...known.addresses(false)].length], [3, 0])
})
