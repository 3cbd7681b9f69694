// Whom the routes of the media server contact.

import type { JudgedRoutes } from '../../../kit/nodes/contacting-routes.ts'

/** They show and keep what is here; players ask for themselves. */
export const judged: JudgedRoutes = {
  others: ['dlna.state', 'dlna.devices', 'dlna.block', 'dlna.allow', 'dlna.forget'],
}
