// The order book as the rest of the market sees it (order-book.ts makes it). It holds checked statements only.

import type { Asset } from '../../wallets/core/assets.ts'
import type { OrderRef, OrderStatement, OrderTerms, Side } from '../wire/types.ts'

/**
 * What a statement came to. `new`: an unknown order; `newer`: a later state of a known one; `fraud`: other terms under
 * the same name, the order is closed for ever; `known`, `older`: nothing new; `expired`, `future`: refused by its time;
 * `full`: no room for it.
 */
export type BookChange = 'new' | 'newer' | 'fraud' | 'known' | 'older' | 'expired' | 'future' | 'full'

/** Two coins that are traded for each other. */
export interface Pair {
  readonly quantityAsset: Asset
  readonly priceAsset: Asset
}

/** The order book. */
export interface Book {
  /** Open orders. */
  readonly size: number
  /** Takes in a statement whose signature was checked. */
  put(statement: OrderStatement): BookChange
  /** The last that is known of an order; null: nothing, or it is closed by fraud, or gone. */
  get(ref: OrderRef): OrderStatement | null
  /**
   * Open orders with something left, of others, which an order of these terms crosses: the best price first, of one
   * price the oldest.
   */
  crossing(terms: OrderTerms): Iterable<OrderStatement>
  pairs(): readonly Pair[]
  /**
   * Open orders (also suspended ones) of one side: asks from the lowest price, bids from the highest; of one price the
   * oldest first.
   */
  ticks(pair: Pair, side: Side): Iterable<OrderStatement>
  /** Forgets what is over, some at a time: to be called each second or so. */
  expire(nowMs: number): void
  /**
   * Calls for each statement that changed the book, and with null as statement when orders expired; answers what ends
   * the calls.
   */
  watch(changed: (statement: OrderStatement | null, change: BookChange) => void): () => void
}
