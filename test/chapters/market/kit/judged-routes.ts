// Whom the routes of the market contact.

import type { JudgedRoutes } from '../../../kit/nodes/contacting-routes.ts'

/** Routes of the market: its overlay and the servers of chains; nothing of them is a download (decision 0446). */
const ROUTES: readonly string[] = [
  ...['market.asks', 'market.ask', 'market.bids', 'market.bid', 'market.orders', 'market.transactions'],
  ...['market.cancel', 'market.explain', 'market.payments', 'market.fees'],
]

export const judged: JudgedRoutes = {
  others: ROUTES,
}
