// Puts together the parts that learn the health of torrents of channels: the checker, and the requests of clients.

import type { ChannelLibrary } from '../ports/channel-library.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { Random } from '../../../ports/random.ts'
import type { Downloads } from '../../../services/downloads/downloads.ts'
import { TorrentChecker } from '../health/torrent-checker.ts'
import { TorrentHealth } from '../health/torrent-health.ts'
import type { EngineParts } from '../../../node/engine/engine-parts.ts'
import type { ChannelSettings } from './settings-channels.ts'
import type { StartedParts } from '../../../node/started-parts.ts'

/** What they work with. */
export interface TorrentChecksDeps {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly engine: Pick<EngineParts, 'scrapes'>
  readonly downloads: Pick<Downloads, 'isAnonymous'>
  settings(): ChannelSettings
}

/** Starts the checker; answers the service. */
export function startTorrentChecks(
  { clock, random, log, engine, downloads, settings }: TorrentChecksDeps,
  library: ChannelLibrary,
  started: StartedParts,
): TorrentHealth {
  const deps = {
    clock,
    random,
    log: log.part('health'),
    library,
    scrapes: engine.scrapes,
    enabled: () => settings().torrent_checking.enabled,
    isAnonymous: (infohash: string) => downloads.isAnonymous(infohash),
  }
  const checker = new TorrentChecker(deps)
  const health = new TorrentHealth(deps)
  started.add('torrent checker', async () => void (await Promise.all([checker.stop(), health.stop()])))
  checker.start()
  return health
}
