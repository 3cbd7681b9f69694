// Answers about our book: only what differs is sent, and each peer, and all together, have so many.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { BookRequestServer } from '../../../../../src/chapters/market/mesh/book-request-server.ts'
import { ANSWERED_OF_PEER, ANSWERED_OF_ALL } from '../../../../../src/chapters/market/mesh/book-request-server.ts'
import { OrderBook } from '../../../../../src/chapters/market/core/order-book.ts'
import type { Overlay, SignedSender } from '../../../../../src/chapters/overlay/core/index.ts'
import {
  askDigests,
  askList,
  askStatements,
  digests,
  list,
  statements,
} from '../../../../../src/chapters/market/wire/market-messages.ts'
import { TestTrader } from '../../kit/market-orders.ts'
import { VirtualClock } from '../../../../kit/sim/virtual-clock.ts'

type Values = Record<string, unknown>

class Rig {
  readonly clock = new VirtualClock(1_000_000)
  readonly book = new OrderBook(this.clock)
  readonly sent: { name: string; values: Values }[] = []
  readonly blamed = new Set<string>()
  readonly answering: BookRequestServer
  readonly #handlers = new Map<string, (values: Values, from: SignedSender) => void>()

  constructor() {
    const overlay = {
      onSigned: (message: { name: string }, run: (values: Values, from: SignedSender) => void) =>
        this.#handlers.set(message.name, run),
      send: ({ name }: { name: string }, values: Values) => this.sent.push({ name, values }),
      countDropped: () => undefined,
    } as unknown as Overlay
    const { clock, book } = this
    this.answering = new BookRequestServer({ overlay, clock, book, isBlamed: member => this.blamed.has(member) })
  }

  /** A peer (null: a stranger) asks. */
  ask(message: { name: string }, values: Values, member: string | null = 'peer'): void {
    const address = { ip: '20.0.0.1', port: 1 }
    const peer = member === null ? null : { member, address }
    this.#handlers.get(message.name)?.(values, { address, peer } as unknown as SignedSender)
  }
}

describe('answers about our book', () => {
  it('tell what differs, and nothing where books are equal', () => {
    const rig = new Rig()
    const orders = Array.from({ length: 40 }, (_, at) => new TestTrader(`${at}`).order())
    for (const order of orders) rig.book.put(order)
    const root = { prefix: '', ...rig.book.digest('') }
    rig.ask(askDigests, { identifier: 1, nodes: [root] })
    assert.deepEqual(rig.sent.pop(), { name: digests.name, values: { identifier: 1, nodes: [] } })
    rig.ask(askDigests, {
      identifier: 2,
      nodes: [
        { ...root, count: 41 },
        { ...root, prefix: '0123' },
      ],
    })
    const nodes = rig.sent.pop()?.values['nodes'] as { branches: unknown[] }[] | undefined
    assert.deepEqual(nodes?.[0]?.branches[10], rig.book.digest('a'))
    rig.ask(askList, { identifier: 3, prefix: '' })
    assert.deepEqual(rig.sent.pop(), {
      name: list.name,
      values: { identifier: 3, more: true, hashes: rig.book.hashes('', 32) },
    })
    const hashes = [...rig.book.hashes('', 6), rig.book.hashes('', 1)[0], 'ab'.repeat(32)]
    rig.ask(askStatements, { identifier: 4, hashes })
    assert.deepEqual(
      rig.sent.map(({ name, values }) => [name, values['part'], (values['statements'] as unknown[]).length]),
      [
        [statements.name, 0, 5],
        [statements.name, 1, 1],
      ],
    )
  })

  it('are so many for a peer, and for all; strangers and liars have none', async () => {
    const rig = new Rig()
    const ask = (member: string | null): void => rig.ask(askList, { identifier: 1, prefix: '' }, member)
    ask(null)
    rig.blamed.add('liar')
    ask('liar')
    assert.equal(rig.sent.length, 0)
    for (let at = 0; at < 300; at++) ask('peer')
    assert.equal(rig.sent.length, ANSWERED_OF_PEER.burst)
    for (let at = 0; at < 3_000; at++) ask(`peer ${at}`)
    assert.equal(rig.sent.length, ANSWERED_OF_ALL.burst)
    await rig.clock.advance(ANSWERED_OF_PEER.refillMs)
    ask('peer')
    assert.equal(rig.sent.length, ANSWERED_OF_ALL.burst + 1)
    assert.equal(rig.answering.counts.answered, ANSWERED_OF_ALL.burst + 1)
  })
})
