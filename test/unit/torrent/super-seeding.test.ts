// Super-seeding without a swarm: which piece is announced to which peer, and when the next.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Revelation, SuperSeeding } from '../../../src/torrent/peers/super-seeding.ts'
import { SeededRandom } from '../../kit/sim/seeded-random.ts'

/** A swarm that is only what each peer has. */
function swarm(pieceCount: number) {
  const has = new Map<string, Set<number>>()
  const view = {
    pieceCount,
    copies: (piece: number) => [...has.values()].filter(pieces => pieces.has(piece)).length,
    peerHas: (key: string, piece: number) => has.get(key)?.has(piece) ?? false,
  }
  const seeding = new SuperSeeding(view, new SeededRandom(3))
  return {
    seeding,
    has,
    join(key: string, pieces: readonly number[] = [], nowMs = 0): number[] {
      has.set(key, new Set(pieces))
      return only(key, seeding.join(key, nowMs))
    },
    gets(key: string, piece: number, nowMs = 0): readonly Revelation[] {
      has.get(key)?.add(piece)
      return seeding.peerHave(key, piece, nowMs)
    },
    goes(key: string): void {
      has.delete(key)
      seeding.leave(key)
    },
  }
}

function only(key: string, revelations: readonly Revelation[]): number[] {
  for (const revelation of revelations) assert.equal(revelation.key, key)
  return revelations.map(revelation => revelation.piece)
}

test('each newcomer gets two pieces announced that no other got', () => {
  const { join, seeding } = swarm(6)
  const told = [...join('a'), ...join('b'), ...join('c')]
  assert.deepEqual([...told].sort(), [0, 1, 2, 3, 4, 5])
  assert.deepEqual(join('d'), [], 'nothing is left that nobody is getting')
  assert.equal(seeding.isTold('a', told[0] ?? -1), true)
  assert.equal(seeding.isTold('b', told[0] ?? -1), false)
  assert.equal(seeding.isTold('x', 0), false)
  assert.deepEqual(seeding.join('a', 0), [], 'nobody joins twice')
})

test('the next piece is announced when another peer has the one before', () => {
  const { join, gets, seeding } = swarm(10)
  const [first = -1, second = -1] = join('a')
  join('b')
  assert.deepEqual(gets('a', first), [], 'having it is not passing it on')
  const next = only('a', gets('b', first))
  assert.equal(next.length, 1)
  assert.ok(![first, second].includes(next[0] ?? -1))
  assert.deepEqual(gets('b', first), [], 'told again, nothing follows')
  assert.equal(seeding.isTold('a', next[0] ?? -1), true)
})

test('what a newcomer brings is not told to it, nor counted as rare', () => {
  const { join } = swarm(4)
  assert.deepEqual([...join('a', [0, 1])].sort(), [2, 3])
  assert.deepEqual(join('b'), [], '0 and 1 can be had from a')
})

test('a lone peer gets piece after piece', () => {
  const { join, gets } = swarm(5)
  const seen = new Set(join('a'))
  for (const piece of seen) for (const next of only('a', gets('a', piece))) seen.add(next)
  assert.deepEqual([...seen].sort(), [0, 1, 2, 3, 4])
})

test('a lone peer that says no `have` goes on when it wants nothing any more', () => {
  const { join, seeding } = swarm(5)
  join('a')
  assert.equal(only('a', seeding.contented('a', 0)).length, 2)
  assert.deepEqual(seeding.contented('x', 0), [])
})

test('what a peer that left was getting is announced to the next', () => {
  const { join, goes, seeding } = swarm(2)
  assert.deepEqual([...join('a')].sort(), [0, 1])
  assert.deepEqual(join('b'), [])
  goes('a')
  assert.deepEqual(only('b', seeding.tick(1000)).sort(), [0, 1])
  goes('b')
  assert.deepEqual([...join('c')].sort(), [0, 1])
})

test('a piece that is kept for a minute is not waited for', () => {
  const { join, gets, seeding } = swarm(10)
  const [first = -1] = join('a')
  join('b')
  gets('a', first, 1000)
  assert.deepEqual(seeding.tick(60_000), [])
  assert.equal(only('a', seeding.tick(61_000)).length, 1)
  assert.deepEqual(seeding.tick(62_000), [], 'those that were not fetched are waited for')
})

test('a peer with nothing to fetch for half a minute gets one piece announced, although others have it', () => {
  const { join, seeding, gets } = swarm(4)
  assert.deepEqual([...join('a', [0, 1])].sort(), [2, 3])
  gets('a', 2)
  gets('a', 3)
  assert.deepEqual(join('b'), [], 'everything is with somebody')
  assert.deepEqual(seeding.tick(29_000), [])
  assert.equal(only('b', seeding.tick(30_000)).length, 1)
  assert.deepEqual(seeding.tick(31_000), [])
})

test('a newcomer that brings what was waited for sets the others going', () => {
  const { has, seeding, join } = swarm(8)
  const [first = -1] = join('a')
  has.set('b', new Set([first]))
  const revelations = seeding.join('b', 0)
  assert.deepEqual(
    revelations.map(revelation => revelation.key),
    ['a', 'b', 'b'],
  )
  assert.equal(new Set(revelations.map(revelation => revelation.piece)).size, 3)
})

test('a torrent without pieces tells nothing', () => {
  const { join, seeding } = swarm(0)
  assert.deepEqual(join('a'), [])
  assert.deepEqual(seeding.tick(100_000), [])
})
