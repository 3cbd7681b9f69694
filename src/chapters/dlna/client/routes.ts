// The routes of the media server by name, as types: what commands and pages ask.

import type { ReplyOf, RoutesOf } from '../../../client/routes.ts'
import type { dlnaRoutes } from '../http/dlna.ts'

/** Every route of the chapter. */
export type DlnaRoutes = RoutesOf<typeof dlnaRoutes>

/** What is served, and where. */
export type DlnaState = ReplyOf<DlnaRoutes, 'GET /dlna'>

/** A device that was given links. */
export type DlnaDevice = ReplyOf<DlnaRoutes, 'GET /dlna/devices'>['devices'][number]
