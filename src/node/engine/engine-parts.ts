// The BitTorrent engine with everything under it: arenas, piece workers, metadata files, trackers. Made in order,
// stopped in reverse.

import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { GuardedHttp } from '../../io/net/guarded-http.ts'
import { LateRanges } from '../../io/net/late-ranges.ts'
import { FilteredResolver } from '../../io/net/filtered-resolver.ts'
import { isIn } from '../../io/files/own-files.ts'
import { ChunkFileMetadata } from '../../io/files/metadata-chunk-files.ts'
import { SmallMetadata } from '../../io/files/small-metadata.ts'
import type { NetworkStack } from '../../io/net/network-stack.ts'
import type { VolumeLanes } from '../../io/files/volume-lanes.ts'
import type { AddressPolicy } from '../../io/net/address-policy.ts'
import { SharedArena } from '../../pools/arena.ts'
import { FilePieceStores } from '../../pools/piece-stores.ts'
import type { Arena } from '../../ports/arena.ts'
import type { Clock } from '../../ports/clock.ts'
import type { EngineFigures, SessionFigures } from '../../ports/engine-figures.ts'
import type { ContentSources } from '../../ports/content-source.ts'
import type { TargetedItems } from '../../ports/dht-items.ts'
import type { KeptAnnounces } from '../../ports/kept-announces.ts'
import type { Log } from '../../ports/log.ts'
import type { NameResolver } from '../../ports/name-resolver.ts'
import type { NetworkCounts } from '../../ports/network-counts.ts'
import type { NetworkFacts } from '../../ports/network-facts.ts'
import type { OwnFiles } from '../../ports/own-files.ts'
import type { PieceStores } from '../../ports/piece-store.ts'
import type { NodeValues, ProgressRecords } from '../../ports/records.ts'
import type { Random } from '../../ports/random.ts'
import type { SwarmScrapes } from '../../ports/swarm-scrapes.ts'
import type { TorrentContentsSource } from '../../ports/torrent-contents.ts'
import type { AnonymousEngines } from '../../services/downloads/torrent-engine.ts'
import { Session, type SessionLimits, type TorrentEvents } from '../../torrent/index.ts'
import type { AnnounceSpread } from '../../tracker/announce-lanes.ts'
import { TorrentAnnouncers, trackerDefaults } from '../../tracker/announcer.ts'
import { TrackerScrapes } from '../../tracker/tracker-scrapes.ts'
import { oldSpaceInCrowds } from '../old-space.ts'
import type { EngineAdditions, FurtherEngineOptions } from './engine-additions.ts'
import { NodeIpFilter } from './ip-filter.ts'
import { noAnonymity } from './no-anonymity.ts'
import { itemsOf } from './dht-items.ts'
import { sharesOf } from './descriptor-shares.ts'
import type { Settings } from '../settings/settings-schema.ts'
import { DhtKeeper } from './dht-keeper.ts'
import { SwarmAnnouncers } from './swarm-announcers.ts'
import { Swarm } from './swarm.ts'
import { swarmScrapes } from './swarm-scrapes.ts'

/** What the engine needs from outside. */
export interface EngineOptions {
  readonly stateDir: string
  readonly settings: Settings
  readonly version: string
}

/** What compose.ts has made before the engine. */
export interface EngineDeps {
  readonly clock: Clock
  /** What no torrent may touch. */
  readonly own: OwnFiles
  readonly random: Random
  readonly log: Log
  readonly policy: AddressPolicy
  /** The ways into the network; its maker stops it. */
  readonly stack: NetworkStack
  /** The way of calls on files of downloads. */
  readonly volumes: VolumeLanes
  readonly rangeArena: Arena
  readonly journal: ProgressRecords
  readonly contents: TorrentContentsSource
  /** Where the DHT's routing table is kept. */
  readonly values: NodeValues
  /** When trackers may be asked again, over a restart. */
  readonly announces: KeptAnnounces
  readonly events: TorrentEvents
  /** What chapters add. */
  readonly additions: EngineAdditions
  /** Workers die again and again: the node cannot go on. */
  onRepeatedLoss(): void
}

/** The running engine. */
export interface EngineParts {
  readonly session: Session
  /** Engines beside it, of downloads over circuits. */
  readonly anonymous: AnonymousEngines
  /** Files that torrents are made of. */
  readonly contents: ContentSources
  /** Where torrents have their files. */
  readonly stores: PieceStores
  /** Where the node is in the network. */
  readonly network: NetworkFacts
  /** What passed it. */
  readonly counts: NetworkCounts
  /** What it has done and holds. */
  figures(): EngineFigures
  /** Mutable items of the DHT; null = there is no DHT. */
  readonly items: TargetedItems | null
  /** How big swarms are. */
  readonly scrapes: SwarmScrapes
  /** Follows changed settings. */
  follow(settings: Settings): void
  /** Torrents stop, trackers hear of it, all files are closed; gives up what takes longer than `deadlineMs`. */
  stop(deadlineMs: number): Promise<void>
}

/**
 * Part of the time to stop that workers may use for posted jobs; the rest is for trackers and connections, which are
 * mostly waited for at the same time.
 */
const WORKER_SHARE = 0.25
/** The same for routers that are told that the port is free again. */
const SWARM_SHARE = 0.15

/** Makes the engine and starts to listen. AppError PortTaken. */
export async function startEngine(options: EngineOptions, deps: EngineDeps): Promise<EngineParts> {
  const { stateDir, settings, version } = options
  const { clock, random, log, rangeArena, journal, contents, events, policy, stack } = deps
  const { libtorrent } = settings
  const { hidden, anonymous: makeAnonymous } = deps.additions
  // Hidden torrents are those of the node itself.
  const ownFor = (destination: string): OwnFiles | null =>
    hidden.some(({ folder }) => isIn(folder, destination)) ? null : deps.own
  const blockArena = new SharedArena({ id: 'block', bytes: settings.disk.arena_bytes })
  const stores = new FilePieceStores(
    {
      threads: settings.disk.worker_threads,
      openFiles: sharesOf(settings).files,
      minFreeBytes: settings.disk.min_free_bytes,
    },
    {
      blockArena,
      rangeArena,
      clock,
      lanes: deps.volumes,
      log: log.part('disk'),
      onRepeatedLoss: () => deps.onRepeatedLoss(),
      own: ownFor,
    },
  )
  const metadata = new SmallMetadata(new ChunkFileMetadata({ folder: join(stateDir, 'metadata') }, { clock }))
  const filter = new NodeIpFilter(settings.network.ip_filter, { clock, log })
  const lane = stack.trackers
  const filtered = (names: NameResolver) => new FilteredResolver(names, ip => filter.blocks(ip))
  const resolver = filtered(lane.resolver)
  const http = new GuardedHttp(
    { userAgent: `Tributary/${version}`, localIp: null, connectionsPerOrigin: trackerDefaults.maxFarewellsPerHost },
    { policy, resolver, route: lane.route },
  )
  const webSeeds = new LateRanges(
    { userAgent: `Tributary/${version}`, localIp: null },
    { policy, resolver: filtered(stack.peers.resolver), route: stack.peers.route, tcp: stack.peers.tcp },
  )
  const trackers = new TorrentAnnouncers(
    { localIp: null, namesToProxy: lane.namesToProxy },
    {
      clock,
      random,
      log: log.part('tracker'),
      http,
      udp: lane.udp,
      resolver,
      externalIp: (ip, host) => swarm.parts.external?.vote(ip, host, 'tracker'),
      kept: deps.announces,
    },
  )
  trackers.setSpread(spreadOf(settings))
  const { udp, namesToProxy } = lane
  const scrapes = new TrackerScrapes({ clock, random, http, udp, resolver, namesToProxy })
  const keeper = new DhtKeeper({ clock, log: log.part('dht'), values: deps.values })
  const swarm = new Swarm(libtorrent, { clock, random, log, stack, savedDht: await keeper.load() })
  const announcers = new SwarmAnnouncers({ trackers, dht: swarm.searches, impliedPort: swarm.utp !== null })
  const session = new Session(
    {
      ...limitsOf(settings),
      listenIp: anyAddress(),
      listenPort: Math.max(0, settings.libtorrent.port),
      localIp: null,
      version,
      // Each thread has one run of pieces at work and one at hand.
      checkDepth: 2 * settings.disk.worker_threads,
    },
    {
      clock,
      random,
      log,
      tcp: swarm.network,
      swarm: swarm.parts,
      webSeeds,
      stores,
      journal,
      contents: hidden.reduce((all, one) => one.contents(all), contents),
      metadata,
      announcers,
      blockArena,
      rangeArena,
      events: hidden.reduce((all, one) => one.events(all), events),
      crowdChanged: oldSpaceInCrowds(),
    },
  )
  for (const one of hidden) one.attach({ session, contents: stores.contents(null) })
  let followed = settings
  const sharing = { stores, journal, contents, metadata, blockArena, rangeArena, events, kept: deps.announces }
  const furtherNow = () => furtherOptions(followed, version)
  const anonymous = makeAnonymous?.({ ...sharing, share: session.share, options: furtherNow }) ?? noAnonymity
  const stop = async (deadlineMs: number): Promise<void> => {
    const kept = keeper.stop(deadlineMs * SWARM_SHARE)
    await filter.stop()
    // Posted jobs run meanwhile: workers need their share only where the sessions have not ended by themselves.
    const shareMs = deadlineMs * (1 - SWARM_SHARE)
    await Promise.all([session.stop(shareMs), anonymous.stop(shareMs)])
    await kept
    await swarm.stop(deadlineMs * SWARM_SHARE)
    await trackers.close()
    await scrapes.close()
    await http.close()
    await webSeeds.close()
    await stores.stop(deadlineMs * WORKER_SHARE)
    await metadata.close()
  }
  try {
    await stores.start()
    await filter.start(taken => {
      session.setIpFilter(taken)
      anonymous.setIpFilter(taken)
    })
    await session.start()
    await swarm.start(session)
    keeper.start(() => swarm.exportDht())
  } catch (error) {
    // The port is taken, or a list cannot be read: nothing of this engine goes on.
    await stop(0)
    throw error
  }
  return {
    session,
    anonymous,
    contents: stores.contents(deps.own),
    stores,
    network: swarm.facts,
    counts: swarm.counts(() => session.listenPort),
    figures: () => ({
      session: sumOf(session.figures(), anonymous.figures()),
      pool: stores.stats(),
      arenas: [blockArena, rangeArena],
    }),
    items: swarm.dht === null ? null : itemsOf(swarm.dht),
    scrapes: swarmScrapes(scrapes, swarm.dht),
    follow(changed) {
      followed = changed
      session.setLimits(limitsOf(changed))
      anonymous.follow(furtherOptions(changed, version))
      trackers.setSpread(spreadOf(changed))
      filter.follow(changed.network.ip_filter)
      swarm.follow(changed.libtorrent)
      session.swarmChanged()
      stores.setMinFreeBytes(changed.disk.min_free_bytes)
    },
    stop,
  }
}

/** What an engine beside this one is told. */
function furtherOptions(settings: Settings, version: string): FurtherEngineOptions {
  const { dht_bootstrap: dhtBootstrap, pex } = settings.libtorrent
  const checkDepth = 2 * settings.disk.worker_threads
  return { limits: limitsOf(settings), spread: spreadOf(settings), dhtBootstrap, pex, version, checkDepth }
}

/** Figures of all sessions together. */
function sumOf(first: SessionFigures, others: readonly SessionFigures[]): SessionFigures {
  return others.reduce((sum, one) => {
    const torrents = new Map(sum.torrents)
    for (const [status, count] of one.torrents) torrents.set(status, (torrents.get(status) ?? 0) + count)
    return {
      torrents,
      downBytes: sum.downBytes + one.downBytes,
      upBytes: sum.upBytes + one.upBytes,
      piecesVerified: sum.piecesVerified + one.piecesVerified,
      piecesFailed: sum.piecesFailed + one.piecesFailed,
      peersConnected: sum.peersConnected + one.peersConnected,
      peersHalfOpen: sum.peersHalfOpen + one.peersHalfOpen,
    }
  }, first)
}

/** How many trackers are to hear of a torrent. */
function spreadOf({ libtorrent }: Settings): AnnounceSpread {
  return { allTiers: libtorrent.announce_to_all_tiers, allTrackers: libtorrent.announce_to_all_trackers }
}

/** Limits of the session from section libtorrent; there -1 and 0 of a download mean "only the common limit". */
function limitsOf(settings: Settings): SessionLimits {
  const { libtorrent } = settings
  const shares = sharesOf(settings)
  const perDownload = libtorrent.max_connections_download
  return {
    maxDownloadRate: libtorrent.max_download_rate,
    maxUploadRate: libtorrent.max_upload_rate,
    maxConnections: shares.peers,
    maxPending: shares.pending,
    maxConnectionsPerTorrent: perDownload > 0 ? perDownload : libtorrent.max_connections,
    maxConnectionsPerIp: Math.max(0, libtorrent.max_connections_per_ip),
    uploadSlots: libtorrent.upload_slots,
    encryption: { mode: libtorrent.encryption, methods: libtorrent.encryption_methods },
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
