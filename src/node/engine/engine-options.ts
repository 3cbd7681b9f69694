// What the engine is made of: settings, and what compose.ts has made before it. Types only.

import type { NetworkStack } from '../../io/net/network-stack.ts'
import type { AddressPolicy } from '../../io/net/address-policy.ts'
import type { VolumeLanes } from '../../io/files/volume-lanes.ts'
import type { Arena } from '../../ports/arena.ts'
import type { Clock } from '../../ports/clock.ts'
import type { KeptAnnounces } from '../../ports/kept-announces.ts'
import type { Log } from '../../ports/log.ts'
import type { OwnFiles } from '../../ports/own-files.ts'
import type { NodeValues, ProgressRecords } from '../../ports/records.ts'
import type { Random } from '../../ports/random.ts'
import type { TorrentContentsSource } from '../../ports/torrent-contents.ts'
import type { TorrentEvents } from '../../torrent/index.ts'
import type { Settings } from '../settings/settings-schema.ts'
import type { EngineAdditions } from './engine-additions.ts'

/** What the engine needs from outside. */
export interface EngineOptions {
  /** Absolute path of the state directory. */
  readonly stateDir: string
  readonly settings: Settings
  /** Software version, e.g. `0.1.0`. */
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
