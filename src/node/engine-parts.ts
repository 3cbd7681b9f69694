// The BitTorrent engine with everything under it: arenas, piece workers, metadata files, trackers. Made in order, stopped
// in reverse.

import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { GuardedHttp } from '../io/guarded-http.ts'
import { ChunkFileMetadata } from '../io/metadata-chunk-files.ts'
import { SmallMetadata } from '../io/small-metadata.ts'
import { NetTcpNetwork } from '../io/tcp-net.ts'
import { DgramNetwork } from '../io/udp-dgram.ts'
import type { AddressPolicy } from '../io/address-policy.ts'
import { SharedArena } from '../pools/arena.ts'
import { FilePieceStores } from '../pools/piece-stores.ts'
import type { Arena } from '../ports/arena.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { NameResolver } from '../ports/name-resolver.ts'
import type { ProgressJournal } from '../ports/progress-journal.ts'
import type { Random } from '../ports/random.ts'
import type { TorrentContentsSource } from '../ports/torrent-contents.ts'
import { Session, type SessionLimits, type TorrentEvents } from '../torrent/index.ts'
import { TorrentAnnouncers } from '../tracker/announcer.ts'
import type { Settings } from './settings-schema.ts'

/** What the engine needs from outside. */
export interface EngineOptions {
  readonly stateDir: string
  readonly settings: Settings
  readonly version: string
}

/** What compose.ts has made before the engine. */
export interface EngineDeps {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly policy: AddressPolicy
  readonly resolver: NameResolver
  readonly rangeArena: Arena
  readonly journal: ProgressJournal
  readonly contents: TorrentContentsSource
  readonly events: TorrentEvents
  /** Workers die again and again: the node cannot go on. */
  onRepeatedLoss(): void
}

/** The running engine. */
export interface EngineParts {
  readonly session: Session
  /** Follows changed settings. */
  follow(settings: Settings): void
  /** Torrents stop, trackers hear of it, all files are closed; gives up what takes longer than `deadlineMs`. */
  stop(deadlineMs: number): Promise<void>
}

/** Part of the time to stop that workers may use for posted jobs; the rest is for trackers and connections. */
const WORKER_SHARE = 0.25

/** Makes the engine and starts to listen. AppError PortTaken. */
export async function startEngine(options: EngineOptions, deps: EngineDeps): Promise<EngineParts> {
  const { stateDir, settings, version } = options
  const { clock, random, log, rangeArena, journal, contents, events, policy, resolver } = deps
  const blockArena = new SharedArena({ id: 'block', bytes: settings.disk.arena_bytes })
  const localIp = settings.libtorrent.interface === '' ? null : settings.libtorrent.interface
  const stores = new FilePieceStores(
    {
      threads: settings.disk.worker_threads,
      openFiles: settings.disk.open_files,
      minFreeBytes: settings.disk.min_free_bytes,
    },
    { blockArena, rangeArena, clock, log: log.part('disk'), onRepeatedLoss: () => deps.onRepeatedLoss() },
  )
  const metadata = new SmallMetadata(new ChunkFileMetadata({ folder: join(stateDir, 'metadata') }, { clock }))
  const http = new GuardedHttp({ userAgent: `Tributary/${version}`, localIp }, { policy, resolver })
  const announcers = new TorrentAnnouncers(
    { localIp },
    { clock, random, log: log.part('tracker'), http, udp: new DgramNetwork(), resolver },
  )
  const session = new Session(
    {
      ...limitsOf(settings),
      listenIp: localIp ?? anyAddress(),
      listenPort: Math.max(0, settings.libtorrent.port),
      localIp,
      version,
      // Each thread has one run of pieces at work and one at hand.
      checkDepth: 2 * settings.disk.worker_threads,
    },
    {
      clock,
      random,
      log,
      tcp: new NetTcpNetwork(),
      stores,
      journal,
      contents,
      metadata,
      announcers,
      blockArena,
      rangeArena,
      events,
    },
  )
  await stores.start()
  await session.start()
  return {
    session,
    follow(changed) {
      session.setLimits(limitsOf(changed))
      stores.setMinFreeBytes(changed.disk.min_free_bytes)
    },
    async stop(deadlineMs) {
      await session.stop(deadlineMs * (1 - WORKER_SHARE))
      await announcers.close()
      await http.close()
      await stores.stop(deadlineMs * WORKER_SHARE)
      await metadata.close()
    },
  }
}

/** Limits of the session from section libtorrent; there -1 and 0 of a download mean "only the common limit". */
function limitsOf({ libtorrent }: Settings): SessionLimits {
  const perDownload = libtorrent.max_connections_download
  return {
    maxDownloadRate: libtorrent.max_download_rate,
    maxUploadRate: libtorrent.max_upload_rate,
    maxConnections: libtorrent.max_connections,
    maxConnectionsPerTorrent: perDownload > 0 ? perDownload : libtorrent.max_connections,
    uploadSlots: libtorrent.upload_slots,
    queue: {
      downloads: libtorrent.active_downloads,
      seeds: libtorrent.active_seeds,
      checks: libtorrent.active_checking,
      all: libtorrent.active_limit,
      dontCountSlow: libtorrent.dont_count_slow_torrents,
      slowDownRate: libtorrent.inactive_down_rate,
      slowUpRate: libtorrent.inactive_up_rate,
      slowAfterMs: libtorrent.auto_manage_startup * 1000,
    },
  }
}

/** Both families where the machine has IPv6 at all. */
function anyAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap(list => list ?? [])
  return addresses.some(address => address.family === 'IPv6') ? '::' : '0.0.0.0'
}
