// The order book of the market: how fast orders go into a book of 100,000, are matched there and are cancelled, what
// one takes of memory and on the wire, how many signatures are checked in a second, what digests over all of it cost,
// and what nodes send until all know an order.

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { fillsOf } from '../../../../src/chapters/market/core/matching.ts'
import { OrderBook } from '../../../../src/chapters/market/core/order-book.ts'
import { decodeStatement, STATEMENT_BYTES } from '../../../../src/chapters/market/wire/order-codec.ts'
import { verifyStatement } from '../../../../src/chapters/market/wire/order-signature.ts'
import type { OrderStatement } from '../../../../src/chapters/market/wire/types.ts'
import { type Flow, runAlone } from '../../../../bench/lib/flow.ts'
import type { FlowOptions } from '../../../../bench/lib/flow-result.ts'
import { gossip } from './market-gossip.ts'
import { MarketOrders } from './made-orders.ts'
import { type CaseResult, type Figures, OURS } from '../../../../bench/lib/samples.ts'

const ORDERS = 100_000
const TRADERS = 1000
const CROSSING = 20_000
const CHECKS = 10_000
/** So many nodes the markets have that an order spreads in. */
const NODES: readonly number[] = [10, 30]

/** Adds up the time of some pieces of work. */
class Stopwatch {
  ms = 0

  time<T>(work: () => T): T {
    const beganMs = performance.now()
    const result = work()
    this.ms += performance.now() - beganMs
    return result
  }

  perSecond(count: number): number {
    return (count * 1000) / this.ms
  }
}

/** Bytes in use after everything unused was thrown away. */
function usedBytes(collect: () => void): number {
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
}

/** Statements come as bytes, their signatures are checked before and not counted here. */
function fill(book: OrderBook, encodings: readonly Uint8Array[]): Figures {
  const collect = garbageCollector()
  const before = usedBytes(collect)
  const watch = new Stopwatch()
  for (const bytes of encodings) {
    const statement = decodeStatement(bytes)
    if (watch.time(() => book.put(statement)) !== 'new') throw new Error('an order was not taken')
  }
  const bytes = (usedBytes(collect) - before) / encodings.length
  return { 'orders/s': watch.perSecond(encodings.length), 'memory bytes/order': bytes }
}

/** What is left of both is said by their owners, who sign; that is not counted. */
function match(book: OrderBook, orders: MarketOrders, count: number): Figures {
  const watch = new Stopwatch()
  let fills = 0
  for (let at = 0; at < count; at++) {
    const order = orders.crossing()
    const found = watch.time(() => {
      book.put(order)
      return [...fillsOf(order, book)]
    })
    let left = order.state.remaining
    const said: OrderStatement[] = found.map(({ other, quantity }) => {
      left -= quantity
      const remaining = other.state.remaining - quantity
      return orders.later(other, { remaining, status: remaining === 0n ? 'closed' : 'open' })
    })
    said.push(orders.later(order, { remaining: left, status: left === 0n ? 'closed' : 'open' }))
    watch.time(() => {
      for (const statement of said) book.put(statement)
    })
    fills += found.length
  }
  if (fills < count) throw new Error('orders were not matched')
  return { 'orders/s': watch.perSecond(count), 'fills/s': watch.perSecond(fills) }
}

function cancel(book: OrderBook, orders: MarketOrders, count: number): Figures {
  const standing = book.pairs().flatMap(pair => [...book.ticks(pair, 'ask'), ...book.ticks(pair, 'bid')])
  const watch = new Stopwatch()
  for (const order of standing.slice(0, count)) {
    const closed = orders.later(order, { status: 'closed' })
    if (watch.time(() => book.put(closed)) !== 'newer') throw new Error('an order was not cancelled')
  }
  return { 'orders/s': watch.perSecond(Math.min(count, standing.length)) }
}

function check({ crypto }: MarketOrders, encodings: readonly Uint8Array[]): Figures {
  const watch = new Stopwatch()
  const valid = watch.time(() =>
    encodings.filter(bytes =>
      verifyStatement(decodeStatement(bytes), (key, message, signature) => crypto.verify(key, message, signature)),
    ),
  )
  if (valid.length !== encodings.length) throw new Error('a signature is not valid')
  return { 'checks/s': watch.perSecond(encodings.length), 'wire bytes/order': STATEMENT_BYTES }
}

function digest(book: OrderBook): Figures {
  const watch = new Stopwatch()
  watch.time(() => book.digest(''))
  return { 'digest ms': watch.ms }
}

/** A book with room for half of them: who has most has to go, time and again. */
function flood(nowMs: number, encodings: readonly Uint8Array[]): Figures {
  const room = Math.floor(encodings.length / 2)
  const book = new OrderBook({ wallMs: () => nowMs }, { orders: room, ofTrader: encodings.length })
  const watch = new Stopwatch()
  for (const bytes of encodings) {
    const statement = decodeStatement(bytes)
    watch.time(() => book.put(statement))
  }
  if (book.kept !== room) throw new Error('the book has another size')
  return { 'orders/s': watch.perSecond(encodings.length) }
}

function expire(book: OrderBook, nowMs: number): Figures {
  const { kept } = book
  const watch = new Stopwatch()
  let longestMs = 0
  while (book.kept > 0) {
    const before = watch.ms
    watch.time(() => book.expire(nowMs))
    longestMs = Math.max(longestMs, watch.ms - before)
  }
  return { 'orders/s': watch.perSecond(kept), 'loop max ms': longestMs }
}

function measure(count: number): CaseResult[] {
  const nowMs = Date.now()
  const orders = new MarketOrders(TRADERS, nowMs)
  const encodings = Array.from({ length: count }, () => orders.standing().bytes)
  const book = new OrderBook({ wallMs: () => nowMs }, { orders: 2 * count, ofTrader: count })
  const size = `a book of ${count}`
  const work = Math.min(CROSSING, Math.floor(count / 5))
  const cases: [string, CaseResult['primary'], Figures][] = [
    [`statements are decoded and checked`, 'checks/s', check(orders, encodings.slice(0, CHECKS))],
    [`orders go into ${size}`, 'orders/s', fill(book, encodings)],
    [`the first digest of ${size}`, 'digest ms', digest(book)],
    [`orders are matched in ${size}`, 'orders/s', match(book, orders, work)],
    [`the digest after ${work} matched orders`, 'digest ms', digest(book)],
    [`orders are cancelled in ${size}`, 'orders/s', cancel(book, orders, work)],
    [`orders go into a book with room for half of them`, 'orders/s', flood(nowMs, encodings)],
    [`orders are over and forgotten`, 'orders/s', expire(book, nowMs + 7 * 86_400_000)],
  ]
  return cases.map(([id, primary, figures]) => ({ id, primary, results: [{ client: OURS, runs: [figures] }] }))
}

export const market: Flow = {
  name: 'market',
  async run(options: FlowOptions) {
    const cases = measure(options.counts?.[0] ?? ORDERS)
    for (const nodes of NODES) {
      const id = `an order becomes known to ${nodes} nodes`
      cases.push({ id, primary: 'wire bytes/order', results: [{ client: OURS, runs: [await gossip(nodes)] }] })
    }
    return { title: 'The order book of the market', cases, notes: [] }
  },
}

await runAlone(market, import.meta.url)
