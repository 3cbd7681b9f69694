// Whom the routes of films contact.

import type { JudgedRoutes } from '../../../kit/nodes/contacting-routes.ts'

export const judged: JudgedRoutes = {
  contacting: {
    'downloads.media': 'as downloads.stream: a reader of the download makes it run',
    'downloads.subtitles': 'as downloads.stream: a download that rests is woken; what is not there is not asked for',
  },
  others: [],
}
