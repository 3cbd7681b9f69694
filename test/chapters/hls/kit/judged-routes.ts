// Whom the routes of HLS contact.

import type { JudgedRoutes } from '../../../kit/nodes/contacting-routes.ts'

const WAY = 'as downloads.stream: a reader of the download makes it run'

export const judged: JudgedRoutes = {
  contacting: {
    'downloads.hlsMaster': WAY,
    'downloads.hlsSegments': WAY,
    'downloads.hlsSegment': WAY,
    'downloads.hlsTexts': WAY,
    'downloads.hlsTextSegment': WAY,
  },
  others: [],
}
