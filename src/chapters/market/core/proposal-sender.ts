// The side that proposes: for an own order that is the newer one of a cross, the owners of the older ones are asked,
// the best first. The quantity of a proposal is reserved and its funds are set aside until it is answered or expires,
// so no part of an order is offered twice.

import { AppError, errorText } from '../../../base/errors.ts'
import type { Clock, Timer } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { MarketFunds } from '../../wallets/ports/market-funds.ts'
import type { MarketNetwork } from '../ports/market-network.ts'
import type { Random } from '../../../ports/random.ts'
import type { SwapEngine } from '../ports/swap-engine.ts'
import type { DeclineReason, NegotiationMessage } from '../wire/negotiation.ts'
import type { OrderStatement, TraderId } from '../wire/types.ts'
import type { Book } from './book.ts'
import type { TraderConduct } from './conduct.ts'
import { type ChainOf, type FillNeeds, fillNeeds } from './fill-needs.ts'
import type { HeldOrder } from './held-order.ts'
import { MAX_SWAPS, MAX_SWAPS_OF_TRADER, MAX_TRADES_OF_ORDER, PROPOSAL_MS } from './limits.ts'
import { type OrderFunds, swapReservation } from './order-funds.ts'
import { fillsOf } from './matching.ts'
import { isNewer } from './priority.ts'
import { RestingPairs } from './resting-pairs.ts'
import { type AcceptKeys, agreementOf, giveAndTake, type Proposal } from './trade-terms.ts'
import type { Trades } from './trades.ts'

/** A proposal is sent again after so long without an answer: packets get lost. Milliseconds. */
const PROPOSE_AGAIN_MS = 5_000
/** Proposals of ours under way: of all orders, of one. */
const MAX_PROPOSALS = 32
/** Proposals of ours under way of one order. */
const MAX_PROPOSALS_OF_ORDER = 8
/** Smaller quantities that the other side may ask for, one after another. */
const MAX_COUNTERS = 3
/** Orders of the book that are looked at for one own order at a time. */
const MAX_LOOKED_AT = 500

/** What negotiating needs; both sides share it. */
export interface NegotiationDeps {
  readonly network: MarketNetwork
  readonly book: Book
  readonly swapEngine: SwapEngine
  readonly funds: MarketFunds
  readonly orderFunds: OrderFunds
  readonly chains: ChainOf
  readonly trades: Trades
  /** An own order. */
  readonly orderOf: (number: number) => HeldOrder | null
  readonly conduct: TraderConduct
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** A trade of this order may have begun, or not: the disk failed. */
  readonly doubtful: (order: HeldOrder) => void
  /** Something that was reserved was released, or went into a trade. */
  readonly settled: (order: HeldOrder) => void
}

interface Open {
  readonly id: string
  readonly order: HeldOrder
  readonly theirs: OrderStatement
  readonly quantity: bigint
  needs: FillNeeds | null
  message: Proposal | null
  /** How many smaller quantities were asked for before. */
  readonly counters: number
  /** Nothing but the swap can end it any more. */
  accepted: boolean
  ended: boolean
  timers: Timer[]
}

/**
 * The side that proposes: for an own order that is the newer one of a cross, the owners of the older ones are asked,
 * the best first.
 */
export class ProposalSender {
  readonly #deps: NegotiationDeps
  readonly #open = new Map<string, Open>()
  readonly #resting: RestingPairs
  /** Looks again when a rest is over, one for each order. */
  readonly #later = new Map<HeldOrder, Timer>()
  #stopped = false

  constructor(deps: NegotiationDeps) {
    this.#deps = deps
    this.#resting = new RestingPairs(deps.clock)
  }

  /** Proposals under way. */
  get size(): number {
    return this.#open.size
  }

  /** Whether a proposal of ours has this id. */
  has(id: string): boolean {
    return this.#open.has(id)
  }

  /** Proposes all that an order can be filled with. */
  match(order: HeldOrder): void {
    if (!order.tradable || this.#stopped) return
    let room = MAX_SWAPS - this.#deps.trades.underWay() - this.#open.size
    const fillable = { terms: order.terms, state: { remaining: order.left } }
    const least = { quantity: order.needs.leastQuantity, cost: 1n }
    for (const { other, quantity } of fillsOf(fillable, { crossing: () => this.#offers(order) }, least)) {
      if (room-- <= 0 || !this.#room(order)) return
      this.#propose(order, other, quantity)
    }
  }

  /** An answer to a proposal of ours. */
  heard(from: TraderId, message: Extract<NegotiationMessage, { kind: 'accept' | 'counter' | 'decline' }>): void {
    const open = this.#open.get(message.id)
    if (open === undefined || open.message === null || open.accepted || open.theirs.terms.trader !== from) return
    if (message.kind === 'accept') void this.#begin(open, message)
    else if (message.kind === 'decline') this.#fail(open, message.reason)
    else this.#countered(open, message.quantity)
  }

  /** Nothing new may begin with this order: what is not accepted yet is given up. */
  drop(order: HeldOrder): void {
    this.#later.get(order)?.cancel()
    this.#later.delete(order)
    for (const open of this.#open.values()) if (open.order === order && !open.accepted) this.#end(open)
    if (!order.live) this.#resting.forget(order.terms)
  }

  /** Gives up all that is not accepted. */
  stop(): void {
    this.#stopped = true
    for (const timer of this.#later.values()) timer.cancel()
    this.#later.clear()
    for (const open of this.#open.values()) if (!open.accepted) this.#end(open)
  }

  /** Orders of others that can be proposed to now, the best first. */
  *#offers(order: HeldOrder): Generator<OrderStatement> {
    let looked = 0
    for (const theirs of this.#deps.book.crossing(order.terms)) {
      if (++looked > MAX_LOOKED_AT) return
      if (this.#suits(order, theirs)) yield theirs
    }
  }

  #room(order: HeldOrder): boolean {
    if (this.#open.size >= MAX_PROPOSALS || order.negotiations >= MAX_PROPOSALS_OF_ORDER) return false
    if (order.tradeCount + order.negotiations >= MAX_TRADES_OF_ORDER) return false
    return order.left >= order.needs.leastQuantity
  }

  #suits(order: HeldOrder, theirs: OrderStatement): boolean {
    const { terms } = theirs
    const { clock, conduct, trades, network } = this.#deps
    if (terms.trader === network.trader || !isNewer(order.terms, terms)) return false
    if (terms.timeMs + terms.timeoutS * 1000 <= clock.wallMs()) return false
    for (const open of this.#open.values()) {
      if (open.theirs.terms.trader === terms.trader && open.theirs.terms.number === terms.number) return false
    }
    if (conduct.avoided(terms.trader) || trades.running(terms.trader) >= MAX_SWAPS_OF_TRADER) return false
    return !this.#resting.resting(order.terms, theirs)
  }

  #propose(order: HeldOrder, theirs: OrderStatement, quantity: bigint, counters = 0): void {
    const id = Buffer.from(this.#deps.random.bytes(16)).toString('hex')
    order.negotiate(id, quantity)
    const state = { needs: null, message: null, accepted: false, ended: false }
    const open: Open = { id, order, theirs, quantity, counters, timers: [], ...state }
    this.#open.set(id, open)
    void this.#prepare(open)
  }

  async #prepare(open: Open): Promise<void> {
    const { order, theirs, id } = open
    const { price } = theirs.terms
    const { give, take } = giveAndTake(order.terms, open.quantity, price)
    const { orderFunds, swapEngine, funds, chains } = this.#deps
    try {
      open.needs = await fillNeeds(order.terms, funds, chains)
      if (open.ended) return
      orderFunds.take(order, id, give, open.needs)
      const half = await swapEngine.prepare({
        id,
        role: 'initiator',
        give: order.giveAsset,
        take: order.takeAsset,
        giveAmount: give,
        takeAmount: take,
        reservation: swapReservation(order.terms.number, id),
      })
      if (open.ended || order.statement === null) {
        swapEngine.discard(id)
        return
      }
      open.message = {
        kind: 'propose',
        id,
        statement: order.statement,
        order: refOf(theirs),
        quantity: open.quantity,
        price,
        timeMs: this.#deps.clock.wallMs(),
        ...half,
      }
      this.#send(open, open.message)
    } catch (error) {
      const level = error instanceof AppError ? 'info' : 'error'
      this.#deps.log[level]('a proposal could not be made', { order: order.terms.number, reason: errorText(error) })
      this.#fail(open, 'other')
    }
  }

  #send(open: Open, message: Proposal): void {
    const { clock, network } = this.#deps
    const to = open.theirs.terms.trader
    open.timers.push(clock.after(PROPOSAL_MS, () => this.#fail(open, 'other')))
    const again = clock.every(PROPOSE_AGAIN_MS, () => void network.send(to, message))
    open.timers.push(again)
    void network.send(to, message).then(sent => {
      if (!sent) this.#fail(open, 'other')
    })
  }

  async #begin(open: Open, keys: AcceptKeys): Promise<void> {
    const { swapEngine, trades, orderFunds, log } = this.#deps
    const { order, id, needs, message } = open
    if (message === null || needs === null) return
    open.accepted = true
    cancelAll(open)
    const agreement = agreementOf(message, keys)
    try {
      await swapEngine.begin(agreement)
    } catch (error) {
      log.warn('an accepted trade could not begin', { reason: errorText(error) })
      // The engine may have it all the same, although it could not say that it is durable.
      if (!swapEngine.list().some(view => view.agreement.id === id)) {
        open.accepted = false
        const invalid = error instanceof AppError && error.code === 'InvalidParameter'
        if (!invalid) this.#deps.doubtful(order)
        this.#fail(open, invalid ? 'keys' : 'other')
        return
      }
    }
    this.#open.delete(id)
    this.#resting.went(order.terms, open.theirs)
    order.tradeBegan(id, open.quantity)
    if (trades.began(agreement, needs.fee, needs.gas) === null) orderFunds.release(order.terms.number, id)
    this.#deps.settled(order)
  }

  /** Less is left there: so much is proposed, if it is worth it. */
  #countered(open: Open, quantity: bigint): void {
    const { order, theirs, counters } = open
    if (quantity >= open.quantity || quantity < order.needs.leastQuantity || counters >= MAX_COUNTERS) {
      this.#fail(open, counters >= MAX_COUNTERS ? 'reserved' : 'quantity')
      return
    }
    this.#end(open)
    if (order.tradable && order.left >= quantity && this.#room(order)) {
      this.#propose(order, theirs, quantity, counters + 1)
    }
  }

  #fail(open: Open, reason: DeclineReason): void {
    if (open.ended || open.accepted) return
    const { order, theirs } = open
    const restMs = this.#resting.failed(order.terms, theirs, reason)
    this.#end(open)
    if (restMs !== null && order.live) this.#matchLater(order, restMs)
    // Others may have what this one has not.
    this.match(order)
  }

  #matchLater(order: HeldOrder, restMs: number): void {
    if (this.#later.has(order) || this.#stopped) return
    this.#later.set(
      order,
      this.#deps.clock.after(restMs, () => {
        this.#later.delete(order)
        this.match(order)
      }),
    )
  }

  #end(open: Open): void {
    if (open.ended) return
    open.ended = true
    cancelAll(open)
    this.#open.delete(open.id)
    open.order.giveBack(open.id)
    this.#deps.orderFunds.release(open.order.terms.number, open.id)
    this.#deps.swapEngine.discard(open.id)
    this.#deps.settled(open.order)
  }
}

function cancelAll(open: Open): void {
  for (const timer of open.timers) timer.cancel()
  open.timers = []
}

function refOf({ terms }: OrderStatement): { trader: string; number: number } {
  return { trader: terms.trader, number: terms.number }
}
