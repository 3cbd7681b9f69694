// Routes of the core that no start needs: loaded with those of chapters, when a path is asked for that is not among the
// others (src/build/first-use.json, decision 0521).

import type { Route } from './route.ts'
import { addingRoutes } from './routes/adding.ts'
import { bannedPeerRoutes } from './routes/banned-peers.ts'
import { coreRoutes } from './routes/core.ts'
import { createTorrentRoutes } from './routes/create-torrent.ts'
import { debugRoutes } from './routes/debug.ts'
import { docsRoutes } from './routes/docs.ts'
import { importRoutes } from './routes/import.ts'
import { keyRoutes } from './routes/keys.ts'
import { linkRoutes } from './routes/links.ts'
import { loginRoutes } from './routes/login.ts'
import { metricsRoutes } from './routes/metrics.ts'
import { queueRoutes } from './routes/queue.ts'
import { rateRoutes } from './routes/rates.ts'
import { slowModeRoutes } from './routes/slow-mode.ts'
import { statisticsRoutes } from './routes/statistics.ts'
import { transmissionRoutes } from './routes/transmission.ts'
import { updateRoutes } from './routes/updates.ts'
import { watchingRoutes } from './routes/watching.ts'

/** In the documentation before the routes of chapters. */
export const beforeChapters: readonly Route[] = [
  ...watchingRoutes,
  ...rateRoutes,
  ...createTorrentRoutes,
  ...importRoutes,
  ...updateRoutes,
]

/** Behind the routes of chapters. */
export const behindChapters: readonly Route[] = [
  ...coreRoutes,
  ...queueRoutes,
  ...addingRoutes,
  ...slowModeRoutes,
  ...bannedPeerRoutes,
  ...statisticsRoutes,
  ...keyRoutes,
  ...loginRoutes,
  ...linkRoutes,
]

/** Behind the route that stops the node, before those of events. */
export const behindShutdown: readonly Route[] = [...debugRoutes, ...metricsRoutes]

/** At the end. */
export const lastRoutes: readonly Route[] = [...transmissionRoutes, ...docsRoutes]
