// All routes of the node: the single source of routing, checking, documentation and the contract tests.

import type { EventDocs } from '../services/events/event-table.ts'
import { beforeChapters, behindChapters, behindShutdown, lastRoutes } from './later-routes.ts'
import type { Route, RouteTable } from './route.ts'
import { controlRoutes } from './routes/controls.ts'
import { dashboardRoutes } from './routes/dashboard.ts'
import { downloadRoutes } from './routes/downloads.ts'
import { eventRoutes } from './routes/events.ts'
import { shutdownRoutes } from './routes/shutdown.ts'
import { stateRoutes } from './routes/state.ts'

/** Bytes of a body that holds no torrent, nor lists as long as one has files (decision 0453). */
export const MAX_PLAIN_BODY_BYTES = 1024 * 1024

/** Bytes of a request body; more is answered 413 (decisions part 1). */
export const MAX_BODY_BYTES = 16 * 1024 * 1024

/** The table of a node; `ofChapters`: the routes of chapters, asked for once and late, `events`: what they emit. */
export function routeTable(ofChapters: () => readonly Route[], events: readonly EventDocs[]): RouteTable {
  const downloads = [...downloadRoutes, ...controlRoutes]
  const followed = eventRoutes(events)
  let all: readonly Route[] | null = null
  let later: readonly Route[] | null = null
  let chapters: readonly Route[] | null = null
  const ofThem = (): readonly Route[] => (chapters ??= ofChapters())
  const inOrder = (): readonly Route[] => [
    ...[...downloads, ...beforeChapters, ...ofThem(), ...stateRoutes, ...behindChapters],
    ...[...shutdownRoutes, ...behindShutdown, ...followed, ...lastRoutes, ...dashboardRoutes],
  ]
  return {
    // The node can be stopped also where what comes later cannot be read.
    atStart: [...downloads, ...stateRoutes, ...shutdownRoutes, ...followed, ...dashboardRoutes],
    later: () => (later ??= [...beforeChapters, ...ofThem(), ...behindChapters, ...behindShutdown, ...lastRoutes]),
    all: () => (all ??= inOrder()),
  }
}
