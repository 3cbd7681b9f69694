// The small parts of the overlay of the market: bounded memory, allowances of many, where traders are, comparing books
// with a peer that answers as it likes.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { BookComparison, type BookComparisonDeps } from '../../../../../src/chapters/market/mesh/book-comparison.ts'
import {
  RUN_QUESTIONS,
  RUN_QUESTIONS_EACH,
  RUN_GIVEN,
} from '../../../../../src/chapters/market/mesh/book-comparison.ts'
import { PeerLookup } from '../../../../../src/chapters/market/mesh/peer-lookup.ts'
import { KeyedRateLimiter } from '../../../../../src/base/keyed-rate-limiter.ts'
import { TtlMap } from '../../../../../src/base/ttl-map.ts'
import { OrderBook } from '../../../../../src/chapters/market/core/order-book.ts'
import type { Overlay, OverlayDht, Peer, SignedSender } from '../../../../../src/chapters/overlay/core/index.ts'
import type { OrderStatement } from '../../../../../src/chapters/market/wire/types.ts'
import { fakeIdentity } from '../../../overlay/kit/fake-keys.ts'
import { TestTrader } from '../../kit/market-orders.ts'
import { VirtualClock } from '../../../../kit/sim/virtual-clock.ts'

describe('memory that is bounded', () => {
  it('forgets what is oldest, and what is too old', () => {
    const recent = new TtlMap<number>(2, 100)
    recent.set('a', 1, 0)
    recent.set('b', 2, 10)
    assert.equal(recent.hasRoom(10), false)
    recent.set('c', 3, 20)
    assert.deepEqual([recent.get('a', 20), recent.get('b', 20), recent.get('c', 20)], [undefined, 2, 3])
    assert.equal(recent.get('b', 110), undefined)
    assert.equal(recent.hasRoom(110), true)
    recent.delete('c')
    assert.equal(recent.size, 0)
  })

  it('counts for each of many what it may', () => {
    const allowances = new KeyedRateLimiter({ burst: 2, refillMs: 10 }, 2)
    assert.deepEqual(
      [1, 2, 3].map(() => allowances.take('a', 0)),
      [true, true, false],
    )
    assert.equal(allowances.has('a', 0), false)
    assert.equal(allowances.has('a', 10), true)
    assert.equal(allowances.take('b', 10), true)
    allowances.take('c', 10)
    assert.equal(allowances.has('a', 10), true, 'it was forgotten, or had one more')
  })
})

describe('traders', () => {
  const peer = fakeIdentity('peer')
  const far = fakeIdentity('far')
  const address = (ip: string) => ({ ip, port: 1 })

  function rig(found: Awaited<ReturnType<OverlayDht['connect']>>) {
    const clock = new VirtualClock()
    const sought: string[] = []
    const overlay = { peers: () => [{ member: peer.member, address: address('20.0.0.1') }] } as unknown as Overlay
    const dht = {
      connect: (mid: Uint8Array) => {
        sought.push(Buffer.from(mid).toString('hex'))
        return Promise.resolve(found)
      },
    } as unknown as OverlayDht
    return { clock, sought, peerLookup: new PeerLookup({ overlay, dht, clock }) }
  }

  it('are peers, or were heard lately, or are found once', async () => {
    const { clock, sought, peerLookup } = rig({ publicKey: far.publicKey, address: address('20.0.0.2') })
    assert.deepEqual(await peerLookup.find(peer.member), address('20.0.0.1'))
    peerLookup.heard('heard', { address: address('20.0.0.3') } as SignedSender)
    assert.deepEqual(await peerLookup.find('heard'), address('20.0.0.3'))
    assert.deepEqual(await Promise.all([peerLookup.find(far.member), peerLookup.find(far.member)]), [
      address('20.0.0.2'),
      address('20.0.0.2'),
    ])
    assert.deepEqual(sought, [far.member])
    assert.deepEqual(await peerLookup.find(far.member), address('20.0.0.2'), 'it is remembered')
    assert.equal(sought.length, 1)
    await clock.advance(120_000)
    await peerLookup.find(far.member)
    assert.equal(sought.length, 2, 'not for ever')
  })

  it('are nowhere when the DHT names somebody else', async () => {
    const { peerLookup } = rig({ publicKey: peer.publicKey, address: address('20.0.0.2') })
    assert.equal(await peerLookup.find(far.member), null)
  })
})

describe('comparing books', () => {
  /** A peer whose book is `theirs`, or which answers as `lies` do. */
  function compare(ours: OrderBook, theirs: OrderBook, lies: Partial<BookComparisonDeps['requests']> = {}) {
    const asked = { questions: 0 }
    const given: Uint8Array[] = []
    const count = <T>(value: T): Promise<T> => {
      asked.questions++
      return Promise.resolve(value)
    }
    const DIGITS = [...'0123456789abcdef']
    const requests = {
      digests: (_: Peer, nodes: readonly { prefix: string; digest: string }[]) =>
        count(
          nodes
            .filter(({ prefix, digest }) => theirs.digest(prefix).digest !== digest)
            .map(({ prefix }) => ({ prefix, branches: DIGITS.map(digit => theirs.digest(prefix + digit)) })),
        ),
      list: (_: Peer, prefix: string) => {
        const hashes = theirs.hashes(prefix, 33)
        return count({ more: hashes.length > 32, hashes: hashes.slice(0, 32) })
      },
      statements: (_: Peer, hashes: readonly string[]) =>
        count(hashes.flatMap(hash => theirs.statement(hash)?.bytes ?? [])),
      ...lies,
    } as unknown as BookComparisonDeps['requests']
    const incoming = {
      wants: (hash: string) => ours.statement(hash) === null,
      isBlamed: () => false,
      takeAsked: (bytes: Uint8Array) => {
        const statement = [...known.values()].find(one => Buffer.compare(one.bytes, bytes) === 0)
        return statement === undefined ? 'forged' : ours.put(statement)
      },
    } as unknown as BookComparisonDeps['incoming']
    const gossip = {
      give: (_: Peer, statements: readonly Uint8Array[]) => given.push(...statements),
    } as unknown as BookComparisonDeps['gossip']
    const comparing = new BookComparison({ member: 'peer' } as Peer, { book: ours, requests, incoming, gossip })
    return { run: () => comparing.run(), asked, given }
  }

  const known = new Map<string, OrderStatement>()
  const clock = { wallMs: () => 1_000_000 }
  const room = { orders: 100_000, ofTrader: 100_000 }
  const trader = new TestTrader('one')

  function books(common: number, ours: number, theirs: number): [OrderBook, OrderBook] {
    const made = [new OrderBook(clock, room), new OrderBook(clock, room)] as const
    for (let at = 0; at < common + ours + theirs; at++) {
      const order = trader.order()
      known.set(order.hash, order)
      if (at < common + ours) made[0].put(order)
      if (at < common || at >= common + ours) made[1].put(order)
    }
    return [...made]
  }

  it('costs one question when they are equal', async () => {
    const { run, asked } = compare(...books(500, 0, 0))
    assert.deepEqual(await run(), { questions: 1, gained: 0, exhausted: false })
    assert.equal(asked.questions, 1)
  })

  it('finds a few differences in a large book with few questions, and both sides get theirs', async () => {
    const [ours, theirs] = books(5_000, 3, 3)
    const { run, given } = compare(ours, theirs)
    const { questions, gained } = await run()
    assert.equal(gained, 3)
    assert.equal(given.length, 3)
    assert.ok(questions < 20, `${questions} questions`)
  })

  it('takes a whole book over, and gives what the other may lack', async () => {
    const [ours, theirs] = books(0, 0, 3_000)
    const { gained, exhausted } = await compare(ours, theirs).run()
    assert.equal(gained, 3_000)
    assert.equal(exhausted, false)
    assert.equal(ours.digest('').digest, theirs.digest('').digest)
    const empty = new OrderBook(clock, room)
    const { run, given } = compare(ours, empty)
    assert.ok((await run()).questions <= 2)
    assert.equal(given.length, RUN_GIVEN)
  })

  it('ends when nothing comes but work', async () => {
    const [ours, theirs] = books(200, 0, 0)
    let next = 0
    const hash = (prefix: string): string => (prefix + (next++).toString(16).padStart(64, '7')).slice(0, 64)
    const lies = {
      digests: (_: Peer, nodes: readonly { prefix: string }[]) =>
        Promise.resolve(
          nodes.map(({ prefix }) => ({
            prefix,
            branches: Array.from({ length: 16 }, () => ({ count: 99_999, digest: hash('').slice(-16) })),
          })),
        ),
      list: (_: Peer, prefix: string) =>
        Promise.resolve({ more: true, hashes: Array.from({ length: 32 }, () => hash(prefix)) }),
    }
    const { run } = compare(ours, theirs, lies)
    assert.deepEqual(await run(), { questions: RUN_QUESTIONS, gained: 0, exhausted: true })
    assert.ok(RUN_QUESTIONS_EACH > 0)
    const silent = compare(ours, theirs, { digests: () => Promise.resolve(null) })
    assert.deepEqual(await silent.run(), { questions: 1, gained: 0, exhausted: false })
  })
})
