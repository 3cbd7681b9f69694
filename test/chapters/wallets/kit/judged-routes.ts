// Whom the routes of wallets contact.

import type { JudgedRoutes } from '../../../kit/nodes/contacting-routes.ts'

/** Routes that ask the servers of chains, which the owner named, and nobody of a swarm (decision 0432). */
const ROUTES: readonly string[] = [
  ...['wallets.list', 'wallets.create', 'wallets.balance', 'wallets.transactions', 'wallets.transfer'],
  ...['wallets.fees', 'wallets.raiseFee', 'wallets.unlock', 'wallets.lock', 'wallets.exportSeed'],
  ...['wallets.restoreSeed', 'wallets.setSpendKey', 'wallets.removeSpendKey', 'wallets.audit'],
]

export const judged: JudgedRoutes = {
  others: ROUTES,
}
