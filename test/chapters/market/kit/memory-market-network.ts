// The overlay of the market in memory: statements go to the books of all, messages to their receivers, after a delay,
// unless a test loses them.

import type { Book } from '../../../../src/chapters/market/core/book.ts'
import type { Clock } from '../../../../src/ports/clock.ts'
import type { MarketNetwork } from '../../../../src/chapters/market/ports/market-network.ts'
import type { NegotiationMessage } from '../../../../src/chapters/market/wire/negotiation.ts'
import { makeStatement } from '../../../../src/chapters/market/wire/order-codec.ts'
import type { OrderState, OrderStatement, OrderTerms, TraderId } from '../../../../src/chapters/market/wire/types.ts'
import { TestTrader } from './market-orders.ts'

/** What was sent. */
export interface SentMessage {
  readonly from: TraderId
  readonly to: TraderId
  readonly message: NegotiationMessage
}

/** All that are joined. */
export class MemoryMarket {
  readonly clock: Clock
  readonly members = new Map<TraderId, MemoryMember>()
  readonly sent: SentMessage[] = []
  /** How long a packet is under way, milliseconds. */
  delayMs: () => number = () => 20
  /** Whether a message is lost. */
  loses: (sent: SentMessage) => boolean = () => false
  /** Whether a statement does not come to a book. */
  losesStatement: (statement: OrderStatement, to: TraderId) => boolean = () => false

  constructor(clock: Clock) {
    this.clock = clock
  }

  /** Joins, in the place of who had this name before. */
  join(name: string, book: Book): MemoryMember {
    const member = new MemoryMember(name, book, this)
    this.members.set(member.trader, member)
    return member
  }

  /** Gives a statement to all but who made it. */
  tell(statement: OrderStatement): void {
    for (const [trader, member] of this.members) {
      if (trader === statement.terms.trader || this.losesStatement(statement, trader)) continue
      this.clock.after(this.delayMs(), () => {
        if (!member.gone) member.book.put(statement)
      })
    }
  }
}

/** The network of one trader. */
export class MemoryMember implements MarketNetwork {
  readonly trader: TraderId
  readonly identity: TestTrader['identity']
  readonly book: Book
  /** Neither hears nor says anything. */
  gone = false
  readonly #market: MemoryMarket
  readonly #listeners = new Set<(from: TraderId, message: NegotiationMessage) => void>()

  constructor(name: string, book: Book, market: MemoryMarket) {
    this.identity = new TestTrader(name).identity
    this.trader = this.identity.member
    this.book = book
    this.#market = market
  }

  get peers(): number {
    return this.#market.members.size - 1
  }

  state(terms: OrderTerms, state: OrderState): OrderStatement {
    const statement = makeStatement(terms, state, this.identity.publicKey, this.identity.sign)
    if (this.gone) return statement
    this.book.put(statement)
    this.#market.tell(statement)
    return statement
  }

  async send(to: TraderId, message: NegotiationMessage): Promise<boolean> {
    const member = this.#market.members.get(to)
    if (member === undefined || member.gone || this.gone) return false
    const sent = { from: this.trader, to, message }
    this.#market.sent.push(sent)
    if (this.#market.loses(sent)) return true
    this.#market.clock.after(this.#market.delayMs(), () => member.hear(this.trader, message))
    return true
  }

  onMessage(heard: (from: TraderId, message: NegotiationMessage) => void): () => void {
    this.#listeners.add(heard)
    return () => this.#listeners.delete(heard)
  }

  /** A message of another one comes in. */
  hear(from: TraderId, message: NegotiationMessage): void {
    if (this.gone) return
    if (message.kind === 'match' || message.kind === 'propose') this.book.put(message.statement)
    for (const heard of [...this.#listeners]) heard(from, message)
  }
}
