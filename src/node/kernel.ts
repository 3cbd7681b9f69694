// What the core gives to chapters: its surroundings, the services they build upon, and, when it has started, its store
// and engine.

import type { FurtherListening } from '../http/index.ts'
import type { RecordsStore } from '../records/records-store.ts'
import type { MetricFamily } from '../services/diagnostics/metrics-api.ts'
import type { NodeFigures } from '../services/diagnostics/statistics.ts'
import type { Downloads } from '../services/downloads/downloads.ts'
import type { TorrentInfo } from '../services/downloads/torrent-info.ts'
import type { EventHub } from '../services/events/events.ts'
import type { Arena } from '../ports/arena.ts'
import type { OverlayNetwork } from '../ports/overlay-network.ts'
import type { EngineSharing, FurtherEngines, HiddenTorrentsOfNode } from './engine/engine-additions.ts'
import type { EngineParts } from './engine/engine-parts.ts'
import type { NodeEnvironment } from './environment.ts'
import type { SharedParts } from './shared-parts.ts'

/** There from the first moment. */
export interface Kernel extends NodeEnvironment {
  readonly events: Pick<EventHub, 'of'>
  readonly downloads: Downloads
  readonly torrentInfo: TorrentInfo
  /** What chapters give each other. */
  readonly shared: SharedParts
}

/** There when the node has started. */
export interface RunningCore {
  readonly records: RecordsStore
  readonly engine: EngineParts
  /** Opens listeners of chapters beside those of the interface. */
  readonly listening: FurtherListening
  /** Memory that files of downloads are read into. */
  readonly rangeArena: Arena
}

/** A chapter of one node. */
export interface OpenedChapter {
  /** What its routes use, beside the services of the core. */
  readonly services: object
  /** Figures of /statistics that it knows better than the core. */
  readonly figures?: NodeFigures
  /** Figures for Prometheus, read from counters that are there anyway. */
  metrics?(): readonly MetricFamily[]
  /** The store is open, the engine is not there yet; answers what ends this when the engine has ended. */
  storeOpened?(records: RecordsStore): (limitMs: number) => Promise<void>
  /** Torrents of its own in the engine, that are no downloads. */
  hidden?(): Promise<HiddenTorrentsOfNode>
  /** What makes engines of downloads over circuits. */
  anonymous?(): Promise<(sharing: EngineSharing) => FurtherEngines>
  /** Overlays of its own; null: not yet. */
  network?(): OverlayNetwork | null
  /** The node has started: what went on before goes on. Never rejects. */
  start(core: RunningCore): Promise<void>
  /** Ends it; `limitMs`: how long the whole stop may take. */
  stop(limitMs: number): Promise<void>
  /**
   * Part of that time that is kept for it in any case, because what it holds must not be lost by the slowness of
   * others.
   */
  readonly kept?: number
}
