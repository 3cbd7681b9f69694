// Computes the terms of a trade from two orders and a proposal: who gives what, the legs of the swap, and whether the
// proposal fits the order it is for. Pure.

import type { NegotiationMessage, DeclineReason } from '../wire/negotiation.ts'
import { COIN_DECIMALS, sameAsset } from '../../wallets/core/assets.ts'
import { costOf } from '../wire/cost.ts'
import type { OrderTerms, SwapAgreement } from '../wire/types.ts'
import { MAX_AHEAD_MS, PROPOSAL_MS } from './limits.ts'
import { isNewer } from './priority.ts'

/** A proposal on the wire. */
export type Proposal = Extract<NegotiationMessage, { kind: 'propose' }>

/** Keys of the half that answers. */
export interface AcceptKeys {
  readonly claimKey: string
  readonly refundKey: string
}

/** What a proposal gets: null = it fits, as far as terms go. */
export type Refusal = DeclineReason | null

/** Amounts of both coins: of `quantity` at `price`, between two orders like `terms`. */
export function amountsOf(terms: OrderTerms, quantity: bigint, price: bigint): { quantity: bigint; cost: bigint } {
  return { quantity, cost: costOf(quantity, price, COIN_DECIMALS[terms.quantityAsset.coin]) }
}

/** What the owner of an order of these terms gives and takes in a trade. */
export function giveAndTake(terms: OrderTerms, quantity: bigint, price: bigint): { give: bigint; take: bigint } {
  const { cost } = amountsOf(terms, quantity, price)
  return terms.side === 'ask' ? { give: quantity, take: cost } : { give: cost, take: quantity }
}

/**
 * The agreement that a proposal and its acceptance make: both sides come to the same. `newer`: the order of the
 * proposer, who funds first.
 */
export function agreementOf(proposal: Proposal, keys: AcceptKeys): SwapAgreement {
  const newer = proposal.statement.terms
  const { give, take } = giveAndTake(newer, proposal.quantity, proposal.price)
  const own = { trader: newer.trader, number: newer.number }
  const [ask, bid] = newer.side === 'ask' ? [own, proposal.order] : [proposal.order, own]
  const [gives, takes] =
    newer.side === 'ask' ? [newer.quantityAsset, newer.priceAsset] : [newer.priceAsset, newer.quantityAsset]
  const { id, hash, quantity, price, timeMs } = proposal
  const first = { asset: gives, hash, amount: give, lockS: proposal.firstLockS }
  const second = { asset: takes, hash, amount: take, lockS: proposal.secondLockS }
  return {
    id,
    ask,
    bid,
    quantity,
    price,
    timeMs,
    first: { ...first, claimKey: keys.claimKey, refundKey: proposal.refundKey },
    second: { ...second, claimKey: proposal.claimKey, refundKey: keys.refundKey },
  }
}

/**
 * Whether a proposal fits our order by everything that does not change: sides, coins, price, age, time. `from`: who has
 * signed it; `nowMs`: Unix time.
 */
export function refusalOf(proposal: Proposal, from: string, own: OrderTerms, nowMs: number): Refusal {
  const { terms, state } = proposal.statement
  if (terms.trader !== from || terms.trader === own.trader) return 'other'
  if (terms.side === own.side || !sameAsset(terms.quantityAsset, own.quantityAsset)) return 'other'
  if (!sameAsset(terms.priceAsset, own.priceAsset) || !isNewer(terms, own)) return 'other'
  if (!fresh(proposal, nowMs)) return 'expired'
  if (proposal.price !== own.price || !crosses(terms, own)) return 'price'
  if (state.status !== 'open') return 'other'
  return proposal.quantity <= 0n || proposal.quantity > state.remaining ? 'quantity' : null
}

/** Whether an ask costs no more than a bid gives, whichever is which. */
export function crosses(one: OrderTerms, other: OrderTerms): boolean {
  const [ask, bid] = one.side === 'ask' ? [one, other] : [other, one]
  return ask.price <= bid.price
}

function fresh({ timeMs, statement: { terms } }: Proposal, nowMs: number): boolean {
  if (terms.timeMs > nowMs + MAX_AHEAD_MS || terms.timeMs + terms.timeoutS * 1000 <= nowMs) return false
  return timeMs <= nowMs + MAX_AHEAD_MS && timeMs >= nowMs - PROPOSAL_MS - MAX_AHEAD_MS
}
