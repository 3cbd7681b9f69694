// The overlay of the market as traders see it.

import type { NegotiationMessage } from '../wire/negotiation.ts'
import type { OrderStatement, OrderTerms, OrderState, TraderId } from '../wire/types.ts'

/** How this node stands in the overlay of the market. */
export interface MarketStanding {
  /**
   * `off`: by a setting; `starting`: it does not run yet; `failed`: it could not be started, which is tried again;
   * `alone`: it runs, and nobody was met yet; `connected`: there are others.
   */
  readonly state: 'off' | 'starting' | 'failed' | 'alone' | 'connected'
  /** Nodes it is connected to in that overlay. */
  readonly peers: number
  /** The setting that is why it is off; else empty. */
  readonly setting: string
  /** Why the last start failed, for people; else empty. */
  readonly problem: string
}

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
