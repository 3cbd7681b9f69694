// What learns the health of torrents of channels, put together: the checker, and what clients ask of it.

import type { ChannelLibrary } from '../ports/channel-library.ts'
import { TorrentChecker } from '../services/torrent-checker.ts'
import { TorrentHealth } from '../services/torrent-health.ts'
import type { ChannelPartsDeps } from './channel-parts.ts'
import type { StartedParts } from './started-parts.ts'

/** Starts the checker; answers the service. */
export function startTorrentChecks(
  { clock, random, log, engine, downloads, settings }: ChannelPartsDeps,
  library: ChannelLibrary,
  started: StartedParts,
): TorrentHealth {
  const deps = {
    ...{ clock, random, log: log.part('health'), library, scrapes: engine.scrapes },
    enabled: () => settings().torrent_checking.enabled,
    isAnonymous: (infohash: string) => downloads.isAnonymous(infohash),
  }
  const checker = new TorrentChecker(deps)
  const health = new TorrentHealth(deps)
  started.add('torrent checker', async () => void (await Promise.all([checker.stop(), health.stop()])))
  checker.start()
  return health
}
