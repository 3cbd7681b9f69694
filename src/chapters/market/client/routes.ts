// The routes of the market by name, as types: what commands and pages ask.

import type { ReplyOf, RoutesOf } from '../../../client/routes.ts'
import type { marketRoutes } from '../http/market.ts'

/** Every route of the chapter. */
export type MarketRoutes = RoutesOf<typeof marketRoutes>

/** Orders of all traders for one pair of coins. */
export type OrderGroup = ReplyOf<MarketRoutes, 'GET /market/asks'>['asks'][number]

/** How the node stands in the network of the market. */
export type MarketNetworkState = ReplyOf<MarketRoutes, 'GET /market/asks'>['network']

/** An own order. */
export type Order = ReplyOf<MarketRoutes, 'GET /market/orders'>['orders'][number]

/** An own trade. */
export type Trade = ReplyOf<MarketRoutes, 'GET /market/transactions'>['transactions'][number]

/** An order in the book, of any trader. */
export type BookOrder = OrderGroup['ticks'][number]

/** What a trade costs. */
export type MarketFees = ReplyOf<MarketRoutes, 'GET /market/fees'>

/** Why an own order stands as it does. */
export type OrderExplanation = ReplyOf<MarketRoutes, 'GET /market/orders/{number}/explain'>

/** A transaction of a trade on its chains. */
export type TradePayment = ReplyOf<
  MarketRoutes,
  'GET /market/transactions/{trader}/{number}/payments'
>['payments'][number]
