// The lookup's state machine: who is asked, how many at once, when it ends, and what lies do to it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ALPHA, type Candidate, Lookup, LOOKUP_NODES } from '../../../src/dht/lookup.ts'
import { parseIp } from '../../../src/wire/net/compact-address.ts'
import { compareDistance, ID_BYTES, idAtDepth, idForAddress } from '../../../src/wire/dht/dht-id.ts'
import type { NodeContact } from '../../../src/wire/dht/krpc-types.ts'
import { SeededRandom } from '../../kit/sim/seeded-random.ts'

const random = new SeededRandom(5)
const OWN = Uint8Array.from(random.bytes(ID_BYTES))
const TARGET = Uint8Array.from(random.bytes(ID_BYTES))
const TOKEN = Uint8Array.of(1)

let made = 0
/** A node whose id fits its address, wherever that is. */
function fitting(): NodeContact {
  made++
  const ip = `30.${made >> 8}.${made & 0xff}.1`
  const id = idForAddress(parseIp(ip) ?? new Uint8Array(4), random.bytes(ID_BYTES))
  return { id, address: { ip, port: 6881 } }
}

/** A node that claims to be very near the target. */
function near(depth: number): NodeContact {
  made++
  return {
    id: idAtDepth(TARGET, depth, random.bytes(ID_BYTES)),
    address: { ip: `60.${made >> 8}.${made & 0xff}.1`, port: 6881 },
  }
}

/** Answers as what it is called, naming `nodes`. */
function answer(lookup: Lookup, candidate: Candidate, nodes: readonly NodeContact[] = []): void {
  lookup.answered(candidate, candidate.contact.id, TOKEN, nodes)
}

function take(lookup: Lookup): Candidate {
  const candidate = lookup.next()
  assert.ok(candidate !== null)
  return candidate
}

test('three at once, the nearest first, until the nearest eight have answered', () => {
  const lookup = new Lookup(TARGET, OWN)
  const nodes = Array.from({ length: 30 }, fitting).toSorted((a, b) => compareDistance(TARGET, a.id, b.id))
  for (const node of nodes) lookup.add(node, null)
  const asked: Candidate[] = []
  for (let next = lookup.next(); next !== null; next = lookup.next()) asked.push(next)
  assert.deepEqual(
    asked.map(candidate => candidate.contact),
    nodes.slice(0, ALPHA),
  )
  assert.equal(lookup.done, false)
  while (!lookup.done) {
    const first = asked.shift() ?? take(lookup)
    answer(lookup, first)
  }
  assert.equal(lookup.queries, LOOKUP_NODES)
  assert.deepEqual(
    lookup.writable().map(candidate => candidate.contact),
    nodes.slice(0, LOOKUP_NODES),
  )
})

test('who keeps us waiting frees a turn, and its answer still counts', () => {
  const lookup = new Lookup(TARGET, OWN)
  for (let i = 0; i < 20; i++) lookup.add(fitting(), null)
  const slow = [take(lookup), take(lookup), take(lookup)]
  assert.equal(lookup.next(), null)
  for (const candidate of slow) lookup.slow(candidate)
  const others = [take(lookup), take(lookup), take(lookup)]
  assert.equal(lookup.next(), null)
  for (const candidate of others) lookup.failed(candidate)
  for (const candidate of slow) answer(lookup, candidate)
  assert.deepEqual(
    new Set(lookup.answeredNodes().map(candidate => candidate.contact)),
    new Set(slow.map(candidate => candidate.contact)),
  )
})

test('an empty lookup is done, and one whose nodes are all silent ends', () => {
  assert.equal(new Lookup(TARGET, OWN).done, true)
  const lookup = new Lookup(TARGET, OWN)
  for (let i = 0; i < 5; i++) lookup.add(fitting(), null)
  for (let i = 0; i < 5; i++) lookup.failed(take(lookup))
  assert.equal(lookup.done, true)
  assert.deepEqual(lookup.writable(), [])
})

test('ids that do not fit their address neither end the lookup nor keep the others from being asked', () => {
  const lookup = new Lookup(TARGET, OWN)
  for (let i = 0; i < 12; i++) lookup.add(fitting(), null)
  const liar = take(lookup)
  // Every liar names eight more, each nearer than everything that is true.
  answer(
    lookup,
    liar,
    Array.from({ length: 8 }, () => near(100)),
  )
  let depth = 101
  while (!lookup.done) {
    const candidate = take(lookup)
    const more = candidate.fits ? [] : Array.from({ length: 8 }, () => near(Math.min(150, depth++)))
    answer(lookup, candidate, more)
  }
  const fittingAnswers = lookup.answeredNodes().filter(candidate => candidate.fits)
  assert.ok(fittingAnswers.length >= LOOKUP_NODES, `${fittingAnswers.length} true nodes answered`)
  assert.ok(lookup.queries < 100, `${lookup.queries} queries`)
  const writable = lookup.writable()
  assert.equal(writable.filter(candidate => candidate.fits).length, LOOKUP_NODES)
  assert.ok(writable.length <= 2 * LOOKUP_NODES)
})

test('who names only silent nodes is not believed any more', () => {
  const lookup = new Lookup(TARGET, OWN)
  lookup.add(fitting(), null)
  const liar = take(lookup)
  const dead = Array.from({ length: 16 }, fitting)
  answer(lookup, liar, dead)
  let silent = 0
  for (let next = lookup.next(); next !== null; next = lookup.next()) {
    lookup.failed(next)
    silent++
  }
  assert.equal(lookup.done, true)
  assert.equal(silent, 3)
})

test('a node that answers under another id than it was named by stands where it belongs', () => {
  const lookup = new Lookup(TARGET, OWN)
  lookup.add(fitting(), null)
  const teller = take(lookup)
  const honest = fitting()
  answer(lookup, teller, [{ id: near(120).id, address: honest.address }])
  const candidate = take(lookup)
  assert.equal(candidate.fits, false)
  lookup.answered(candidate, honest.id, TOKEN, [])
  assert.equal(candidate.fits, true)
  assert.deepEqual(candidate.contact, honest)
  assert.equal(teller.namedSilent, 1)
  assert.ok(lookup.writable().includes(candidate))
})

test('a false id at a true address hides nobody, and nobody answers twice', () => {
  const lookup = new Lookup(TARGET, OWN)
  for (let i = 0; i < 2; i++) lookup.add(fitting(), null)
  const [liar, teller] = [take(lookup), take(lookup)]
  const honest = fitting()
  answer(lookup, liar, [{ id: near(120).id, address: honest.address }])
  answer(lookup, teller, [honest])
  while (!lookup.done) lookup.answered(take(lookup), honest.id, TOKEN, [])
  const found = lookup.answeredNodes().filter(candidate => candidate.contact.address === honest.address)
  assert.deepEqual(
    found.map(candidate => candidate.contact),
    [honest],
  )
})

test('strangers cannot send us to local addresses, system ports or ourselves, nor fill a lookup from one network', () => {
  const lookup = new Lookup(TARGET, OWN)
  lookup.add(fitting(), null)
  const teller = take(lookup)
  const id = near(50).id
  answer(lookup, teller, [
    { id, address: { ip: '192.168.1.1', port: 6881 } },
    { id, address: { ip: '127.0.0.1', port: 6881 } },
    { id, address: { ip: '70.1.1.1', port: 53 } },
    { id: OWN, address: { ip: '70.1.1.2', port: 6881 } },
  ])
  assert.equal(lookup.done, true)
  const crowded = new Lookup(TARGET, OWN)
  for (let host = 1; host < 100; host++)
    crowded.add({ id: near(60).id, address: { ip: `71.1.1.${host}`, port: 6881 } }, null)
  let asked = 0
  for (let next = crowded.next(); next !== null; next = crowded.next()) {
    crowded.failed(next)
    asked++
  }
  assert.equal(asked, 2)
})

test('a lookup that is fed without end ends all the same', () => {
  const lookup = new Lookup(TARGET, OWN)
  lookup.add(fitting(), null)
  while (!lookup.done) answer(lookup, take(lookup), Array.from({ length: 16 }, fitting))
  assert.ok(lookup.queries <= 200, `${lookup.queries} queries`)
})
