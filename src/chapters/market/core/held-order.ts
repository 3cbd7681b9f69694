// An own order as its owner holds it: how much of it is left, how much is reserved for proposals and swaps, and what
// the market knows of it. Invariant: traded, pending and negotiated quantity together never exceed the whole, since
// each part is taken out of what is left.

import type { OwnOrder, OwnOrderStatus } from '../ports/market-trader.ts'
import type { Asset } from '../../wallets/core/assets.ts'
import type { OrderState, OrderStatement, OrderTerms } from '../wire/types.ts'
import type { FillNeeds } from './fill-needs.ts'

/** How an order ended; `open`: it has not. Suspension is no end and is not kept: it follows from the wallets. */
export type KeptStatus = Exclude<OwnOrderStatus, 'suspended'>

/** What of an order outlasts the process. */
export interface KeptOrder {
  readonly terms: OrderTerms
  readonly key: string
  readonly needs: FillNeeds
  readonly status: KeptStatus
  readonly reason: string
  /** Unix time, milliseconds: when it ended; null = it has not. */
  readonly closedMs: number | null
  readonly completedMs: number | null
  /** No statement had a higher one. */
  readonly sequence: number
}

/** An own order as its owner holds it: how much is left, how much is reserved, what the market knows of it. */
export class HeldOrder {
  readonly terms: OrderTerms
  readonly key: string
  /** Of a trade, as reckoned when it was placed. */
  readonly needs: FillNeeds
  status: KeptStatus
  reason: string
  closedMs: number | null
  completedMs: number | null
  /** Why it cannot be traded now; '' = it can. */
  suspendedFor = 'The node has just started.'
  /** Is being cancelled: nothing new begins. */
  ending = false
  /** Since when its funds are missing, milliseconds of the clock; null = they are there. */
  shortSinceMs: number | null = null
  /** That of the last statement. */
  sequence: number
  /** Statements up to this one may be made without a write. */
  sequenceKept: number
  /** The last that was sent. */
  statement: OrderStatement | null = null
  readonly #negotiated = new Map<string, bigint>()
  readonly #trades = new Map<string, { readonly quantity: bigint; state: 'pending' | 'traded' | 'back' }>()

  constructor(kept: KeptOrder) {
    this.terms = kept.terms
    this.key = kept.key
    this.needs = kept.needs
    this.status = kept.status
    this.reason = kept.reason
    this.closedMs = kept.closedMs
    this.completedMs = kept.completedMs
    this.sequence = kept.sequence
    this.sequenceKept = kept.sequence
  }

  /** It has not ended. */
  get live(): boolean {
    return this.status === 'open'
  }

  /** Something new may begin with it. */
  get tradable(): boolean {
    return this.live && !this.ending && this.suspendedFor === ''
  }

  get endMs(): number {
    return this.terms.timeMs + this.terms.timeoutS * 1000
  }

  get giveAsset(): Asset {
    return this.terms.side === 'ask' ? this.terms.quantityAsset : this.terms.priceAsset
  }

  get takeAsset(): Asset {
    return this.terms.side === 'ask' ? this.terms.priceAsset : this.terms.quantityAsset
  }

  get traded(): bigint {
    return this.#sum('traded')
  }

  /** In swaps that run. */
  get pending(): bigint {
    return this.#sum('pending')
  }

  /** In proposals under way. */
  get negotiated(): bigint {
    let sum = 0n
    for (const quantity of this.#negotiated.values()) sum += quantity
    return sum
  }

  get reserved(): bigint {
    return this.pending + this.negotiated
  }

  /** Neither traded nor reserved. */
  get left(): bigint {
    return this.terms.quantity - this.traded - this.reserved
  }

  get negotiations(): number {
    return this.#negotiated.size
  }

  get tradeCount(): number {
    return this.#trades.size
  }

  /** Reserves a part under a name. Throws RangeError: there is not so much, or the name is taken. */
  negotiate(id: string, quantity: bigint): void {
    if (quantity <= 0n || quantity > this.left) throw new RangeError('more than is left of the order')
    if (this.#negotiated.has(id) || this.#trades.has(id)) throw new RangeError('this part is reserved')
    this.#negotiated.set(id, quantity)
  }

  /** Releases a reserved part; harmless when it was not reserved. */
  giveBack(id: string): void {
    this.#negotiated.delete(id)
  }

  /** A part is in a swap from now on, whether it was reserved or not: a swap that runs is a fact. */
  tradeBegan(id: string, quantity: bigint): void {
    this.#negotiated.delete(id)
    if (!this.#trades.has(id)) this.#trades.set(id, { quantity, state: 'pending' })
  }

  /** `traded`: what we gave is gone; else it comes back. */
  tradeEnded(id: string, traded: boolean): void {
    const trade = this.#trades.get(id)
    if (trade !== undefined) trade.state = traded ? 'traded' : 'back'
  }

  /** What its next statement says. */
  state(): Omit<OrderState, 'sequence'> {
    if (!this.live) return { status: 'closed', remaining: 0n }
    const rest = this.terms.quantity - this.traded - this.pending
    const remaining = rest > 0n ? rest : 0n
    return { status: this.tradable ? 'open' : 'suspended', remaining }
  }

  /** What is kept of it. */
  kept(sequence: number): KeptOrder {
    const { terms, key, needs, status, reason, closedMs, completedMs } = this
    return { terms, key, needs, status, reason, closedMs, completedMs, sequence }
  }

  /** What the interface shows. */
  view(): OwnOrder {
    const suspended = this.live && this.suspendedFor !== ''
    return {
      terms: this.terms,
      status: suspended ? 'suspended' : this.status,
      reserved: this.reserved,
      traded: this.traded,
      completedMs: this.completedMs,
      reason: suspended ? this.suspendedFor : this.reason,
      key: this.key,
    }
  }

  #sum(state: 'pending' | 'traded'): bigint {
    let sum = 0n
    for (const trade of this.#trades.values()) if (trade.state === state) sum += trade.quantity
    return sum
  }
}
