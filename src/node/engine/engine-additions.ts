// What chapters add to the engine: torrents that are no downloads, and engines of downloads that go through circuits.

import type { Arena } from '../../ports/arena.ts'
import type { ContentSources } from '../../ports/content-source.ts'
import type { SessionFigures } from '../../ports/engine-figures.ts'
import type { KeptAnnounces } from '../../ports/kept-announces.ts'
import type { MetadataChunks } from '../../ports/metadata-chunks.ts'
import type { PieceStores } from '../../ports/piece-store.ts'
import type { ProgressRecords } from '../../ports/records.ts'
import type { TorrentContentsSource } from '../../ports/torrent-contents.ts'
import type { HiddenOnes } from '../../services/downloads/downloads-deps.ts'
import type { AnonymousEngines } from '../../services/downloads/torrent-engine.ts'
import type { IpFilter, Session, SessionLimits, TorrentEvents } from '../../torrent/index.ts'
import type { AnnounceSpread } from '../../tracker/announce-lanes.ts'

/** What torrents of the node itself need of the engine. */
export interface HiddenEngine {
  readonly session: Pick<Session, 'add' | 'called' | 'remove'>
  readonly contents: ContentSources
}

/** Torrents of the node itself. They sit between the engine and its listeners. Call attach() before anything else. */
export interface HiddenTorrentsOfNode extends HiddenOnes {
  /** Absolute: what lies in it is the node's own, and may be written by these torrents alone. */
  readonly folder: string
  /** `events` without theirs. */
  events(events: TorrentEvents): TorrentEvents
  /** `contents` with theirs. */
  contents(contents: TorrentContentsSource): TorrentContentsSource
  /** The engine is there. */
  attach(engine: HiddenEngine): void
}

/** What the settings say of an engine beside the plain one. */
export interface FurtherEngineOptions {
  readonly limits: SessionLimits
  readonly spread: AnnounceSpread
  readonly dhtBootstrap: readonly string[]
  readonly pex: boolean
  readonly version: string
  readonly checkDepth: number
}

/** What further engines share with the plain one. */
export interface EngineSharing {
  readonly stores: PieceStores
  readonly journal: ProgressRecords
  readonly contents: TorrentContentsSource
  readonly metadata: MetadataChunks
  readonly blockArena: Arena
  readonly rangeArena: Arena
  readonly events: TorrentEvents
  readonly kept: KeptAnnounces
  readonly share: Session['share']
  /** By the settings now. */
  options(): FurtherEngineOptions
}

/** Engines of downloads over circuits, as the plain one has them beside it. */
export interface FurtherEngines extends AnonymousEngines {
  /** Of all that run. */
  figures(): SessionFigures[]
  follow(changed: FurtherEngineOptions): void
  setIpFilter(filter: IpFilter): void
  /** As Session.stop(), for all. */
  stop(deadlineMs: number): Promise<void>
}

/** What chapters add. */
export interface EngineAdditions {
  readonly hidden: readonly HiddenTorrentsOfNode[]
  /** Makes the engines over circuits; null: no chapter has any. */
  readonly anonymous: ((sharing: EngineSharing) => FurtherEngines) | null
}

/** All of them as one. */
export function allHidden(hidden: readonly HiddenOnes[]): HiddenOnes {
  return {
    owns: infoHash => hidden.some(one => one.owns(infoHash)),
    async drop(infoHash) {
      for (const one of hidden) if (one.owns(infoHash)) await one.drop(infoHash)
    },
  }
}
