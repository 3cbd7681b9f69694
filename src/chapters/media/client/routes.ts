// The routes of films by name, as types: what commands and pages ask.

import type { ReplyOf, RoutesOf } from '../../../client/routes.ts'
import type { mediaRoutes } from '../http/media.ts'

/** Every route of the chapter. */
export type MediaRoutes = RoutesOf<typeof mediaRoutes>

/** What is known of a file. */
export type Media = ReplyOf<MediaRoutes, 'GET /downloads/{infohash}/media/{fileindex}'>['media']
