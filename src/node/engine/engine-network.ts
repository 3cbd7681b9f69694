// How the engine's torrents reach the network: the IP filter, web seeds, trackers, and the swarm's own ways (DHT, uTP,
// local discovery). Nothing listens and no timer runs before Swarm.start(); peers' TCP connections are the session's.

import { GuardedHttp } from '../../io/net/guarded-http.ts'
import { LateRanges } from '../../io/net/late-ranges.ts'
import { FilteredResolver } from '../../io/net/filtered-resolver.ts'
import type { HttpClient } from '../../ports/http-get.ts'
import type { NameResolver } from '../../ports/name-resolver.ts'
import { ExternalAddress } from '../../torrent/index.ts'
import { TorrentAnnouncers, trackerDefaults } from '../../tracker/announcer.ts'
import { TrackerScrapes } from '../../tracker/tracker-scrapes.ts'
import type { StartedParts } from '../started-parts.ts'
import { DhtKeeper } from './dht-keeper.ts'
import { spreadOf } from './engine-limits.ts'
import type { EngineDeps, EngineOptions } from './engine-options.ts'
import { NodeIpFilter } from './ip-filter.ts'
import { Swarm } from './swarm.ts'

/** Part of the time to stop in which routers are asked to free the port. */
const SWARM_SHARE = 0.15

/** How the engine's torrents reach the network. */
export interface EngineNetwork {
  /** Started, and stopped, by who made this. */
  readonly filter: NodeIpFilter
  readonly webSeeds: LateRanges
  readonly scrapes: TrackerScrapes
  readonly trackers: TorrentAnnouncers
  /** Started, and stopped, by who made this. */
  readonly keeper: DhtKeeper
  readonly swarm: Swarm
}

/** What questions to trackers have in common. */
interface TrackerWays {
  readonly http: HttpClient
  /** Refuses what the IP filter holds. */
  readonly resolver: NameResolver
}

/** Makes all of it, the DHT with the nodes it knew last; `started` stops it. */
export async function makeNetwork(
  options: EngineOptions,
  deps: EngineDeps,
  started: StartedParts,
): Promise<EngineNetwork> {
  const { clock, random, log, stack } = deps
  const filter = new NodeIpFilter(options.settings.network, { clock, log })
  const filtered = (names: NameResolver) => new FilteredResolver(names, ip => filter.blocks(ip))
  const webSeeds = makeWebSeeds(options, deps, filtered(stack.peers.resolver))
  started.add('web seeds', () => webSeeds.close())
  const resolver = filtered(stack.trackers.resolver)
  const http = makeTrackerHttp(options, deps, resolver)
  started.add('HTTP of trackers', () => http.close())
  const ways = { http, resolver }
  const scrapes = makeScrapes(deps, ways)
  started.add('tracker scrapes', () => scrapes.close())
  const external = new ExternalAddress(clock)
  const trackers = makeTrackers(options, deps, ways, external)
  started.add('trackers', () => trackers.close())
  const keeper = new DhtKeeper({ clock, log: log.part('dht'), values: deps.values })
  const savedDht = await keeper.load()
  const swarm = new Swarm(options.settings.libtorrent, { clock, random, log, stack, external, savedDht })
  started.add('swarm', limitMs => swarm.stop(limitMs * SWARM_SHARE))
  return { filter, webSeeds, scrapes, trackers, keeper, swarm }
}

function makeWebSeeds({ version }: EngineOptions, { policy, stack }: EngineDeps, resolver: NameResolver): LateRanges {
  const { route, tcp } = stack.peers
  return new LateRanges({ userAgent: userAgent(version), localIp: null }, { policy, resolver, route, tcp })
}

function makeTrackerHttp({ version }: EngineOptions, deps: EngineDeps, resolver: NameResolver): GuardedHttp {
  const { policy, stack } = deps
  const connectionsPerOrigin = trackerDefaults.maxFarewellsPerHost
  return new GuardedHttp(
    { userAgent: userAgent(version), localIp: null, connectionsPerOrigin },
    { policy, resolver, route: stack.trackers.route },
  )
}

function makeScrapes({ clock, random, stack }: EngineDeps, { http, resolver }: TrackerWays): TrackerScrapes {
  const { udp, namesToProxy } = stack.trackers
  return new TrackerScrapes({ clock, random, http, udp, resolver, namesToProxy })
}

function makeTrackers(
  { settings }: EngineOptions,
  deps: EngineDeps,
  { http, resolver }: TrackerWays,
  external: ExternalAddress,
): TorrentAnnouncers {
  const { udp, namesToProxy } = deps.stack.trackers
  const trackers = new TorrentAnnouncers(
    { localIp: null, namesToProxy },
    {
      clock: deps.clock,
      random: deps.random,
      log: deps.log.part('tracker'),
      http,
      udp,
      resolver,
      externalIp: (ip, host) => external.vote(ip, host, 'tracker'),
      kept: deps.announces,
    },
  )
  trackers.setSpread(spreadOf(settings))
  return trackers
}

function userAgent(version: string): string {
  return `Tributary/${version}`
}
