// A hostile trader that sends whatever a test wants: statements and proposals made by hand.

import { OrderBook } from '../../../../src/chapters/market/core/order-book.ts'
import type { Proposal } from '../../../../src/chapters/market/core/trade-terms.ts'
import type { NegotiationMessage } from '../../../../src/chapters/market/wire/negotiation.ts'
import type { OrderRef, OrderStatement } from '../../../../src/chapters/market/wire/types.ts'
import { type OrderRequest, TestTrader } from './market-orders.ts'
import type { MemoryMember } from './memory-market-network.ts'
import { COIN, type TradingFloor } from './trading-floor.ts'

/** A hostile trader that sends whatever a test wants: statements and proposals made by hand. */
export class MarketStranger {
  readonly trader: TestTrader
  readonly member: MemoryMember
  readonly heard: NegotiationMessage[] = []
  readonly #floor: TradingFloor
  #ids = 0

  constructor(name: string, floor: TradingFloor) {
    this.#floor = floor
    this.trader = new TestTrader(name)
    this.member = floor.market.join(name, new OrderBook(floor.clock))
    this.member.onMessage((_from, message) => this.heard.push(message))
  }

  /** A bid for 10 LTC at 0.01 BTC each, placed now, unless the request says otherwise. */
  statement(request: OrderRequest = {}): OrderStatement {
    const usual = { side: 'bid', quantity: 10n * COIN, price: 1_000_000n, timeMs: this.#floor.clock.wallMs() } as const
    return this.trader.order({ ...usual, ...request })
  }

  /** A proposal to the owner of `order`, with what the test changes of it. */
  proposal(order: OrderRef, change: Partial<Proposal> = {}, request: OrderRequest = {}): Proposal {
    const nowMs = this.#floor.clock.wallMs()
    const id = `${this.trader.id.slice(0, 8)}${(++this.#ids).toString(16).padStart(24, '0')}`
    const locks = { firstLockS: Math.floor(nowMs / 1000) + 20_000, secondLockS: Math.floor(nowMs / 1000) + 10_000 }
    return {
      kind: 'propose',
      id,
      statement: this.statement(request),
      order,
      quantity: 10n * COIN,
      price: 1_000_000n,
      timeMs: nowMs,
      hash: id.repeat(2),
      claimKey: 'claim-x',
      refundKey: 'refund-x',
      ...locks,
      ...change,
    }
  }

  /** Sends a proposal and answers what came back to it; null: nothing within the time of a proposal. */
  async ask(to: string, proposal: Proposal): Promise<NegotiationMessage | null> {
    await this.member.send(to, proposal)
    await this.#floor.pass(2_000)
    return this.heard.findLast(message => 'id' in message && message.id === proposal.id) ?? null
  }

  /** The reason of a refusal, or what else came. */
  async reason(to: string, proposal: Proposal): Promise<string> {
    const answer = await this.ask(to, proposal)
    if (answer === null) return 'nothing'
    return answer.kind === 'decline' ? answer.reason : answer.kind
  }
}
