// All routes of the node: the single source of routing, checking, documentation and the contract tests.

import type { Route } from './route.ts'
import { channelExtraRoutes } from '../chapters/channels/http/channel-extras.ts'
import { channelPlaylistRoutes } from '../chapters/channels/http/channel-playlists.ts'
import { channelTorrentRoutes } from '../chapters/channels/http/channel-torrents.ts'
import { channelRoutes } from '../chapters/channels/http/channels.ts'
import { circuitRoutes } from '../chapters/circuits/http/circuits.ts'
import { controlRoutes } from './routes/controls.ts'
import { coreRoutes } from './routes/core.ts'
import { dashboardRoutes } from './routes/dashboard.ts'
import { createTorrentRoutes } from './routes/create-torrent.ts'
import { debugRoutes } from './routes/debug.ts'
import { docsRoutes } from './routes/docs.ts'
import { downloadRoutes } from './routes/downloads.ts'
import { eventRoutes } from './routes/events.ts'
import { feedRoutes } from '../chapters/channels/http/feeds.ts'
import { importRoutes } from './routes/import.ts'
import { marketRoutes } from '../chapters/market/http/market.ts'
import { metricsRoutes } from './routes/metrics.ts'
import { keyRoutes } from './routes/keys.ts'
import { searchRoutes } from '../chapters/channels/http/search.ts'
import { statisticsRoutes } from './routes/statistics.ts'
import { shutdownRoutes } from './routes/shutdown.ts'
import { torrentHealthRoutes } from '../chapters/channels/http/torrent-health.ts'
import { transmissionRoutes } from './routes/transmission.ts'
import { updateRoutes } from './routes/updates.ts'
import { walletExtraRoutes } from '../chapters/wallets/http/wallet-extras.ts'
import { walletRoutes } from '../chapters/wallets/http/wallets.ts'

/** Bytes of a body that holds no torrent, nor lists as long as one has files (decision 0453). */
export const MAX_PLAIN_BODY_BYTES = 1024 * 1024

/** Bytes of a request body; more is answered 413 (decisions part 1). */
export const MAX_BODY_BYTES = 16 * 1024 * 1024

/** Every route, in the order of the documentation. */
export const routeTable: readonly Route[] = [
  ...downloadRoutes,
  ...controlRoutes,
  ...createTorrentRoutes,
  ...importRoutes,
  ...updateRoutes,
  ...channelRoutes,
  ...channelTorrentRoutes,
  ...channelPlaylistRoutes,
  ...channelExtraRoutes,
  ...feedRoutes,
  ...searchRoutes,
  ...torrentHealthRoutes,
  ...walletRoutes,
  ...walletExtraRoutes,
  ...marketRoutes,
  ...coreRoutes,
  ...statisticsRoutes,
  ...keyRoutes,
  ...shutdownRoutes,
  ...circuitRoutes,
  ...debugRoutes,
  ...metricsRoutes,
  ...eventRoutes,
  ...transmissionRoutes,
  ...docsRoutes,
  ...dashboardRoutes,
]
