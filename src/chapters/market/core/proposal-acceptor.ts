// The side that answers a proposal: the owner of the older order checks every field of a proposal itself, makes its
// half, begins the swap (durable) and only then accepts. A proposal that comes again gets the same answer. What
// strangers may pin of ours is bounded: see limits.ts.

import { AppError, errorText } from '../../../base/errors.ts'
import type { SwapHalf } from '../ports/swap-engine.ts'
import type { DeclineReason, NegotiationMessage } from '../wire/negotiation.ts'
import type { SwapAgreement, TraderId } from '../wire/types.ts'
import { type FillNeeds, fillNeeds } from './fill-needs.ts'
import type { HeldOrder } from './held-order.ts'
import { MAX_SWAPS, MAX_SWAPS_OF_TRADER, MAX_TRADES_OF_ORDER } from './limits.ts'
import { swapReservation } from './order-funds.ts'
import type { NegotiationDeps } from './proposal-sender.ts'
import { agreementOf, giveAndTake, type Proposal, refusalOf } from './trade-terms.ts'

/** Proposals that are being answered: of all, of one trader. */
const MAX_ANSWERING = 32
/** Proposals of one trader that are being answered. */
const MAX_ANSWERING_OF_TRADER = 4
/** Answers that are remembered, to be given again; of swaps that began the trades remember. */
const MAX_ANSWERS = 1_024

type Answer = Extract<NegotiationMessage, { kind: 'accept' | 'counter' | 'decline' }>

/** Thrown and caught here: a proposal gets this answer. */
class Refused extends Error {
  readonly answer: DeclineReason | { readonly counter: bigint }
  constructor(answer: DeclineReason | { readonly counter: bigint }) {
    super('refused')
    this.answer = answer
  }
}

/**
 * The side that answers a proposal: the owner of the older order checks every field of a proposal itself, makes its
 * half, begins the swap (durable) and only then accepts.
 */
export class ProposalAcceptor {
  readonly #deps: NegotiationDeps
  /** Answers that began no swap, by trader and id, the oldest first. */
  readonly #answers = new Map<string, Answer>()
  /** Proposals that are being answered: id by id, whose they are. */
  readonly #working = new Map<string, TraderId>()
  /** Whether an id is one of a proposal of ours. */
  readonly #isOurs: (id: string) => boolean
  #stopped = false

  constructor(deps: NegotiationDeps, isOurs: (id: string) => boolean) {
    this.#deps = deps
    this.#isOurs = isOurs
  }

  /** Proposals that are being answered. */
  get size(): number {
    return this.#working.size
  }

  /** Answers a proposal, unless it is one too many. */
  heard(from: TraderId, proposal: Proposal): void {
    if (this.#stopped || this.#working.has(proposal.id) || !this.#deps.conduct.admits(from)) return
    const known = this.#answers.get(`${from}/${proposal.id}`) ?? this.#begun(from, proposal.id)
    if (known !== null) {
      void this.#deps.network.send(from, known)
      return
    }
    if (this.#working.size >= MAX_ANSWERING || this.#workingFor(from) >= MAX_ANSWERING_OF_TRADER) return
    this.#working.set(proposal.id, from)
    void this.#answer(from, proposal).finally(() => this.#working.delete(proposal.id))
  }

  /** Ends the taking of proposals. */
  stop(): void {
    this.#stopped = true
  }

  /**
   * The acceptance of a swap that began: it follows from the agreement, also after a restart. Another trader's id is no
   * trade of this one.
   */
  #begun(from: TraderId, id: string): Answer | null {
    const trade = this.#deps.trades.byId(id)
    if (trade === null) return null
    const { first, second } = trade.agreement
    const role = trade.swap?.role
    if (trade.partner.trader !== from || role === 'initiator') return { kind: 'decline', id, reason: 'other' }
    return { kind: 'accept', id, claimKey: first.claimKey, refundKey: second.refundKey }
  }

  async #answer(from: TraderId, proposal: Proposal): Promise<void> {
    const { id } = proposal
    let answer: Answer
    try {
      const half = await this.#take(from, proposal)
      answer = { kind: 'accept', id, claimKey: half.claimKey, refundKey: half.refundKey }
    } catch (error) {
      answer = this.#refusal(id, error)
      this.#remember(from, answer)
    }
    await this.#deps.network.send(from, answer)
  }

  #refusal(id: string, error: unknown): Answer {
    if (!(error instanceof Refused)) {
      const level = error instanceof AppError ? 'info' : 'error'
      this.#deps.log[level]('a proposal is declined', { reason: errorText(error) })
      return { kind: 'decline', id, reason: 'other' }
    }
    const { answer } = error
    return typeof answer === 'string'
      ? { kind: 'decline', id, reason: answer }
      : { kind: 'counter', id, quantity: answer.counter }
  }

  /** Begins the swap of a proposal, or throws why not. */
  async #take(from: TraderId, proposal: Proposal): Promise<SwapHalf> {
    const order = this.#orderOf(from, proposal)
    const { orderFunds, swapEngine } = this.#deps
    const { number } = order.terms
    const { id } = proposal
    order.negotiate(id, proposal.quantity)
    let begun = false
    try {
      const needs = await fillNeeds(order.terms, this.#deps.funds, this.#deps.chains)
      const half = await this.#prepare(order, proposal, needs)
      const agreement = agreementOf(proposal, half)
      await this.#begin(agreement, order)
      begun = true
      order.tradeBegan(id, proposal.quantity)
      this.#deps.trades.began(agreement, needs.fee, needs.gas)
      return half
    } finally {
      if (!begun) {
        order.giveBack(id)
        orderFunds.release(number, id)
        swapEngine.discard(id)
      }
      this.#deps.settled(order)
    }
  }

  async #prepare(order: HeldOrder, proposal: Proposal, needs: FillNeeds): Promise<SwapHalf> {
    const { id, quantity, price } = proposal
    const { give, take } = giveAndTake(order.terms, quantity, price)
    try {
      this.#deps.orderFunds.take(order, id, give, needs)
    } catch (error) {
      throw error instanceof AppError ? new Refused('funds') : error
    }
    const request = { give: order.giveAsset, take: order.takeAsset, giveAmount: give, takeAmount: take }
    const reservation = swapReservation(order.terms.number, id)
    try {
      return await this.#deps.swapEngine.prepare({ id, role: 'participant', ...request, reservation })
    } catch (error) {
      throw invalid(error) ? new Refused('quantity') : error
    }
  }

  async #begin(agreement: SwapAgreement, order: HeldOrder): Promise<void> {
    const { swapEngine } = this.#deps
    try {
      swapEngine.checkLocks(agreement)
    } catch (error) {
      throw invalid(error) ? new Refused('locks') : error
    }
    // It may have been cancelled, suspended or ended while the chains were asked.
    if (!order.tradable) throw new Refused(whyNotTradable(order))
    try {
      await swapEngine.begin(agreement)
    } catch (error) {
      // The engine may have it all the same, although it could not say that it is durable.
      if (swapEngine.list().some(view => view.agreement.id === agreement.id)) return
      if (invalid(error)) throw new Refused('keys')
      this.#deps.doubtful(order)
      throw error
    }
  }

  /** The order that a proposal is for, when all of the proposal fits it. Throws Refused. */
  #orderOf(from: TraderId, proposal: Proposal): HeldOrder {
    const { network, clock, trades } = this.#deps
    const order = proposal.order.trader === network.trader ? this.#deps.orderOf(proposal.order.number) : null
    if (order === null) throw new Refused('unknown order')
    if (!order.tradable) throw new Refused(whyNotTradable(order))
    if (order.endMs <= clock.wallMs()) throw new Refused('expired')
    const refusal = refusalOf(proposal, from, order.terms, clock.wallMs())
    if (refusal !== null) throw new Refused(refusal)
    if (this.#isOurs(proposal.id)) throw new Refused('other')
    if (trades.hasHash(proposal.hash)) throw new Refused('keys')
    if (!this.#mayBegin(from, order)) throw new Refused('busy')
    this.#checkQuantity(order, proposal.quantity)
    return order
  }

  #mayBegin(from: TraderId, order: HeldOrder): boolean {
    const { trades, conduct } = this.#deps
    if (conduct.avoided(from) || order.tradeCount + order.negotiations >= MAX_TRADES_OF_ORDER) return false
    // The proposal itself is at work already.
    if (trades.running(from) + this.#workingFor(from) > MAX_SWAPS_OF_TRADER) return false
    return trades.underWay() + this.#working.size <= MAX_SWAPS
  }

  #checkQuantity(order: HeldOrder, quantity: bigint): void {
    const { leastQuantity } = order.needs
    if (quantity < leastQuantity) throw new Refused('quantity')
    const { left } = order
    if (quantity <= left) return
    if (left >= leastQuantity) throw new Refused({ counter: left })
    throw new Refused(order.reserved > 0n ? 'reserved' : 'quantity')
  }

  #workingFor(trader: TraderId): number {
    let count = 0
    for (const working of this.#working.values()) if (working === trader) count++
    return count
  }

  #remember(to: TraderId, answer: Answer): void {
    this.#answers.set(`${to}/${answer.id}`, answer)
    for (const oldest of this.#answers.keys()) {
      if (this.#answers.size <= MAX_ANSWERS) break
      this.#answers.delete(oldest)
    }
  }
}

function whyNotTradable(order: HeldOrder): DeclineReason {
  if (order.status === 'completed' || order.status === 'expired' || order.status === 'cancelled') return order.status
  if (order.status === 'withdrawn' || order.ending) return 'cancelled'
  return 'suspended'
}

function invalid(error: unknown): boolean {
  return error instanceof AppError && error.code === 'InvalidParameter'
}
