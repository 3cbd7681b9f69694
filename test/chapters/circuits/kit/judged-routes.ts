// Whom the routes of circuits contact.

import type { JudgedRoutes } from '../../../kit/nodes/contacting-routes.ts'

/** Routes that show what there is. */
const ROUTES: readonly string[] = [
  ...['debug.circuits', 'debug.slots', 'debug.relays', 'debug.exits', 'debug.circuit-traffic'],
  'debug.circuit-network',
]

export const judged: JudgedRoutes = {
  others: ROUTES,
}
