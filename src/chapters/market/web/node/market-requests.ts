// What users ask of the market: requests by name. Each rejects with ApiError. Secrets go in bodies, never in addresses.

import type {
  MarketFees,
  MarketNetworkState,
  MarketRoutes,
  Order,
  OrderExplanation,
  OrderGroup,
  Trade,
  TradePayment,
} from '../../client/routes.ts'
import { NodeApi } from '../../../../web/node/api.ts'
import type { OrderWords } from '../model/market-words.ts'
import { session } from '../../../../web/node/context.ts'

type Signal = AbortSignal | undefined

const api = new NodeApi<MarketRoutes>(session.node)

/** Both sides of the book, and how the node stands in the network of the market. */
export async function bookNow(signal?: Signal): Promise<{
  readonly asks: readonly OrderGroup[]
  readonly bids: readonly OrderGroup[]
  readonly network: MarketNetworkState
}> {
  const [{ asks, network }, { bids }] = await Promise.all([
    api.call('GET /market/asks', { signal }),
    api.call('GET /market/bids', { signal }),
  ])
  return { asks, bids, network }
}

/** Own orders. */
export async function ordersNow(signal?: Signal): Promise<Order[]> {
  return (await api.call('GET /market/orders', { signal })).orders
}

/** Own trades. */
export async function tradesNow(signal?: Signal): Promise<Trade[]> {
  return (await api.call('GET /market/transactions', { signal })).transactions
}

/** What one trade would cost in fees. */
export function marketFees(words: OrderWords): Promise<MarketFees> {
  const { quantityType, priceType, quantity, price } = words
  const coins = { quantity_type: quantityType, price_type: priceType }
  return api.call('GET /market/fees', { parameters: { ...coins, quantity_exact: quantity, price_exact: price } })
}

/** Places an order; its number. The same `key` never places two. `spendKey`: '' = none. */
export async function placeOrder(words: OrderWords, key: string, spendKey: string): Promise<number> {
  const parameters = {
    price_exact: words.price,
    quantity_exact: words.quantity,
    timeout: words.hours * 3600,
    idempotency_key: key,
    price_type: words.priceType,
    quantity_type: words.quantityType,
    ...(spendKey === '' ? {} : { spend_key: spendKey }),
  }
  const route = words.side === 'ask' ? 'PUT /market/asks' : 'PUT /market/bids'
  return (await api.call(route, { parameters })).order_number
}

/** Takes an order back. */
export async function cancelOrder(number: number): Promise<void> {
  await api.call('POST /market/orders/{number}/cancel', { path: { number } })
}

/** Why an order stands as it does. */
export function explainOrder(number: number, signal?: Signal): Promise<OrderExplanation> {
  return api.call('GET /market/orders/{number}/explain', { path: { number }, signal })
}

/** Transactions on the chains that belong to a trade. */
export async function paymentsOf(trader: string, number: number, signal?: Signal): Promise<TradePayment[]> {
  const path = { trader, number }
  return (await api.call('GET /market/transactions/{trader}/{number}/payments', { path, signal })).payments
}
