// The ring of batches: bytes come back as they were put in, entries never overlap, room comes back with the oldest, and
// nobody gets at an entry by an old ticket.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BatchRing, RingEnd, type RingTicket } from '../../../src/pools/contract/batch-ring.ts'

/** Bytes of a header, which each entry has beside its room. */
const HEADER = 16

function rig(bytes: number): { readonly ring: BatchRing; readonly thread: RingEnd } {
  const ring = new BatchRing(bytes)
  return { ring, thread: new RingEnd(ring.buffer) }
}

const filled = (length: number, value: number): Uint8Array => new Uint8Array(length).fill(value)

/** The next number of a generator with a seed (Numerical Recipes' constants), below `limit`. */
function numbers(seed: number): (limit: number) => number {
  let state = seed
  return limit => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
}

test('a batch and its results come back as they were, in memory of their own', () => {
  const { ring, thread } = rig(1024)
  const batch = Uint8Array.of(1, 2, 3)
  const ticket = ring.put(batch, 8)
  assert.ok(ticket !== null)
  const taken = thread.take(ticket)
  assert.deepEqual(taken, batch)
  assert.ok(thread.give(ticket, Uint8Array.of(9, 8, 7, 6)))
  const answer = ring.answer(ticket)
  ring.free(ticket)
  ring.put(filled(100, 0xff), 0)
  assert.deepEqual([...taken], [1, 2, 3])
  assert.deepEqual([...answer], [9, 8, 7, 6])
  assert.ok(!(answer.buffer instanceof SharedArrayBuffer) && !(taken.buffer instanceof SharedArrayBuffer))
})

test('results that are longer than their room are refused, and change nothing', () => {
  const { ring, thread } = rig(1024)
  const first = ring.put(filled(8, 1), 8) ?? assert.fail()
  const second = ring.put(filled(8, 2), 8) ?? assert.fail()
  thread.take(first)
  assert.equal(thread.give(first, filled(9, 7)), false)
  assert.deepEqual(thread.take(second), filled(8, 2))
})

test('a full ring takes nothing, and room comes back with the oldest entry', () => {
  const { ring, thread } = rig(4 * (HEADER + 48))
  const tickets = Array.from({ length: 4 }, (_, i) => ring.put(filled(48, i), 0) ?? assert.fail())
  assert.equal(ring.put(filled(1, 9), 0), null)
  ring.free(tickets[1] ?? -1)
  assert.equal(ring.put(filled(1, 9), 0), null, 'the oldest is not free')
  ring.free(tickets[0] ?? -1)
  assert.equal(ring.entries, 2)
  const next = ring.put(filled(48, 5), 0) ?? assert.fail()
  assert.deepEqual(thread.take(next), filled(48, 5))
  assert.deepEqual(thread.take(tickets[2] ?? -1), filled(48, 2))
  assert.deepEqual(thread.take(tickets[3] ?? -1), filled(48, 3))
})

test('what is longer than the ring finds no room, also in an empty one', () => {
  const { ring } = rig(256)
  assert.equal(ring.put(filled(256 - HEADER + 1, 1), 0), null)
  assert.equal(ring.put(filled(1, 1), 256), null)
  assert.notEqual(ring.put(filled(256 - HEADER, 1), 0), null)
})

test('an entry is taken once, answered once it is taken, and by no ticket of another', () => {
  const { ring, thread } = rig(256)
  const ticket = ring.put(filled(8, 1), 8) ?? assert.fail()
  assert.throws(() => ring.answer(ticket), RangeError)
  assert.throws(() => thread.give(ticket, filled(1, 1)), RangeError)
  thread.take(ticket)
  assert.throws(() => thread.take(ticket), RangeError)
  assert.throws(() => ring.answer(ticket), RangeError)
  ring.free(ticket)
  const later = ring.put(filled(8, 2), 8) ?? assert.fail()
  assert.notEqual(later, ticket)
  // A thread that was thought dead: it gets at nothing that came after it.
  assert.throws(() => thread.take(ticket), RangeError)
  assert.throws(() => thread.give(ticket, filled(8, 9)), RangeError)
  ring.free(ticket)
  assert.deepEqual(thread.take(later), filled(8, 2))
})

test('entries in any state are freed, and the ring is whole again', () => {
  const { ring, thread } = rig(3 * (HEADER + 80))
  const [written, taken, answered] = Array.from({ length: 3 }, (_, i) => ring.put(filled(80, i), 0) ?? assert.fail())
  thread.take(taken ?? -1)
  thread.take(answered ?? -1)
  thread.give(answered ?? -1, filled(1, 1))
  for (const ticket of [answered, written, taken]) ring.free(ticket ?? -1)
  assert.equal(ring.entries, 0)
  assert.notEqual(ring.put(filled(3 * (HEADER + 80) - HEADER, 1), 0), null)
})

/** One entry of the model: what was put in, and how far it has come. */
interface Known {
  readonly ticket: RingTicket
  readonly bytes: Uint8Array
  readonly room: number
  taken: boolean
}

test('thousands of batches of all lengths, answered and freed in any order, are never mixed up', () => {
  for (let seed = 1; seed <= 20; seed++) {
    const next = numbers(seed)
    const { ring, thread } = rig(8 * (64 + next(200)))
    const live: Known[] = []
    for (let step = 0; step < 2000; step++) {
      if (next(2) === 0) {
        const [bytes, room] = [filled(next(150), step & 0xff), next(150)]
        const ticket = ring.put(bytes, room)
        if (ticket !== null) live.push({ ticket, bytes, room: Math.max(bytes.length, room), taken: false })
      }
      const at = next(Math.max(1, live.length))
      const one = live[at]
      if (one === undefined) continue
      if (!one.taken) {
        assert.deepEqual(thread.take(one.ticket), one.bytes)
        one.taken = true
      } else {
        const answer = filled(next(one.room + 1), (step * 7) & 0xff)
        if (next(8) > 0) {
          assert.ok(thread.give(one.ticket, answer))
          assert.deepEqual(ring.answer(one.ticket), answer)
        }
        ring.free(one.ticket)
        live.splice(at, 1)
      }
    }
    for (const { ticket } of live) ring.free(ticket)
    assert.equal(ring.entries, 0)
  }
})
