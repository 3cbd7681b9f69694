// The routing table: splitting, closeness, one node an address, ids that fit preferred, replacements, questionable
// nodes.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_REPLACEMENTS } from '../../../src/dht/bucket.ts'
import { QUESTIONABLE_MS, RoutingTable } from '../../../src/dht/routing-table.ts'
import { parseIp } from '../../../src/wire/net/compact-address.ts'
import { compareDistance, ID_BYTES, idAtDepth, idForAddress, sharedBits } from '../../../src/wire/dht/dht-id.ts'
import type { NodeContact } from '../../../src/wire/dht/krpc-types.ts'
import { SeededRandom } from '../../kit/sim/seeded-random.ts'

const random = new SeededRandom(11)
const OWN = Uint8Array.from(random.bytes(ID_BYTES))

/** A contact at a depth whose id does not fit its (public) address, each in a /24 of its own. */
let made = 0
function contactAt(depth: number, ip?: string): NodeContact {
  made++
  const address = { ip: ip ?? `30.${made >> 8}.${made & 0xff}.1`, port: 6881 }
  return { id: idAtDepth(OWN, depth, random.bytes(ID_BYTES)), address }
}

/** A contact at a depth whose id fits: addresses are tried until one does. */
function fittingAt(depth: number): NodeContact {
  for (;;) {
    made++
    const ip = `40.${random.below(256)}.${random.below(256)}.1`
    const id = idForAddress(parseIp(ip) ?? new Uint8Array(4), random.bytes(ID_BYTES))
    if (sharedBits(OWN, id) === depth) return { id, address: { ip, port: 6881 } }
  }
}

test('a full last bucket splits; far buckets are wide, near ones have eight places', () => {
  const table = new RoutingTable(OWN, 0)
  for (let i = 0; i < 200; i++) for (const depth of [0, 1, 2, 3, 4]) table.replied(contactAt(depth), 50, 0)
  const counts = table.counts(0)
  assert.deepEqual(
    counts.slice(0, 4).map(bucket => bucket.nodes),
    [64, 32, 16, 8],
  )
  for (const bucket of counts) assert.ok(bucket.replacements <= MAX_REPLACEMENTS)
  assert.equal(
    table.size,
    counts.reduce((sum, bucket) => sum + bucket.nodes, 0),
  )
})

test('closest gives the nearest of all, nearest first', () => {
  const table = new RoutingTable(OWN, 0)
  for (let i = 0; i < 40; i++) for (const depth of [0, 1, 2, 5, 9]) table.replied(contactAt(depth), 50, 0)
  for (let round = 0; round < 50; round++) {
    const target = round % 2 === 0 ? random.bytes(ID_BYTES) : idAtDepth(OWN, round % 12, random.bytes(ID_BYTES))
    const all = table.nodes().toSorted((a, b) => compareDistance(target, a.id, b.id))
    assert.deepEqual(
      table.closest(target, 8).map(node => node.key),
      all.slice(0, 8).map(node => node.key),
    )
  }
})

test('one node an IP address, one a /24 in a bucket, unless addresses are local', () => {
  const table = new RoutingTable(OWN, 0)
  table.replied(contactAt(0, '50.1.1.1'), 50, 0)
  const twin = { ...contactAt(1, '50.1.1.1'), address: { ip: '50.1.1.1', port: 7000 } }
  assert.equal(table.wants(twin), false)
  table.replied(twin, 50, 0)
  table.replied(contactAt(0, '50.1.1.9'), 50, 0)
  assert.equal(table.size, 1)
  for (let port = 7000; port < 7005; port++)
    table.replied({ ...contactAt(0), address: { ip: '127.0.0.1', port } }, 50, 0)
  assert.equal(table.size, 6)
})

test('an id that fits its address takes the place of one that does not, and never the other way round', () => {
  const table = new RoutingTable(OWN, 0)
  for (let i = 0; i < 100; i++) for (const depth of [0, 1]) table.replied(contactAt(depth), 50, 0)
  const fitting = fittingAt(0)
  table.replied(fitting, 50, 0)
  const node = table.closest(fitting.id, 1)[0]
  assert.ok(node?.fits === true)
  for (let i = 0; i < 100; i++) table.replied(contactAt(0), 50, 0)
  assert.equal(table.closest(fitting.id, 1)[0]?.key, node.key)
})

test('a silent node is replaced after two silences, or goes after six', () => {
  const table = new RoutingTable(OWN, 0)
  const lone = contactAt(0)
  table.replied(lone, 50, 0)
  for (let silence = 1; silence < 6; silence++) table.failed(lone.address)
  assert.equal(table.size, 1)
  assert.equal(table.closest(OWN, 8).length, 0, 'a silent node is not handed out')
  table.failed(lone.address)
  assert.equal(table.size, 0)
  for (let i = 0; i < 90; i++) for (const depth of [0, 1]) table.replied(contactAt(depth), 50, 0)
  const before = table.counts(0)[0]
  const victim = table.nodes()[0]
  assert.ok(victim !== undefined && before !== undefined && before.replacements > 0)
  table.failed(victim.address)
  table.failed(victim.address)
  const after = table.counts(0)[0]
  assert.equal(after?.nodes, before.nodes)
  assert.equal(after?.replacements, before.replacements - 1)
  assert.ok(!table.nodes().includes(victim))
})

test('a node that changes its id is known by the new one only', () => {
  const table = new RoutingTable(OWN, 0)
  const first = contactAt(3)
  const second = { id: contactAt(0).id, address: first.address }
  table.replied(first, 50, 0)
  table.replied(second, 50, 10)
  assert.equal(table.size, 1)
  assert.deepEqual(table.nodes()[0]?.id, second.id)
  table.replied({ id: OWN, address: contactAt(0).address }, 50, 10)
  assert.equal(table.size, 1, 'our own id has no place')
})

test('good, questionable and stale follow the times of BEP 5', () => {
  const table = new RoutingTable(OWN, 0)
  const early = contactAt(0)
  const late = contactAt(0)
  table.replied(early, 50, 0)
  table.replied(late, 50, 1000)
  assert.equal(table.questionable(QUESTIONABLE_MS - 1), null)
  assert.equal(table.questionable(QUESTIONABLE_MS)?.address, early.address)
  assert.equal(table.queried(early, QUESTIONABLE_MS), true)
  assert.equal(table.questionable(QUESTIONABLE_MS), null, 'a query from it is as good as a reply')
  assert.equal(table.questionable(QUESTIONABLE_MS + 1000)?.address, late.address)
  table.asked(late.address, QUESTIONABLE_MS + 1000)
  assert.equal(table.questionable(QUESTIONABLE_MS + 1001), null, 'it was asked just now')
  assert.equal(table.queried({ ...late, id: early.id }, 0), false)
  assert.equal(table.takeStaleDepth(QUESTIONABLE_MS), null)
  assert.equal(table.takeStaleDepth(QUESTIONABLE_MS + 1000), 0)
  assert.equal(table.takeStaleDepth(QUESTIONABLE_MS + 1000), null, 'it counts as refreshed')
})

test('a new id of ours keeps the nodes', () => {
  const table = new RoutingTable(OWN, 0)
  for (let i = 0; i < 30; i++) table.replied(contactAt(i % 3), 50, 0)
  const keys = new Set(table.nodes().map(node => node.key))
  const id = Uint8Array.from(random.bytes(ID_BYTES))
  table.rebase(id, 5)
  assert.equal(table.ownId, id)
  assert.deepEqual(new Set(table.nodes().map(node => node.key)), keys)
})
