// Own orders and own trades as the interface sees them. The trader of the market (src/chapters/market/core/trader.ts)
// places orders, negotiates and begins swaps; users of this port only read and give orders.

import type { Asset } from '../../wallets/core/assets.ts'
import type { OrderRef, OrderTerms, Side, SwapAgreement, TraderId } from '../wire/types.ts'
import type { SwapView } from './swap-engine.ts'

/**
 * `open`: it can be matched; `suspended`: its wallet is locked or cannot be read; `completed`: all of it is traded;
 * `expired`; `cancelled`: by us; `withdrawn`: its funds are gone, or it was found to be a fraud. From `completed` on
 * nothing changes any more.
 */
export type OwnOrderStatus = 'open' | 'suspended' | 'completed' | 'expired' | 'cancelled' | 'withdrawn'

/** An order of ours. */
export interface OwnOrder {
  readonly terms: OrderTerms
  readonly status: OwnOrderStatus
  /** Of its quantity: under negotiation or in swaps that run. */
  readonly reserved: bigint
  /** Of its quantity: swapped. */
  readonly traded: bigint
  /** Unix time, milliseconds: when all of it was traded; null: not yet. */
  readonly completedMs: number | null
  /** Why it is in this state, a sentence for people; '' = nothing to say. */
  readonly reason: string
  /** That of the request that placed it; '' = none. */
  readonly key: string
}

/** The order to place; checked, but for the money. */
export interface WantedOrder {
  readonly side: Side
  readonly quantityAsset: Asset
  readonly priceAsset: Asset
  readonly quantity: bigint
  readonly price: bigint
  readonly timeoutS: number
  /** '' = none; kept with the order: the same key is the same order for ever. */
  readonly key: string
}

/** A trade of ours, from its agreement on. */
export interface OwnTrade {
  /** Of ours, from 1. */
  readonly number: number
  readonly agreement: SwapAgreement
  /** Ours of the two orders. */
  readonly order: OrderTerms
  readonly partner: OrderRef
  /** Null: it has not begun (yet). */
  readonly swap: SwapView | null
}

/** What happened to an own order or trade. */
export type TraderEvent =
  | { readonly kind: 'order'; readonly created: boolean; readonly order: OwnOrder }
  | { readonly kind: 'trade'; readonly created: boolean; readonly trade: OwnTrade }

/** Own orders and own trades as the interface sees them. */
export interface MarketTrader {
  /** Ours. */
  readonly id: TraderId
  /**
   * Sets its funds aside, keeps it, tells the others; durable when settled. AppErrors WalletNotCreated, WalletLocked,
   * InsufficientFunds, TooManyRequests (too many open orders), WalletServerFailed, DiskFull, DiskError.
   */
  place(wanted: WantedOrder): Promise<OwnOrder>
  /** AppErrors OrderNotFound, OrderNotOpen. */
  cancel(orderNumber: number): Promise<void>
  /** In the order of their numbers. */
  orders(): readonly OwnOrder[]
  /** In the order of their numbers. */
  trades(): readonly OwnTrade[]
  /** What is set aside for an order, in the smallest unit of the coin it gives. */
  fundsOf(orderNumber: number): bigint
  /** Calls at every change of own orders and trades; answers what ends the calls. */
  watch(happened: (event: TraderEvent) => void): () => void
}
