// Events of the market (decisions part 6): name -> keys of `event`.

import type { EventDocs } from '../../../services/events/event-table.ts'
import type { MarketTransactionRecord, OrderRecord } from './market-api.ts'

/** Payload types by event type. */
export interface MarketEventPayloads {
  market_order_created: { order: OrderRecord; reason: string }
  market_order_changed: { order: OrderRecord; reason: string }
  market_transaction_created: { transaction: MarketTransactionRecord }
  market_transaction_changed: { transaction: MarketTransactionRecord }
}

/** What is documented of them. */
export const marketEventDocs: EventDocs<MarketEventPayloads> = {
  lines: {
    market_order_created: '(extra) An own order was placed.',
    market_order_changed: '(extra) An own order has another status, or more of it is traded; `reason` is for people.',
    market_transaction_created: '(extra) A trade of an own order was agreed.',
    market_transaction_changed: '(extra) The swap of an own trade has come further, or to its end.',
  },
  notes: [],
}
