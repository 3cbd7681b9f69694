// The intake of statements from peers: cheap checks come first, a signature is checked only where nothing else refuses,
// and a flood costs little, from one peer or many.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { makeDeferred } from '../../../../../src/base/deferred.ts'
import { StatementIntake, type StatementIntakeDeps } from '../../../../../src/chapters/market/mesh/statement-intake.ts'
import {
  CHECKS_OF_PEER,
  CHECKS_OF_ALL,
  STATEMENTS_OF_TRADER,
  MAX_CHECKING,
  BLAMED_MS,
} from '../../../../../src/chapters/market/mesh/statement-intake.ts'
import { OrderBook } from '../../../../../src/chapters/market/core/order-book.ts'
import type { SignatureCheck } from '../../../../../src/chapters/overlay/core/index.ts'
import { decodeStatement } from '../../../../../src/chapters/market/wire/order-codec.ts'
import type { OrderStatement } from '../../../../../src/chapters/market/wire/types.ts'
import { fakeCheck } from '../../../overlay/kit/fake-keys.ts'
import { type OrderRequest, TestTrader } from '../../kit/market-orders.ts'
import { VirtualClock } from '../../../../kit/sim/virtual-clock.ts'

class Rig {
  readonly clock = new VirtualClock()
  readonly book = new OrderBook(this.clock)
  readonly taken: { statement: OrderStatement; from: string; against: OrderStatement | null }[] = []
  readonly incoming: StatementIntake

  constructor(changed: Partial<StatementIntakeDeps> = {}) {
    const taken: StatementIntakeDeps['taken'] = (statement, from, against) =>
      this.taken.push({ statement, from, against })
    this.incoming = new StatementIntake({ book: this.book, clock: this.clock, check: fakeCheck, taken, ...changed })
  }

  order(trader: TestTrader, request: OrderRequest = {}): OrderStatement {
    return trader.order({ timeMs: this.clock.wallMs(), ...request })
  }
}

const spoilt = ({ bytes }: OrderStatement, at = bytes.length - 1): Uint8Array =>
  Uint8Array.from(bytes, (byte, index) => (index === at ? byte ^ 1 : byte))

describe('statements that come', () => {
  it('are put into the book once', () => {
    const rig = new Rig()
    const order = rig.order(new TestTrader('one'))
    assert.equal(rig.incoming.wants(order.hash), true)
    assert.equal(rig.incoming.take(order.bytes, 'a'), 'new')
    assert.equal(rig.incoming.wants(order.hash), false)
    assert.equal(rig.incoming.take(order.bytes, 'b'), 'known')
    assert.deepEqual(rig.taken, [{ statement: rig.book.get(order.terms), from: 'a', against: null }])
    assert.deepEqual(rig.incoming.counts, { checks: 1, spared: 1, blames: 0 })
  })

  it('cost no check when they are older, over or not yet', () => {
    const rig = new Rig()
    const trader = new TestTrader('one')
    const first = rig.order(trader)
    const second = trader.later(first, { remaining: 5n })
    const closed = trader.later(first, { sequence: 2, status: 'closed', remaining: 0n })
    assert.equal(rig.incoming.take(second.bytes, 'a'), 'new')
    assert.equal(rig.incoming.take(first.bytes, 'a'), 'older')
    assert.equal(rig.incoming.take(closed.bytes, 'a'), 'newer')
    assert.equal(rig.incoming.take(second.bytes, 'a'), 'known', 'what was put aside is remembered')
    assert.equal(rig.incoming.take(rig.order(trader, { timeMs: rig.clock.wallMs() + 11_000 }).bytes, 'a'), 'future')
    const over = { timeMs: rig.clock.wallMs() - 60_000, timeoutS: 60 }
    assert.equal(rig.incoming.take(rig.order(trader, over).bytes, 'a'), 'expired')
    assert.deepEqual(rig.incoming.counts, { checks: 2, spared: 4, blames: 0 })
    // After the highest sequence of all a closing one still counts.
    const other = rig.order(trader, { sequence: 0xffff_ffff })
    assert.equal(rig.incoming.take(other.bytes, 'a'), 'new')
    assert.equal(rig.incoming.take(trader.later(other, { sequence: 0, status: 'closed' }).bytes, 'a'), 'newer')
  })

  it('that are no statements, or not signed, have their peer not heard for a while', async () => {
    const rig = new Rig()
    const trader = new TestTrader('one')
    const order = rig.order(trader)
    assert.equal(rig.incoming.take(spoilt(order, 0), 'liar'), 'malformed')
    assert.equal(rig.incoming.isBlamed('liar'), true)
    assert.equal(rig.incoming.take(order.bytes, 'liar'), 'over budget')
    assert.equal(rig.incoming.take(spoilt(order), 'forger'), 'forged')
    assert.equal(rig.incoming.take(spoilt(order), 'other'), 'known', 'one check is enough')
    assert.deepEqual(rig.incoming.counts, { checks: 1, spared: 3, blames: 2 })
    await rig.clock.advance(BLAMED_MS)
    assert.equal(rig.incoming.take(rig.order(trader).bytes, 'liar'), 'new')
  })

  it('that were asked for are those that were asked for', () => {
    const rig = new Rig()
    const [one, other] = [rig.order(new TestTrader('one')), rig.order(new TestTrader('other'))]
    assert.equal(rig.incoming.takeAsked(other.bytes, 'a', [one.hash]), 'known')
    assert.equal(rig.incoming.takeAsked(one.bytes, 'a', [one.hash]), 'new')
    assert.equal(rig.book.size, 1)
  })

  it('prove a fraud with both, and a third one costs nothing', () => {
    const rig = new Rig()
    const trader = new TestTrader('one')
    const orders = [1n, 2n, 3n, 4n, 5n].map(price => rig.order(trader, { number: 1, price: price * 1_000_000n }))
    for (const { bytes } of orders) void rig.incoming.take(bytes, 'a')
    const { checks } = rig.incoming.counts
    assert.equal(rig.taken[1]?.against?.hash, orders[0]?.hash, 'the other statement is told with it')
    assert.equal(rig.book.proofs({ trader: trader.id, number: 1 }).length, 2)
    for (const { bytes } of orders) assert.equal(rig.incoming.take(bytes, 'a'), 'known')
    // Kept are those that stand longest.
    const shorter = rig.order(trader, { number: 1, price: 9_000_000n, timeoutS: 60 })
    assert.equal(rig.incoming.take(shorter.bytes, 'a'), 'known')
    assert.equal(rig.incoming.counts.checks, checks)
  })

  it('wait for a thread in a flood, each once, and are forgotten when too many do', async () => {
    const waiting: ReturnType<typeof makeDeferred<boolean>>[] = []
    const check: SignatureCheck = {
      verify: () => assert.fail('not here'),
      verifyOrLater: () => {
        const deferred = makeDeferred<boolean>()
        waiting.push(deferred)
        return deferred.promise
      },
    }
    const rig = new Rig({ check })
    const orders = Array.from({ length: MAX_CHECKING + 1 }, (_, at) => rig.order(new TestTrader(`${at}`)))
    const results = orders.map(({ bytes }) => rig.incoming.take(bytes, 'a'))
    assert.equal(results.at(-1), 'over budget')
    const [first] = orders
    assert.ok(first !== undefined)
    assert.equal(rig.incoming.take(first.bytes, 'b'), results[0], 'it is being checked')
    assert.equal(waiting.length, MAX_CHECKING)
    waiting[0]?.resolve(true)
    waiting[1]?.resolve(false)
    waiting[2]?.reject(new Error('too many'))
    assert.equal(await results[0], 'new')
    assert.equal(await results[1], 'forged')
    assert.equal(await results[2], 'over budget')
    assert.equal(rig.incoming.wants((orders[2] as OrderStatement).hash), true, 'it may come again')
    rig.incoming.close()
    for (const deferred of waiting.slice(3)) deferred.resolve(true)
    assert.equal(await results[3], 'over budget', 'nothing is taken in any more')
    assert.equal(rig.book.size, 1)
  })
})

describe('a flood of statements', () => {
  /** CI takes a tenth of what the issue names; the figure does not depend on it. */
  const FLOOD = Number(process.env['MARKET_FLOOD'] ?? 100_000)

  it('that are forged costs one check for each peer that sends it, whatever their number', () => {
    const rig = new Rig()
    const { bytes } = rig.order(new TestTrader('victim'))
    const before = process.memoryUsage().heapUsed
    for (let at = 0; at < FLOOD; at++) {
      const forged = Uint8Array.from(bytes)
      forged.set(randomBytes(64), bytes.length - 64)
      void rig.incoming.take(forged, `peer ${at % 80}`)
    }
    const { checks, spared, blames } = rig.incoming.counts
    assert.equal(checks, 80)
    assert.equal(blames, 80)
    assert.equal(spared, FLOOD - 80)
    assert.equal(rig.book.size, 0)
    assert.ok(process.memoryUsage().heapUsed - before < 100e6)
  })

  it('of a peer that takes a new name each time is bounded for all of them', () => {
    const rig = new Rig()
    const trader = new TestTrader('victim')
    const { bytes } = rig.order(trader)
    for (let at = 0; at < FLOOD / 10; at++) {
      const forged = Uint8Array.from(bytes)
      forged.set(randomBytes(64), bytes.length - 64)
      void rig.incoming.take(forged, `peer ${at}`)
    }
    assert.equal(rig.incoming.counts.checks, CHECKS_OF_ALL.burst)
  })

  it('that are signed is bounded for the peer, and for the trader', async () => {
    const rig = new Rig()
    const statements = Array.from({ length: CHECKS_OF_PEER.burst + 50 }, (_, at) => rig.order(new TestTrader(`t${at}`)))
    const results = statements.map(({ bytes }) => rig.incoming.take(bytes, 'loud'))
    assert.equal(results.filter(result => result === 'new').length, CHECKS_OF_PEER.burst)
    assert.equal(results.at(-1), 'over budget')
    // What was not taken may be had from others, and later.
    assert.equal(rig.incoming.take((statements.at(-1) as OrderStatement).bytes, 'other'), 'new')
    await rig.clock.advance(CHECKS_OF_PEER.refillMs)
    assert.equal(rig.incoming.take((statements.at(-2) as OrderStatement).bytes, 'loud'), 'new')
    const trader = new TestTrader('restless')
    const first = rig.order(trader)
    let changes = 0
    for (let sequence = 0; sequence < STATEMENTS_OF_TRADER.burst + 100; sequence++) {
      const bytes = trader.later(first, { sequence }).bytes
      if (rig.incoming.take(bytes, `peer ${sequence % 50}`) !== 'over budget') changes++
    }
    assert.ok(changes <= STATEMENTS_OF_TRADER.burst + 1, `${changes} changes`)
  })

  it('that are replayed costs none', () => {
    const rig = new Rig()
    const order = decodeStatement(rig.order(new TestTrader('one')).bytes)
    for (let at = 0; at < FLOOD; at++) void rig.incoming.take(order.bytes, `peer ${at % 5}`)
    assert.equal(rig.incoming.counts.checks, 1)
  })
})
