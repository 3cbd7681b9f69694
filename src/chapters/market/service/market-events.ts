// What happens to own orders and trades, as events. What strangers can change at will (quantities reserved for
// proposals) is reported with the next step, not by itself: a market full of proposals does not fill the log of events.

import type { MarketTrader, TraderEvent } from '../ports/market-trader.ts'
import type { EventSink } from '../../../services/events/event-table.ts'
import type { MarketEventPayloads } from './market-event-table.ts'
import { orderRecord, transactionRecord } from './market-records.ts'

/** Orders and trades whose last state is remembered. */
const MAX_REMEMBERED = 10_000

/** Tells of own orders and trades as events of the node until the function it answers is called. */
export function tellMarketEvents(
  trader: Pick<MarketTrader, 'watch'>,
  events: EventSink<MarketEventPayloads>,
): () => void {
  const last = new Map<string, string>()
  return trader.watch(happened => {
    const [name, state] = stateOf(happened)
    if (!happened.created && last.get(name) === state) return
    last.delete(name)
    last.set(name, state)
    for (const oldest of last.keys()) {
      if (last.size <= MAX_REMEMBERED) break
      last.delete(oldest)
    }
    tell(happened, events)
  })
}

/** Name of what changed, and what of it is worth an event. */
function stateOf(happened: TraderEvent): [name: string, state: string] {
  if (happened.kind === 'order') {
    const { terms, status, traded } = happened.order
    return [`order ${terms.number}`, `${status} ${traded}`]
  }
  const { number, swap } = happened.trade
  return [`trade ${number}`, `${swap?.step} ${swap?.outcome} ${swap?.given} ${swap?.taken}`]
}

function tell(happened: TraderEvent, events: EventSink<MarketEventPayloads>): void {
  const { created } = happened
  if (happened.kind === 'order') {
    const payload = { order: orderRecord(happened.order), reason: happened.order.reason }
    events.emit(created ? 'market_order_created' : 'market_order_changed', payload)
    return
  }
  const transaction = transactionRecord(happened.trade)
  events.emit(created ? 'market_transaction_created' : 'market_transaction_changed', { transaction })
}
