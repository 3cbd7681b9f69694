// The overlay of the market as traders see it.

import type { NegotiationMessage } from '../wire/negotiation.ts'
import type { OrderStatement, OrderTerms, OrderState, TraderId } from '../wire/types.ts'

/** The overlay of the market as traders see it. */
export interface MarketNetwork {
  /** Who we are. */
  readonly trader: TraderId
  /** Peers of the overlay now. */
  readonly peers: number
  /** Signs a statement of an own order, puts it into the book and tells it. */
  state(terms: OrderTerms, state: OrderState): OrderStatement
  /**
   * Sends to a trader, who is looked for when it is no peer. False: it cannot be reached. Never rejects; that it
   * arrives is not promised.
   */
  send(to: TraderId, message: NegotiationMessage): Promise<boolean>
  /** Calls for each message, which `from` has signed; answers what ends the calls. */
  onMessage(heard: (from: TraderId, message: NegotiationMessage) => void): () => void
}
