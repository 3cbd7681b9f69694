// All routes of the node: the single source of routing, checking, documentation and the contract tests.

import type { EventDocs } from '../services/events/event-table.ts'
import type { Route } from './route.ts'
import { controlRoutes } from './routes/controls.ts'
import { coreRoutes } from './routes/core.ts'
import { dashboardRoutes } from './routes/dashboard.ts'
import { createTorrentRoutes } from './routes/create-torrent.ts'
import { debugRoutes } from './routes/debug.ts'
import { docsRoutes } from './routes/docs.ts'
import { downloadRoutes } from './routes/downloads.ts'
import { eventRoutes } from './routes/events.ts'
import { importRoutes } from './routes/import.ts'
import { metricsRoutes } from './routes/metrics.ts'
import { keyRoutes } from './routes/keys.ts'
import { statisticsRoutes } from './routes/statistics.ts'
import { shutdownRoutes } from './routes/shutdown.ts'
import { transmissionRoutes } from './routes/transmission.ts'
import { updateRoutes } from './routes/updates.ts'

/** Bytes of a body that holds no torrent, nor lists as long as one has files (decision 0453). */
export const MAX_PLAIN_BODY_BYTES = 1024 * 1024

/** Bytes of a request body; more is answered 413 (decisions part 1). */
export const MAX_BODY_BYTES = 16 * 1024 * 1024

const FIRST: readonly Route[] = [
  ...downloadRoutes,
  ...controlRoutes,
  ...createTorrentRoutes,
  ...importRoutes,
  ...updateRoutes,
]
const LATER: readonly Route[] = [
  ...coreRoutes,
  ...statisticsRoutes,
  ...keyRoutes,
  ...shutdownRoutes,
  ...debugRoutes,
  ...metricsRoutes,
]
const LAST: readonly Route[] = [...transmissionRoutes, ...docsRoutes, ...dashboardRoutes]

/** Every route, in the order of the documentation; `chapters`: those of chapters, and `events` what they emit. */
export function routeTable(chapters: readonly Route[], events: readonly EventDocs[]): readonly Route[] {
  return [...FIRST, ...chapters, ...LATER, ...eventRoutes(events), ...LAST]
}
