// The BitTorrent engine with everything under it: arenas, piece workers, metadata files, trackers, sessions. First all
// is made, in an order in which each part is given what is there already; then it is started. One list stops what was
// made, the newest first, at the end of the node or when a later part fails.

import type { EngineFigures } from '../../ports/engine-figures.ts'
import type { ContentSources } from '../../ports/content-source.ts'
import type { TargetedItems } from '../../ports/dht-items.ts'
import type { NetworkCounts } from '../../ports/network-counts.ts'
import type { NetworkFacts } from '../../ports/network-facts.ts'
import type { PieceStores } from '../../ports/piece-store.ts'
import type { SwarmScrapes } from '../../ports/swarm-scrapes.ts'
import type { AnonymousEngines } from '../../services/downloads/torrent-engine.ts'
import type { Session } from '../../torrent/index.ts'
import type { Settings } from '../settings/settings-schema.ts'
import { StartedParts } from '../started-parts.ts'
import { itemsOf } from './dht-items.ts'
import type { FurtherEngines } from './engine-additions.ts'
import { furtherOptions, limitsOf, spreadOf } from './engine-limits.ts'
import { type EngineNetwork, makeNetwork } from './engine-network.ts'
import type { EngineDeps, EngineOptions } from './engine-options.ts'
import { makeAnonymous, makeSession } from './engine-sessions.ts'
import { type EngineStorage, makeStorage } from './engine-storage.ts'
import { sumOfFigures } from './session-figures.ts'
import { swarmScrapes } from './swarm-scrapes.ts'

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
  /**
   * Torrents stop, trackers hear of it, all files are closed; gives up what takes longer than `deadlineMs`. Never
   * rejects; what fails is logged.
   */
  stop(deadlineMs: number): Promise<void>
}

/** What the engine consists of. */
interface MadeEngine {
  readonly storage: EngineStorage
  readonly network: EngineNetwork
  readonly session: Session
  readonly anonymous: FurtherEngines
  /** What it follows. */
  readonly followed: FollowedSettings
}

/** The settings in force. */
interface FollowedSettings {
  settings: Settings
}

/** Part of the time to stop for the last write of the DHT's table, which runs while the sessions end. */
const KEEPER_SHARE = 0.15
/** The same for the sessions; what comes after them has the rest. */
const SESSION_SHARE = 0.85

/** Makes the engine and starts to listen. AppErrors PortTaken, BadConfiguration; then nothing of it goes on. */
export async function startEngine(options: EngineOptions, deps: EngineDeps): Promise<EngineParts> {
  const started = new StartedParts(deps.log)
  try {
    const engine = await makeEngine(options, deps, started)
    await startParts(engine, started)
    return partsOf(engine, options, deps, started)
  } catch (error) {
    await started.stop(0)
    throw error
  }
}

async function makeEngine(options: EngineOptions, deps: EngineDeps, started: StartedParts): Promise<MadeEngine> {
  const storage = makeStorage(options, deps, started)
  const network = await makeNetwork(options, deps, started)
  const session = makeSession(options, deps, storage, network)
  const sessions: Pick<Session, 'stop'>[] = [session]
  // Posted jobs run meanwhile: workers need their share only where the sessions have not ended by themselves.
  started.add('sessions', async limitMs => {
    const ends = sessions.map(one => one.stop(limitMs * SESSION_SHARE))
    await Promise.all([...ends, network.keeper.stop(limitMs * KEEPER_SHARE)])
  })
  for (const one of deps.additions.hidden) one.attach({ session, contents: storage.stores.contents(null) })
  const followed: FollowedSettings = { settings: options.settings }
  const current = () => furtherOptions(followed.settings, options.version)
  const anonymous = makeAnonymous(deps, storage, session, current)
  sessions.push(anonymous)
  return { storage, network, session, anonymous, followed }
}

async function startParts({ network, session, anonymous }: MadeEngine, started: StartedParts): Promise<void> {
  const { filter, swarm, keeper } = network
  started.add('IP filter', () => filter.stop())
  await filter.start(taken => {
    session.setIpFilter(taken)
    anonymous.setIpFilter(taken)
  })
  await session.start()
  await swarm.start(session)
  keeper.start(() => swarm.exportDht())
}

function partsOf(engine: MadeEngine, options: EngineOptions, deps: EngineDeps, started: StartedParts): EngineParts {
  const { session, anonymous } = engine
  const { blockArena, stores } = engine.storage
  const { swarm, scrapes } = engine.network
  return {
    session,
    anonymous,
    contents: stores.contents(deps.own),
    stores,
    network: swarm.facts,
    counts: swarm.counts(() => session.listenPort),
    figures: () => ({
      session: sumOfFigures(session.figures(), anonymous.figures()),
      pool: stores.stats(),
      arenas: [blockArena, deps.rangeArena],
    }),
    items: swarm.dht === null ? null : itemsOf(swarm.dht),
    scrapes: swarmScrapes(scrapes, swarm.dht),
    follow: changed => follow(engine, changed, options.version),
    stop: deadlineMs => started.stop(deadlineMs),
  }
}

function follow({ storage, network, session, anonymous, followed }: MadeEngine, now: Settings, version: string): void {
  followed.settings = now
  session.setLimits(limitsOf(now))
  anonymous.follow(furtherOptions(now, version))
  network.trackers.setSpread(spreadOf(now))
  network.filter.follow(now.network)
  network.swarm.follow(now.libtorrent)
  session.swarmChanged()
  storage.stores.setMinFreeBytes(now.disk.min_free_bytes)
}
