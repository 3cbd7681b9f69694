// The BitTorrent engine of downloads that leave by circuits of one hop count. Its session, trackers, DHT and web
// servers are made of a circuit lane and of nothing else that reaches a network, so no download given to it can send a
// plain packet (test/chapters/circuits/arch/anonymous-engine.test.ts, decision 0390). Memory, disk, queue and rates are
// those of the plain session.

import type { AddressPolicy } from '../../../io/net/address-policy.ts'
import type { FurtherEngineOptions } from '../../../node/engine/engine-additions.ts'
import { CircuitFetch } from '../io/circuit-fetch.ts'
import { CircuitHttp } from '../io/circuit-http.ts'
import { CircuitRanges } from '../io/circuit-ranges.ts'
import { LiteralResolver } from '../../../io/net/literal-resolver.ts'
import type { Arena } from '../../../ports/arena.ts'
import type { CircuitLane } from '../ports/circuits.ts'
import type { Clock, Timer } from '../../../ports/clock.ts'
import type { SessionFigures } from '../../../ports/engine-figures.ts'
import type { KeptAnnounces } from '../../../ports/kept-announces.ts'
import type { Log } from '../../../ports/log.ts'
import type { MetadataChunks } from '../../../ports/metadata-chunks.ts'
import type { PieceStores } from '../../../ports/piece-store.ts'
import type { ProgressJournal } from '../../../ports/progress-journal.ts'
import type { Random } from '../../../ports/random.ts'
import type { SourceFetch } from '../../../ports/source-fetch.ts'
import type { TorrentContentsSource } from '../../../ports/torrent-contents.ts'
import type { EngineShare } from '../../../torrent/session/engine-share.ts'
import { type IpFilter, Session, type TorrentEvents } from '../../../torrent/index.ts'
import { TorrentAnnouncers } from '../../../tracker/announcer.ts'
import { SwarmAnnouncers } from '../../../node/engine/swarm-announcers.ts'
import { CircuitAnnouncers } from './circuit-announcers.ts'
import { CircuitSwarm, type CircuitSwarmOptions } from './circuit-swarm.ts'

/** What the settings say of it. */
export interface AnonymousEngineOptions extends FurtherEngineOptions, CircuitSwarmOptions {}

/** What it works with: a lane, and what it shares with the plain engine. */
export interface AnonymousEngineDeps {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly policy: AddressPolicy
  readonly lane: CircuitLane
  readonly stores: PieceStores
  readonly journal: ProgressJournal
  readonly contents?: TorrentContentsSource
  readonly metadata: MetadataChunks
  readonly blockArena: Arena
  readonly rangeArena: Arena
  readonly events: TorrentEvents
  /** When trackers may be asked again, over a restart. Absent: nothing is kept. */
  readonly kept?: KeptAnnounces
  /** Absent: it has its own. */
  readonly share?: EngineShare
}

/** The running engine of one hop count. */
export interface AnonymousEngine {
  readonly session: Session
  /** Fetches torrents that http addresses name. */
  readonly sources: SourceFetch
  figures(): SessionFigures
  follow(changed: Pick<AnonymousEngineOptions, 'limits' | 'spread' | 'pex'>): void
  setIpFilter(filter: IpFilter): void
  /** Torrents stop, trackers hear of it as far as circuits carry it; gives up what takes longer than `deadlineMs`. */
  stop(deadlineMs: number): Promise<void>
}

/** Ports announced to trackers and peers begin here: which one a node has says nothing, since nothing listens on it. */
const FIRST_PORT = 10_000
const PORTS = 50_000
/** From the end of a circuit to the next calls. */
const REDIAL_MS = 500

/** Makes it. Nothing is sent before a torrent is added that runs, or a source is fetched. */
export async function startAnonymousEngine(
  options: AnonymousEngineOptions,
  deps: AnonymousEngineDeps,
): Promise<AnonymousEngine> {
  const { clock, random, lane, policy } = deps
  const log = deps.log.part('anonymous')
  const web = { lane, policy, clock }
  const http = new CircuitHttp(web)
  let redial: Timer | null = null
  // Peers connected by a circuit that died are connected by another one, once everything that used it has ended.
  const dropped = (): void => {
    redial ??= clock.after(REDIAL_MS, () => {
      redial = null
      session.reachAgain(false)
    })
  }
  const swarm = new CircuitSwarm(options, { clock, random, log, policy, lane, dropped })
  const trackers = new TorrentAnnouncers(
    { localIp: null, namesToProxy: true },
    {
      clock,
      random,
      log: log.part('tracker'),
      http,
      udp: lane.udp,
      resolver: new LiteralResolver(policy),
      kept: deps.kept,
    },
  )
  trackers.setSpread(options.spread)
  const open = new SwarmAnnouncers({ trackers, dht: swarm.searches, impliedPort: true })
  const announcers = new CircuitAnnouncers({ clock, lane, open, hidden: address => swarm.noteHidden(address) })
  const session = new Session(sessionOptions(options, random), {
    clock,
    random,
    log,
    tcp: swarm.utp,
    swarm: swarm.parts,
    webSeeds: new CircuitRanges(web),
    stores: deps.stores,
    journal: deps.journal,
    metadata: deps.metadata,
    announcers,
    events: deps.events,
    blockArena: deps.blockArena,
    rangeArena: deps.rangeArena,
    ...(deps.contents === undefined ? {} : { contents: deps.contents }),
    ...(deps.share === undefined ? {} : { share: deps.share }),
  })
  await swarm.start()
  await session.start()
  const unwatch = watchReady(lane, first => {
    session.reachAgain(first)
    if (!first) return
    swarm.reach()
    announcers.reach()
  })
  return {
    session,
    sources: new CircuitFetch(http, clock),
    figures: () => session.figures(),
    follow({ limits, spread, pex }) {
      session.setLimits(limits)
      trackers.setSpread(spread)
      swarm.follow({ pex })
      session.swarmChanged()
    },
    setIpFilter: filter => session.setIpFilter(filter),
    async stop(deadlineMs) {
      unwatch()
      redial?.cancel()
      await session.stop(deadlineMs)
      await swarm.stop()
      await trackers.close()
    },
  }
}

function sessionOptions({ limits, version, checkDepth }: AnonymousEngineOptions, random: Random) {
  const listenPort = FIRST_PORT + random.below(PORTS)
  return { ...limits, listenIp: '0.0.0.0', listenPort, localIp: null, version, checkDepth }
}

/**
 * Calls `gained` whenever there are more circuits, with true when there was none; answers what ends that. Connections
 * of a circuit that died are gone: who was connected is called over the one that replaces it.
 */
function watchReady(lane: CircuitLane, gained: (first: boolean) => void): () => void {
  let had = 0
  const look = (): void => {
    const { ready } = lane.facts()
    const before = had
    had = ready
    if (ready > before) gained(before === 0)
  }
  const unwatch = lane.watch(look)
  look()
  return unwatch
}
