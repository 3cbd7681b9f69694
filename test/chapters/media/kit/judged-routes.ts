// Whom the routes of films contact.

import type { JudgedRoutes } from '../../../kit/nodes/contacting-routes.ts'

export const judged: JudgedRoutes = {
  contacting: { 'downloads.media': 'as downloads.stream: a reader of the download makes it run' },
  others: [],
}
