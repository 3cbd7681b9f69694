// The trader of this node: own orders, negotiation and trades put together. Start the engine of the swaps before it:
// their journals are the truth about what is being swapped.

import { AppError } from '../../../base/errors.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { MarketFiles } from '../ports/market-files.ts'
import type { MarketFunds } from '../../wallets/ports/market-funds.ts'
import type { MarketNetwork } from '../ports/market-network.ts'
import type { MarketTrader, OwnOrder, OwnTrade, TraderEvent, WantedOrder } from '../ports/market-trader.ts'
import type { Random } from '../../../ports/random.ts'
import type { SwapEngine } from '../ports/swap-engine.ts'
import type { NegotiationMessage } from '../wire/negotiation.ts'
import type { TraderId } from '../wire/types.ts'
import { ProposalAcceptor } from './proposal-acceptor.ts'
import type { Book } from './book.ts'
import { TraderConduct } from './conduct.ts'
import type { ChainOf } from './fill-needs.ts'
import { FundedHints } from './funded-hints.ts'
import type { HeldOrder } from './held-order.ts'
import { KeptTexts } from './kept-texts.ts'
import { MatchingTurns } from './matching-turns.ts'
import { OrderFunds } from './order-funds.ts'
import { OrderWatch } from './order-watch.ts'
import { OwnOrders } from './own-orders.ts'
import type { HeldTrade } from './own-trade.ts'
import { OrderPlacement } from './order-placement.ts'
import { type NegotiationDeps, ProposalSender } from './proposal-sender.ts'
import { TradeEffects } from './trade-effects.ts'
import { Trades } from './trades.ts'

/** What a trader needs. */
export interface TraderDeps {
  readonly network: MarketNetwork
  readonly book: Book
  readonly funds: MarketFunds
  /** Has been started. */
  readonly swapEngine: SwapEngine
  readonly files: MarketFiles
  readonly chains: ChainOf
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/** The trader of this node: own orders, negotiation and trades put together. */
export class Trader implements MarketTrader {
  readonly id: TraderId
  readonly #deps: TraderDeps
  readonly #kept: KeptTexts
  readonly #conduct: TraderConduct
  readonly #orderFunds: OrderFunds
  readonly #orders: OwnOrders
  readonly #trades: Trades
  readonly #watch: OrderWatch
  readonly #turns: MatchingTurns
  readonly #proposals: ProposalSender
  readonly #answering: ProposalAcceptor
  readonly #placement: OrderPlacement
  readonly #hints: FundedHints
  readonly #effects: TradeEffects
  readonly #listeners = new Set<(event: TraderEvent) => void>()
  readonly #ends: (() => void)[] = []
  #running = false

  constructor(deps: TraderDeps) {
    const { network, funds, swapEngine, chains, clock, book } = deps
    this.id = network.trader
    this.#deps = deps
    this.#kept = new KeptTexts(deps.files, clock, deps.log)
    this.#conduct = new TraderConduct(clock)
    this.#orderFunds = new OrderFunds(funds)
    this.#orders = this.#makeOrders()
    this.#effects = new TradeEffects(this.#orders, this.#orderFunds, this.#conduct)
    const changed = (trade: HeldTrade, what: 'began' | 'went on' | 'ended'): void => this.#tradeChanged(trade, what)
    this.#trades = new Trades({
      trader: this.id,
      swapEngine,
      kept: this.#kept,
      clock,
      log: deps.log,
      changed,
      orderOf: number => this.#orders.get(number)?.terms ?? null,
    })
    this.#hints = new FundedHints(network, swapEngine, this.#trades)
    this.#turns = new MatchingTurns({
      network,
      clock,
      live: () => this.#orders.live(),
      match: order => this.#proposals.match(order),
      known: statement => book.get(statement.terms),
    })
    const negotiation = this.#negotiationDeps()
    this.#proposals = new ProposalSender(negotiation)
    this.#answering = new ProposalAcceptor(negotiation, id => this.#proposals.has(id))
    this.#watch = this.#makeWatch()
    this.#placement = new OrderPlacement({
      trader: this.id,
      orders: this.#orders,
      funds,
      orderFunds: this.#orderFunds,
      chains,
      clock,
    })
  }

  /**
   * Loads what was kept, compares it with the swaps, tells the market, and begins to trade. AppErrors StateUnreadable,
   * DiskError.
   */
  async start(): Promise<void> {
    const { network, book } = this.#deps
    await this.#trades.load(await this.#orders.load())
    this.#effects.load(this.#trades.all())
    this.#running = true
    this.#trades.follow(trade => {
      const order = this.#orders.get(trade.order.number)
      if (order !== null) this.#watch.withdraw(order, 'A swap of it is not known any more.')
    })
    for (const trade of this.#trades.all()) this.#effects.holdAgain(trade)
    for (const order of this.#orders.live()) this.#endIfDone(order)
    this.#watch.start()
    this.#ends.push(
      network.onMessage((from, message) => this.#heard(from, message)),
      book.watch((statement, change) => {
        if (statement === null) return
        if (change === 'fraud' && statement.terms.trader === this.id) this.#fraud(statement.terms.number)
        else if (change === 'new' || change === 'newer') this.#turns.heard(statement)
      }),
    )
    await this.#orders.tellAll()
    for (const order of this.#orders.live()) this.#turns.soon(order)
  }

  /** Ends negotiations, writes what is owed; orders stay open and swaps go on. */
  async stop(): Promise<void> {
    this.#running = false
    for (const end of this.#ends.splice(0)) end()
    this.#turns.stop()
    this.#answering.stop()
    this.#proposals.stop()
    this.#watch.stop()
    this.#trades.stop()
    await this.#kept.stop()
    this.#orderFunds.stop()
  }

  async place(wanted: WantedOrder): Promise<OwnOrder> {
    if (!this.#running) throw new AppError('NotReady')
    const order = await this.#placement.place(wanted)
    // The wallets may have changed while it was written.
    this.#watch.look(order)
    this.#turns.soon(order)
    return order.view()
  }

  async cancel(orderNumber: number): Promise<void> {
    if (!this.#running) throw new AppError('NotReady')
    const order = this.#orders.get(orderNumber)
    if (order === null) throw new AppError('OrderNotFound')
    await this.#orders.cancel(order)
    this.#orderFunds.letGo(order)
    this.#proposals.drop(order)
  }

  orders(): readonly OwnOrder[] {
    return Array.from(this.#orders.all(), order => order.view())
  }

  trades(): readonly OwnTrade[] {
    return Array.from(this.#trades.all(), trade => trade.view())
  }

  fundsOf(orderNumber: number): bigint {
    const order = this.#orders.get(orderNumber)
    return order === null ? 0n : this.#orderFunds.asideFor(orderNumber, order.giveAsset.coin)
  }

  watch(happened: (event: TraderEvent) => void): () => void {
    this.#listeners.add(happened)
    return () => this.#listeners.delete(happened)
  }

  #makeOrders(): OwnOrders {
    return new OwnOrders({
      network: this.#deps.network,
      kept: this.#kept,
      clock: this.#deps.clock,
      changed: (order, created) => this.#emit({ kind: 'order', created, order: order.view() }),
      forgetTrades: number => this.#trades.forget(number),
      highestTrade: () => this.#trades.highest,
    })
  }

  #makeWatch(): OrderWatch {
    return new OrderWatch({
      orders: this.#orders,
      funds: this.#deps.funds,
      orderFunds: this.#orderFunds,
      clock: this.#deps.clock,
      halted: order => this.#proposals.drop(order),
      ready: order => this.#turns.soon(order),
    })
  }

  #negotiationDeps(): NegotiationDeps {
    const { network, book, swapEngine, funds, chains, clock, random, log } = this.#deps
    return {
      network,
      book,
      swapEngine,
      funds,
      chains,
      clock,
      random,
      log,
      orderFunds: this.#orderFunds,
      trades: this.#trades,
      conduct: this.#conduct,
      orderOf: number => this.#orders.get(number),
      doubtful: order => this.#watch.withdraw(order, 'The disk failed while a trade of it began.'),
      settled: order => this.#settled(order),
    }
  }

  #heard(from: TraderId, message: NegotiationMessage): void {
    if (message.kind === 'propose') this.#answering.heard(from, message)
    else if (message.kind === 'funded') this.#hints.heard(from, message.id, message.txid)
    else if (message.kind === 'match') this.#hinted(message.order.trader, message.order.number)
    else this.#proposals.heard(from, message)
  }

  #hinted(trader: TraderId, number: number): void {
    const order = trader === this.id ? this.#orders.get(number) : null
    if (order !== null && order.live) this.#turns.soon(order)
  }

  #fraud(number: number): void {
    const order = this.#orders.get(number)
    if (order !== null) this.#watch.withdraw(order, 'Two orders of yours have this number: the market has closed it.')
  }

  /** What was reserved was released or went into a trade: funds, statement and matches follow. */
  #settled(order: HeldOrder): void {
    if (!this.#running) return
    this.#endIfDone(order)
    this.#watch.look(order)
    if (order.live) this.#orders.tell(order)
    this.#turns.soon(order)
    this.#emit({ kind: 'order', created: false, order: order.view() })
  }

  /** Ends an order when all is traded, or so much that the rest can never be. */
  #endIfDone(order: HeldOrder): void {
    const { left, reserved, traded, needs, terms } = order
    if (traded >= terms.quantity && order.status !== 'completed') {
      this.#orders.end(order, 'completed', '')
      this.#orderFunds.letGo(order)
    } else if (order.live && reserved === 0n && left < needs.leastQuantity) {
      this.#watch.withdraw(order, 'What is left of it is less than can be traded.')
    }
  }

  #tradeChanged(trade: HeldTrade, what: 'began' | 'went on' | 'ended'): void {
    this.#effects.changed(trade)
    this.#hints.changed(trade)
    if (what === 'ended') {
      this.#effects.judge(trade)
      const order = this.#orders.get(trade.order.number)
      if (order !== null) this.#settled(order)
    }
    this.#emit({ kind: 'trade', created: what === 'began', trade: trade.view() })
  }

  #emit(event: TraderEvent): void {
    for (const listener of [...this.#listeners]) listener(event)
  }
}
