// What the settings say to sessions and trackers, in their own terms.

import type { SessionLimits } from '../../torrent/index.ts'
import type { AnnounceSpread } from '../../tracker/announce-lanes.ts'
import { ratesInForce } from '../settings/rates-in-force.ts'
import type { Settings } from '../settings/settings-schema.ts'
import { sharesOf } from './descriptor-shares.ts'
import type { FurtherEngineOptions } from './engine-additions.ts'

/** Limits of the session from section libtorrent; there -1 and 0 of a download mean "only the common limit". */
export function limitsOf(settings: Settings): SessionLimits {
  const { libtorrent, disk } = settings
  const shares = sharesOf(settings)
  const rates = ratesInForce(settings)
  const perDownload = libtorrent.max_connections_download
  return {
    maxDownloadRate: rates.down,
    maxUploadRate: rates.up,
    maxConnections: shares.peers,
    maxPending: shares.pending,
    maxConnectionsPerTorrent: perDownload > 0 ? perDownload : libtorrent.max_connections,
    maxConnectionsPerIp: Math.max(0, libtorrent.max_connections_per_ip),
    uploadSlots: libtorrent.upload_slots,
    streamAheadSec: libtorrent.stream_ahead_seconds,
    encryption: { mode: libtorrent.encryption, methods: libtorrent.encryption_methods },
    readCacheBytes: disk.watch_cache_bytes,
    queue: queueOf(settings),
  }
}

function queueOf({ libtorrent }: Settings): NonNullable<SessionLimits['queue']> {
  return {
    downloads: libtorrent.active_downloads,
    seeds: libtorrent.active_seeds,
    checks: libtorrent.active_checking,
    all: libtorrent.active_limit,
    dontCountSlow: libtorrent.dont_count_slow_torrents,
    slowDownRate: libtorrent.inactive_down_rate,
    slowUpRate: libtorrent.inactive_up_rate,
    slowAfterMs: libtorrent.auto_manage_startup * 1000,
  }
}

/** How many trackers are to hear of a torrent. */
export function spreadOf({ libtorrent }: Settings): AnnounceSpread {
  return { allTiers: libtorrent.announce_to_all_tiers, allTrackers: libtorrent.announce_to_all_trackers }
}

/** Runs of pieces of one torrent in hashing at a time: each thread has one at work and one at hand. */
export function checkDepthOf({ disk }: Settings): number {
  return 2 * disk.worker_threads
}

/** What the settings say to an engine beside the plain one. */
export function furtherOptions(settings: Settings, version: string): FurtherEngineOptions {
  const { dht_bootstrap: dhtBootstrap, pex } = settings.libtorrent
  const [limits, spread] = [limitsOf(settings), spreadOf(settings)]
  return { limits, spread, dhtBootstrap, pex, version, checkDepth: checkDepthOf(settings) }
}
