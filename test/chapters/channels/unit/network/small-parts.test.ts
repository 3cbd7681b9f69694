// Parts of the overlay of channels on their own: answers in parts, questions and windows, budgets, who holds what.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AnswerBudget } from '../../../../../src/chapters/channels/network/answer-budget.ts'
import { SEARCHES_OF_PEER, ANSWERING_OF_PEER } from '../../../../../src/chapters/channels/network/answer-budget.ts'
import { addressItem, questionOfSearch, readTagged } from '../../../../../src/chapters/channels/network/questions.ts'
import { KeyedRateLimiter } from '../../../../../src/base/keyed-rate-limiter.ts'
import { LruMap } from '../../../../../src/base/lru-map.ts'
import { chunksOf, inParallel } from '../../../../../src/base/bounded-parallel.ts'
import {
  ComingAnswer,
  emptyAnswer,
  MAX_PARTS,
  partsOf,
} from '../../../../../src/chapters/channels/wire/answer-parts.ts'
import { ANSWER_STATE, askTree, have } from '../../../../../src/chapters/channels/wire/channel-messages.ts'
import { decodePayload, encodePayload } from '../../../../../src/chapters/overlay/wire/message.ts'
import { VirtualClock } from '../../../../kit/sim/virtual-clock.ts'

const filled = (length: number, value: number): Uint8Array => new Uint8Array(length).fill(value)

describe('answers in parts', () => {
  it('lose with a lost part only the items in it', () => {
    const items = Array.from({ length: 20 }, (_, index) => filled(400, index))
    const parts = partsOf(1, items)
    assert.equal(parts.length, 10)
    const coming = new ComingAnswer(20)
    for (const [at, part] of parts.entries()) if (at !== 3) assert.ok(coming.add(part))
    assert.equal(coming.complete, false)
    assert.deepEqual(
      items.map((_, at) => coming.items.has(at)),
      items.map((_, at) => at !== 6 && at !== 7),
    )
  })

  it('carry items longer than a part, in any order', () => {
    const parts = partsOf(1, [filled(8192, 5), null, filled(3, 6)])
    const coming = new ComingAnswer(3)
    for (const part of [...parts].reverse()) coming.add(part)
    assert.ok(coming.complete)
    assert.deepEqual([...coming.items.keys()].sort(), [0, 2])
    assert.deepEqual(coming.items.get(0), filled(8192, 5))
  })

  it('leave out what does not fit, and refuse parts that fit nothing', () => {
    const parts = partsOf(
      1,
      Array.from({ length: 40 }, () => filled(8000, 1)),
    )
    assert.ok(parts.length <= MAX_PARTS)
    const coming = new ComingAnswer(2)
    const piece = { item: 2, offset: 0, length: 5, data: filled(5, 1) }
    const part = { ...emptyAnswer(1, ANSWER_STATE.items), parts: 2 }
    assert.equal(coming.add({ ...part, pieces: [piece] }), false, 'an item that was not asked for')
    assert.equal(coming.add({ ...part, pieces: [{ ...piece, item: 0, offset: 1 }] }), false, 'beyond its end')
    assert.equal(coming.add({ ...part, pieces: [{ ...piece, item: 0, length: 60_000 }] }), false, 'too long')
    assert.equal(coming.add({ ...part, part: 2 }), false, 'a part behind the last')
    assert.equal(coming.add({ ...part, pieces: [{ ...piece, item: 0, length: 9 }] }), true)
    assert.equal(coming.add({ ...part, part: 1, parts: 3 }), false, 'another count of parts')
    assert.equal(coming.add(part), false, 'a part twice')
  })
})

describe('messages of channels', () => {
  it('carry prefixes of odd lengths, and refuse digits too many', () => {
    const values = {
      identifier: 1,
      channel: filled(20, 1),
      sequence: 5,
      prefixes: ['', 'a', 'a0', 'abc', 'f'.repeat(64)],
    }
    assert.deepEqual(decodePayload(askTree, encodePayload(askTree, values)).prefixes, values.prefixes)
    const bytes = encodePayload(askTree, { ...values, prefixes: ['a'] })
    bytes[bytes.length - 1] = 0xab
    assert.throws(() => decodePayload(askTree, bytes), /digits/)
    assert.throws(() => encodePayload(askTree, { ...values, prefixes: ['A'] }), RangeError)
  })

  it('fit into datagrams, and refuse numbers that are not safe', () => {
    const entry = { channel: filled(20, 1), sequence: 2 ** 52, held: 1, wants: true }
    const bytes = encodePayload(have, { entries: Array.from({ length: 29 }, () => entry) })
    assert.ok(bytes.length + 22 + 1 + 2 + 74 + 64 < 1300)
    bytes[21] = 0xff
    assert.throws(() => decodePayload(have, bytes), /too big/)
  })

  it('read tagged items of which some are malformed', () => {
    const address = addressItem({ ip: '1.2.3.4', port: 7759 })
    assert.ok(address !== null)
    const read = readTagged([Uint8Array.of(1, 2, 3), Uint8Array.of(2, 9), address, Uint8Array.of(77)])
    assert.equal(read.bad, true)
    assert.deepEqual(read.records, [Uint8Array.of(9)])
    assert.deepEqual(read.addresses, [{ ip: '1.2.3.4', port: 7759 }])
    assert.equal(addressItem({ ip: '::1', port: 1 }), null)
  })

  it('cut the text of a search where a letter ends', () => {
    let sent: Uint8Array = new Uint8Array(0)
    const overlay = { pack: (_: unknown, values: { text: Uint8Array }) => (sent = values.text) }
    questionOfSearch(overlay as never, 'ü'.repeat(200)).pack(1)
    assert.ok(sent.length <= 256)
    assert.equal(Buffer.from(sent).toString('utf8'), 'ü'.repeat(128))
  })
})

describe('budgets of the overlay of channels', () => {
  it('bound what is being answered, searches, and bytes, each peer for itself', () => {
    const clock = new VirtualClock()
    const budget = new AnswerBudget(clock)
    const ends = Array.from({ length: ANSWERING_OF_PEER }, () => budget.begin('a', false))
    assert.ok(ends.every(end => end !== null))
    assert.equal(budget.begin('a', false), null)
    assert.notEqual(budget.begin('b', false), null)
    ends[0]?.()
    ends[0]?.()
    assert.notEqual(budget.begin('a', false), null)
    assert.equal(budget.begin('a', false), null, 'an end counts once')
    for (const end of ends) end?.()
    for (let at = 0; at < SEARCHES_OF_PEER.burst; at++) budget.begin('c', true)?.()
    assert.equal(budget.begin('c', true), null)
    assert.notEqual(budget.begin('c', false), null)
    budget.spend('d', 3 * 2 ** 20)
    assert.equal(budget.begin('d', false), null)
    assert.notEqual(budget.begin('e', false), null)
    assert.equal(budget.refused, 4)
  })

  it('remember those that are there', () => {
    const recent = new LruMap<string, number>(2)
    recent.set('a', 1)
    recent.set('b', 2)
    recent.get('a')
    recent.set('c', 3)
    assert.deepEqual([recent.get('a'), recent.get('b'), recent.get('c')], [1, undefined, 3])
    const limits = new KeyedRateLimiter({ burst: 1, refillMs: 100 }, 10)
    assert.deepEqual(
      [limits.take('x', 0), limits.take('x', 0), limits.take('y', 0), limits.take('x', 100)],
      [true, false, true, true],
    )
  })
})

describe('work in turns', () => {
  it('runs so many at a time, and stops at the first failure', async () => {
    assert.deepEqual(chunksOf([1, 2, 3], 2), [[1, 2], [3]])
    let running = 0
    let most = 0
    await inParallel([1, 2, 3, 4, 5], 2, async () => {
      most = Math.max(most, ++running)
      await new Promise(resolve => setImmediate(resolve))
      running--
    })
    assert.equal(most, 2)
    const begun: number[] = []
    const failing = inParallel([1, 2, 3], 1, item => {
      begun.push(item)
      return item === 2 ? Promise.reject(new Error('two')) : Promise.resolve()
    })
    await assert.rejects(failing, /two/)
    assert.deepEqual(begun, [1, 2])
  })
})
