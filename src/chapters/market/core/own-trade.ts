// A trade of ours: two orders, what was agreed on, and the state of its swap.

import type { OwnTrade } from '../ports/market-trader.ts'
import type { SwapView } from '../ports/swap-engine.ts'
import type { OrderRef, OrderTerms, Side, SwapAgreement } from '../wire/types.ts'

/** What of a trade outlasts the process; the journal of its swap has the rest. */
export interface KeptTrade {
  readonly number: number
  /** Our order. */
  readonly order: OrderTerms
  readonly agreement: SwapAgreement
  /** Set aside for it: fees in the coin that is given, and gas money in the one that is taken. */
  readonly needsFee: bigint
  readonly needsGas: bigint
  /** Unix time, milliseconds: when it ended; 0 = it runs. */
  readonly endedMs: number
  /** The swap when it had ended; null: it runs. */
  readonly end: Omit<SwapView, 'agreement'> | null
}

/** A trade of ours: two orders, what was agreed on, and the state of its swap. */
export class HeldTrade {
  readonly number: number
  readonly order: OrderTerms
  readonly agreement: SwapAgreement
  readonly needsFee: bigint
  readonly needsGas: bigint
  endedMs: number
  /** As it was seen last; null: not yet. */
  swap: SwapView | null

  constructor(kept: KeptTrade) {
    this.number = kept.number
    this.order = kept.order
    this.agreement = kept.agreement
    this.needsFee = kept.needsFee
    this.needsGas = kept.needsGas
    this.endedMs = kept.endedMs
    this.swap = kept.end === null ? null : { agreement: kept.agreement, ...kept.end }
  }

  get partner(): OrderRef {
    return this.order.side === 'ask' ? this.agreement.bid : this.agreement.ask
  }

  get ended(): boolean {
    return this.swap !== null && this.swap.outcome !== null
  }

  /** What we give is gone: it counts as traded. */
  get traded(): boolean {
    return this.swap !== null && (this.swap.outcome === 'completed' || this.swap.given > 0n)
  }

  /** It failed, and the other side could have kept it from that. */
  get theirFault(): boolean {
    const { role, outcome } = this.swap ?? { role: null, outcome: null }
    if (outcome === 'refunded') return true
    return outcome === 'abandoned' && role === 'participant'
  }

  /** What is kept of it. */
  kept(): KeptTrade {
    const { number, order, agreement, needsFee, needsGas, endedMs } = this
    const end = this.swap !== null && this.ended ? withoutAgreement(this.swap) : null
    return { number, order, agreement, needsFee, needsGas, endedMs, end }
  }

  /** What the interface shows. */
  view(): OwnTrade {
    const { number, agreement, order, partner, swap } = this
    return { number, agreement, order, partner, swap }
  }
}

/**
 * Which of the two is ours, and in which role: the initiator takes the second leg. Null: neither order is of this
 * trader.
 */
export function ourPart(agreement: SwapAgreement, trader: string): Side | null {
  if (agreement.ask.trader === trader) return 'ask'
  return agreement.bid.trader === trader ? 'bid' : null
}

/** The view of a swap that the engine no longer knows: nothing of ours was seen to be put under a lock. */
export function lostSwap(agreement: SwapAgreement): SwapView {
  const [role, step] = ['initiator', 'lost'] as const
  const waitsFor = 'The journal of this swap is not there any more.'
  return { agreement, role, step, waitsFor, outcome: 'abandoned', given: 0n, taken: 0n, payments: [] }
}

function withoutAgreement(view: SwapView): Omit<SwapView, 'agreement'> {
  const { role, step, waitsFor, outcome, given, taken, payments } = view
  return { role, step, waitsFor, outcome, given, taken, payments }
}
