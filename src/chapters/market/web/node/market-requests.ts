// What users ask of the market: requests by name. Each rejects with ApiError. Secrets go in bodies, never in addresses.

import type {
  MarketFeesRecord,
  MarketPaymentRecord,
  MarketTransactionRecord,
  OrderExplanation,
  OrderRecord,
  TickGroup,
} from '../../service/market-api.ts'
import type { OrderWords } from '../model/market-words.ts'
import { session } from '../../../../web/node/context.ts'

type Signal = AbortSignal | undefined

/** Both sides of the book. */
export async function bookNow(signal?: Signal): Promise<{
  readonly asks: readonly TickGroup[]
  readonly bids: readonly TickGroup[]
}> {
  const [{ asks }, { bids }] = await Promise.all([
    session.api.ask<{ asks: TickGroup[] }>('GET', 'market/asks', undefined, signal),
    session.api.ask<{ bids: TickGroup[] }>('GET', 'market/bids', undefined, signal),
  ])
  return { asks, bids }
}

/** Own orders. */
export async function ordersNow(signal?: Signal): Promise<OrderRecord[]> {
  return (await session.api.ask<{ orders: OrderRecord[] }>('GET', 'market/orders', undefined, signal)).orders
}

/** Own trades. */
export async function tradesNow(signal?: Signal): Promise<MarketTransactionRecord[]> {
  const path = 'market/transactions'
  return (await session.api.ask<{ transactions: MarketTransactionRecord[] }>('GET', path, undefined, signal))
    .transactions
}

/** What one trade would cost in fees. */
export function marketFees(words: OrderWords): Promise<MarketFeesRecord> {
  const { quantityType, priceType, quantity, price } = words
  const query = new URLSearchParams({ quantity_type: quantityType, price_type: priceType })
  query.set('quantity_exact', quantity)
  query.set('price_exact', price)
  return session.api.ask<MarketFeesRecord>('GET', `market/fees?${query}`)
}

/** Places an order; its number. The same `key` never places two. `spendKey`: '' = none. */
export async function placeOrder(words: OrderWords, key: string, spendKey: string): Promise<number> {
  const body = {
    price_exact: words.price,
    quantity_exact: words.quantity,
    timeout: words.hours * 3600,
    idempotency_key: key,
    price_type: words.priceType,
    quantity_type: words.quantityType,
    ...(spendKey === '' ? {} : { spend_key: spendKey }),
  }
  const path = words.side === 'ask' ? 'market/asks' : 'market/bids'
  return (await session.api.ask<{ order_number: number }>('PUT', path, body)).order_number
}

/** Takes an order back. */
export async function cancelOrder(number: number): Promise<void> {
  await session.api.ask('POST', `market/orders/${number}/cancel`, {})
}

/** Why an order stands as it does. */
export function explainOrder(number: number, signal?: Signal): Promise<OrderExplanation> {
  return session.api.ask<OrderExplanation>('GET', `market/orders/${number}/explain`, undefined, signal)
}

/** Transactions on the chains that belong to a trade. */
export async function paymentsOf(trader: string, number: number, signal?: Signal): Promise<MarketPaymentRecord[]> {
  const path = `market/transactions/${trader}/${number}/payments`
  return (await session.api.ask<{ payments: MarketPaymentRecord[] }>('GET', path, undefined, signal)).payments
}
