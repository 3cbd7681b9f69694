// The engines as the services use them: what a session offers of adding and removing torrents, and one more for each
// number of hops. Types only.

import type { InfoHash } from '../../base/ids.ts'
import type { CircuitFacts } from '../../ports/overlay-network.ts'
import type { ResumeData } from '../../ports/progress-journal.ts'
import type { SourceFetch } from '../../ports/source-fetch.ts'
import type { DataChoice, TorrentHandle, TorrentSpec } from '../../torrent/types.ts'

/** The part of Session that services need. */
export interface TorrentEngine {
  /** Adds a torrent whose info hash is not there yet. */
  add(spec: TorrentSpec): TorrentHandle
  /** Settles when the next of many may be added. */
  room(): Promise<void>
  /** Settles when its files are closed and, with deleteData, deleted. */
  remove(infoHash: InfoHash, options: { deleteData: DataChoice }): Promise<void>
}

/** Engines of downloads over circuits. `hops` is 1 to 3; a torrent of one of them never meets the plain engine. */
export interface AnonymousEngines {
  /** AppError CircuitsUnavailable where the settings forbid circuits. */
  check(): void
  /** Started at its first use; its torrents wait until there are circuits. Rejects with AppError Aborted at the end. */
  engine(hops: number): Promise<TorrentEngine>
  /** Torrents that http addresses name, fetched through circuits. */
  sources(hops: number): SourceFetch
  /** What is known of the circuits; the same object until something changes. */
  facts(hops: number): CircuitFacts
  /** The durable progress of a torrent that no engine has now; null = nothing is known. */
  loadResume(infoHash: InfoHash): Promise<ResumeData | null>
}
