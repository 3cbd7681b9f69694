// The routes of the core by name, as types: nothing of them is loaded with this file.

import type { addingRoutes } from '../http/routes/adding.ts'
import type { bannedPeerRoutes } from '../http/routes/banned-peers.ts'
import type { controlRoutes } from '../http/routes/controls.ts'
import type { coreRoutes } from '../http/routes/core.ts'
import type { createTorrentRoutes } from '../http/routes/create-torrent.ts'
import type { debugRoutes } from '../http/routes/debug.ts'
import type { docsRoutes } from '../http/routes/docs.ts'
import type { downloadRoutes } from '../http/routes/downloads.ts'
import type { eventRoutes } from '../http/routes/events.ts'
import type { importRoutes } from '../http/routes/import.ts'
import type { keyRoutes } from '../http/routes/keys.ts'
import type { linkRoutes } from '../http/routes/links.ts'
import type { loginRoutes } from '../http/routes/login.ts'
import type { metricsRoutes } from '../http/routes/metrics.ts'
import type { queueRoutes } from '../http/routes/queue.ts'
import type { rateRoutes } from '../http/routes/rates.ts'
import type { shutdownRoutes } from '../http/routes/shutdown.ts'
import type { slowModeRoutes } from '../http/routes/slow-mode.ts'
import type { stateRoutes } from '../http/routes/state.ts'
import type { statisticsRoutes } from '../http/routes/statistics.ts'
import type { updateRoutes } from '../http/routes/updates.ts'
import type { watchingRoutes } from '../http/routes/watching.ts'
import type { ParametersOf, ReplyOf, RoutesOf } from './routes.ts'

/** Every route of the core that programs ask. */
export type CoreRoutes = RoutesOf<
  [
    ...typeof downloadRoutes,
    ...typeof controlRoutes,
    ...typeof watchingRoutes,
    ...typeof rateRoutes,
    ...typeof createTorrentRoutes,
    ...typeof importRoutes,
    ...typeof updateRoutes,
    ...typeof stateRoutes,
    ...typeof coreRoutes,
    ...typeof queueRoutes,
    ...typeof addingRoutes,
    ...typeof slowModeRoutes,
    ...typeof bannedPeerRoutes,
    ...typeof statisticsRoutes,
    ...typeof keyRoutes,
    ...typeof loginRoutes,
    ...typeof linkRoutes,
    ...typeof shutdownRoutes,
    ...typeof debugRoutes,
    ...typeof metricsRoutes,
    ...ReturnType<typeof eventRoutes>,
    ...typeof docsRoutes,
  ]
>

/** A download as it is listed. */
export type Download = ReplyOf<CoreRoutes, 'GET /downloads'>['downloads'][number]

/** A peer of a download. */
export type DownloadPeer = NonNullable<Download['peers']>[number]

/** A tracker of a download, or another source of its peers. */
export type DownloadTracker = Download['trackers'][number]

/** Files of a download, with their links. */
export type DownloadFiles = ReplyOf<CoreRoutes, 'GET /downloads/{infohash}/files'>

/** One of them. */
export type DownloadFile = DownloadFiles['files'][number]

/** How fast a download was. */
export type DownloadRates = ReplyOf<CoreRoutes, 'GET /downloads/{infohash}/rates'>

/** Where a file was left. */
export type WatchingRecord = ReplyOf<CoreRoutes, 'GET /downloads/{infohash}/watching/{fileindex}'>

/** A link that was given away. */
export type GivenLinkRecord = ReplyOf<CoreRoutes, 'PUT /links'>

/** What may be changed of a download. */
export type DownloadChange = ParametersOf<CoreRoutes, 'PATCH /downloads/{infohash}'>

/** Settings of a running node, with where each comes from. */
export type EffectiveSettings = ReplyOf<CoreRoutes, 'GET /settings/effective'>['settings']

/** One of them. */
export type EffectiveSetting = EffectiveSettings[string][string]
