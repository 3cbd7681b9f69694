// A whole market in one place: every order and its owner, matched over the book that nodes use (order-book.ts,
// matching.ts) as each node does it for its own orders. A fill is reserved on both sides at once; it is settled or
// fails when the test says so.

import { type Fill, fillsOf } from '../../../../src/chapters/market/core/matching.ts'
import { OrderBook } from '../../../../src/chapters/market/core/order-book.ts'
import type { OrderState, OrderStatement } from '../../../../src/chapters/market/wire/types.ts'
import { type OrderRequest, TestTrader } from './market-orders.ts'
import type { SetClock } from '../../../kit/doubles/set-clock.ts'

/** An order with what became of it. */
export interface EngineOrder {
  readonly trader: TestTrader
  statement: OrderStatement
  reserved: bigint
  traded: bigint
  /** In the price coin, of what was reserved and not given back. */
  cost: bigint
}

/** A trade that is reserved. */
export interface EngineTrade {
  readonly newer: EngineOrder
  readonly older: EngineOrder
  readonly quantity: bigint
  readonly price: bigint
  readonly cost: bigint
}

/**
 * A whole market in one place: every order and its owner, matched over the book that nodes use (order-book.ts,
 * matching.ts) as each node does it for its own orders.
 */
export class MatchingEngine {
  readonly book: OrderBook
  readonly orders = new Map<string, EngineOrder>()
  /** Reserved, neither settled nor failed. */
  readonly pending = new Set<EngineTrade>()

  constructor(clock: SetClock) {
    this.book = new OrderBook(clock)
  }

  /** Places an order and reserves what it can be filled with. Answers it and its trades, in their order. */
  place(trader: TestTrader, request: OrderRequest): { order: EngineOrder; trades: EngineTrade[] } {
    const statement = trader.order(request)
    const order: EngineOrder = { trader, statement, reserved: 0n, traded: 0n, cost: 0n }
    this.orders.set(keyOf(statement), order)
    this.book.put(statement)
    return { order, trades: this.match(order) }
  }

  /** Looks for fills of what is left of an order that stands. */
  match(order: EngineOrder): EngineTrade[] {
    if (this.book.get(order.statement.terms)?.state.status !== 'open') return []
    const fills = [...fillsOf(order.statement, this.book)]
    return fills.map(fill => this.#reserve(order, fill))
  }

  settle(trade: EngineTrade): void {
    this.pending.delete(trade)
    for (const order of [trade.newer, trade.older]) {
      order.reserved -= trade.quantity
      order.traded += trade.quantity
      if (order.traded === order.statement.terms.quantity) this.#say(order, { status: 'closed' })
    }
  }

  /** Both give back what they reserved, and look for something else. */
  fail(trade: EngineTrade): EngineTrade[] {
    this.pending.delete(trade)
    const both = [trade.newer, trade.older]
    for (const order of both) {
      order.reserved -= trade.quantity
      order.cost -= trade.cost
      this.#say(order, { remaining: order.statement.state.remaining + trade.quantity })
    }
    return both.flatMap(order => this.match(order))
  }

  cancel(order: EngineOrder): void {
    this.#say(order, { status: 'closed' })
  }

  #reserve(order: EngineOrder, fill: Fill<OrderStatement>): EngineTrade {
    const other = this.orders.get(keyOf(fill.other)) as EngineOrder
    const { quantity, price, cost } = fill
    for (const each of [order, other]) {
      each.reserved += quantity
      each.cost += cost
      this.#say(each, { remaining: each.statement.state.remaining - quantity })
    }
    const trade = { newer: order, older: other, quantity, price, cost }
    this.pending.add(trade)
    return trade
  }

  /** A closed order says nothing any more. */
  #say(order: EngineOrder, state: Partial<OrderState>): void {
    if (order.statement.state.status === 'closed') return
    order.statement = order.trader.later(order.statement, state)
    this.book.put(order.statement)
  }
}

function keyOf({ terms }: OrderStatement): string {
  return `${terms.trader}.${terms.number}`
}
