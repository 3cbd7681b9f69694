// The choker: slots, tit for tat, optimistic turns, seed turns, snubbing.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ChokePeer } from '../../../src/torrent/peers/choke-turns.ts'
import { Choker } from '../../../src/torrent/peers/choker.ts'
import { SeededRandom } from '../../kit/sim/seeded-random.ts'

const OLD = -1_000_000

/**
 * Reads a drawing: 'A:100' = interested, sends 100 bytes/s; a small name is not interested; `!` snubs;
 * '/50' gets 50 bytes/s; `*` has just connected.
 */
function peers(drawing: string, nowMs = 0): ChokePeer[] {
  return drawing.split(' ').map(text => {
    const match = /^([A-Za-z]+)(?::(\d+))?(?:\/(\d+))?(!?)(\*?)$/.exec(text)
    assert.ok(match, text)
    const [, name = '', down = '0', up = '0', snubbed, fresh] = match
    return {
      key: name.toUpperCase(),
      interested: name === name.toUpperCase(),
      downRate: Number(down),
      upRate: Number(up),
      snubbed: snubbed === '!',
      connectedAtMs: fresh === '*' ? nowMs : OLD,
      activeMs: 1e9,
    }
  })
}

function names(set: ReadonlySet<string>): string {
  return [...set].sort().join('')
}

test('tit for tat: the regular slots go to those who send most', () => {
  const decision = new Choker(3, new SeededRandom(1)).decide(peers('A:10 B:90 C:50 D:20'), false, 0)
  assert.ok(decision.unchoked.has('B') && decision.unchoked.has('C'))
  assert.equal(decision.unchoked.size, 3)
  assert.ok(decision.optimistic === 'A' || decision.optimistic === 'D')
})

test('peers that are not interested take no slot', () => {
  const decision = new Choker(2, new SeededRandom(1)).decide(peers('a:90 b:80 C:1 D:2'), false, 0)
  assert.equal(names(decision.unchoked), 'CD')
})

test('with room for all everybody interested is unchoked; a negative number of slots is no limit', () => {
  assert.equal(names(new Choker(8, new SeededRandom(1)).decide(peers('A B c D'), false, 0).unchoked), 'ABD')
  assert.equal(names(new Choker(-1, new SeededRandom(1)).decide(peers('A B C D E F'), false, 0).unchoked), 'ABCDEF')
  assert.equal(names(new Choker(0, new SeededRandom(1)).decide(peers('A B C D'), false, 0).unchoked), '')
})

test('the optimistic slot stays for 30 s, then another gets it', () => {
  const choker = new Choker(2, new SeededRandom(4))
  const swarm = peers('A:90 B C D')
  const first = choker.decide(swarm, false, 0).optimistic
  assert.equal(choker.decide(swarm, false, 10_000).optimistic, first)
  assert.equal(choker.decide(swarm, false, 29_000).optimistic, first)
  const second = choker.decide(swarm, false, 30_000).optimistic
  assert.notEqual(second, first)
  const seen = new Set<string | null>()
  for (let round = 2; round < 60; round++) seen.add(choker.decide(swarm, false, round * 30_000).optimistic)
  assert.deepEqual([...seen].sort(), ['B', 'C', 'D'])
})

test('an optimistic peer that earns a regular slot, leaves or loses interest makes room at once', () => {
  const choker = new Choker(2, new SeededRandom(4))
  const first = choker.decide(peers('A:90 B C D'), false, 0).optimistic ?? ''
  const risen = choker.decide(peers(`A:90 B C D`.replace(first, `${first}:200`)), false, 10_000)
  assert.ok(risen.unchoked.has(first))
  assert.notEqual(risen.optimistic, first)
  const second = risen.optimistic ?? ''
  const gone = choker.decide(
    peers('A:90 B C D').filter(peer => peer.key !== second),
    false,
    11_000,
  )
  assert.notEqual(gone.optimistic, second)
  assert.equal(gone.unchoked.size, 2)
})

test('new peers get the optimistic slot three times as often', () => {
  const choker = new Choker(2, new SeededRandom(7))
  const hits = new Map<string, number>()
  for (let round = 0; round < 4000; round++) {
    const nowMs = round * 30_000
    const key = choker.decide(peers('A:90 B C D E* F', nowMs), false, nowMs).optimistic ?? ''
    hits.set(key, (hits.get(key) ?? 0) + 1)
  }
  const others = ['B', 'C', 'D', 'F'].reduce((sum, key) => sum + (hits.get(key) ?? 0), 0) / 4
  const ratio = (hits.get('E') ?? 0) / others
  // Not exactly 3: nobody is drawn twice running.
  assert.ok(ratio > 1.7 && ratio < 3.2, `${ratio}`)
})

test('a snubbing peer loses its regular slot, however fast it was; only optimism unchokes it', () => {
  const choker = new Choker(3, new SeededRandom(1))
  const decision = choker.decide(peers('A:900! B:5 C:4 D:3'), false, 0)
  assert.ok(decision.unchoked.has('B') && decision.unchoked.has('C'))
  const alone = new Choker(4, new SeededRandom(1)).decide(peers('A! B! C:1'), false, 0)
  assert.equal(alone.unchoked.size, 2)
  assert.ok(alone.unchoked.has('C') && alone.optimistic !== 'C')
})

test('seeding: slots go by turns, so that everybody gets one', () => {
  const choker = new Choker(3, new SeededRandom(2))
  const swarm = peers('A/90 B/80 C/70 D E F')
  const seen = new Set<string>()
  let before = ''
  let changes = 0
  for (let nowMs = 0; nowMs <= 300_000; nowMs += 10_000) {
    const decision = choker.decide(swarm, true, nowMs)
    assert.equal(decision.unchoked.size, 3)
    for (const key of decision.unchoked) if (key !== decision.optimistic) seen.add(key)
    const regular = names(new Set([...decision.unchoked].filter(key => key !== decision.optimistic)))
    if (regular !== before) changes++
    before = regular
  }
  assert.equal(names(seen), 'ABCDEF')
  assert.ok(changes <= 20, `${changes} changes: turns must last`)
})

test('seeding: a turn is not cut short, and the fastest of those in their turn stay when slots get fewer', () => {
  const choker = new Choker(4, new SeededRandom(2))
  const first = choker.decide(peers('A/10 B/20 C/30'), true, 0)
  assert.equal(names(first.unchoked), 'ABC')
  choker.setSlots(3)
  const second = choker.decide(peers('A/10 B/20 C/30 D'), true, 10_000)
  assert.ok(second.unchoked.has('C') && second.unchoked.has('B'), names(second.unchoked))
})

test('in any swarm: only interested peers, never more than the slots, no slot idle while one may have it', () => {
  const peer = fc.record({
    interested: fc.boolean(),
    downRate: fc.nat(1000),
    upRate: fc.nat(1000),
    snubbed: fc.boolean(),
    connectedAtMs: fc.integer({ min: -200_000, max: 0 }),
    activeMs: fc.integer({ min: -200_000, max: 0 }),
  })
  fc.assert(
    fc.property(
      fc.array(peer, { maxLength: 20 }),
      fc.integer({ min: 1, max: 6 }),
      fc.boolean(),
      (rows, slots, seeding) => {
        const swarm = rows.map((row, i) => ({ ...row, key: `P${i}` }))
        const choker = new Choker(slots, new SeededRandom(3))
        for (let nowMs = 0; nowMs < 200_000; nowMs += 10_000) {
          const { unchoked, optimistic } = choker.decide(swarm, seeding, nowMs)
          assert.ok(unchoked.size <= slots)
          for (const key of unchoked) assert.equal(swarm.find(row => row.key === key)?.interested, true)
          if (optimistic !== null) assert.ok(unchoked.has(optimistic))
          const entitled = swarm.filter(row => row.interested && (seeding || !row.snubbed)).length
          assert.ok(unchoked.size >= Math.min(slots, entitled))
        }
      },
    ),
  )
})
