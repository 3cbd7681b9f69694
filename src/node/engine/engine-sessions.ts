// The torrents' sessions: the plain one, which listens, and those beside it of downloads over circuits.

import { networkInterfaces } from 'node:os'
import { StreamTurns } from '../../torrent/session/stream-turns.ts'
import { Session, type SessionOptions } from '../../torrent/index.ts'
import { oldSpaceInCrowds } from '../old-space.ts'
import type { EngineSharing, FurtherEngineOptions, FurtherEngines } from './engine-additions.ts'
import { checkDepthOf, limitsOf } from './engine-limits.ts'
import type { EngineNetwork } from './engine-network.ts'
import type { EngineDeps, EngineOptions } from './engine-options.ts'
import type { EngineStorage } from './engine-storage.ts'
import { noAnonymity } from './no-anonymity.ts'
import { SwarmAnnouncers } from './swarm-announcers.ts'

/** Makes the plain session; torrents of the node itself stand between it and those who listen to it. */
export function makeSession(
  options: EngineOptions,
  deps: EngineDeps,
  { blockArena, stores, metadata }: EngineStorage,
  { trackers, swarm, webSeeds }: EngineNetwork,
): Session {
  const { clock, random, log, rangeArena, journal } = deps
  const { hidden } = deps.additions
  return new Session(sessionOptions(options), {
    clock,
    random,
    log,
    tcp: swarm.network,
    swarm: swarm.parts,
    webSeeds,
    stores,
    journal,
    contents: hidden.reduce((all, one) => one.contents(all), deps.contents),
    metadata,
    announcers: new SwarmAnnouncers({ trackers, dht: swarm.searches, impliedPort: swarm.utp !== null }),
    blockArena,
    rangeArena,
    events: hidden.reduce((all, one) => one.events(all), deps.events),
    crowdChanged: oldSpaceInCrowds(),
  })
}

function sessionOptions({ settings, version }: EngineOptions): SessionOptions {
  return {
    ...limitsOf(settings),
    listenIp: anyAddress(),
    listenPort: Math.max(0, settings.libtorrent.port),
    localIp: null,
    version,
    checkDepth: checkDepthOf(settings),
  }
}

/** Makes the engines over circuits; `current` answers what the settings say of them now. */
export function makeAnonymous(
  { rangeArena, journal, contents, events, announces, additions }: EngineDeps,
  { blockArena, stores, metadata }: EngineStorage,
  session: Session,
  current: () => FurtherEngineOptions,
): FurtherEngines {
  const sharing: EngineSharing = {
    stores,
    journal,
    contents,
    metadata,
    blockArena,
    rangeArena,
    events,
    kept: announces,
    // Who makes way for a film can be seen by its peers: those of circuits must not tell what this node plays.
    share: { ...session.share, turns: new StreamTurns() },
    options: current,
  }
  return additions.anonymous?.(sharing) ?? noAnonymity
}

/** Both families where the machine has IPv6 at all. */
function anyAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap(list => list ?? [])
  return addresses.some(address => address.family === 'IPv6') ? '::' : '0.0.0.0'
}
