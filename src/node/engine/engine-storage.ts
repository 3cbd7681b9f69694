// Where torrents have their bytes: memory for received blocks, files with the workers that hash them, files of
// metadata.

import { join } from 'node:path'
import { isIn } from '../../io/files/own-files.ts'
import { ChunkFileMetadata } from '../../io/files/metadata-chunk-files.ts'
import { SmallMetadata } from '../../io/files/small-metadata.ts'
import { SharedArena } from '../../pools/arena.ts'
import { FilePieceStores } from '../../pools/piece-stores.ts'
import type { OwnFiles } from '../../ports/own-files.ts'
import type { StartedParts } from '../started-parts.ts'
import { sharesOf } from './descriptor-shares.ts'
import type { EngineDeps, EngineOptions } from './engine-options.ts'

/** Part of the time to stop that workers may use for posted jobs, most of which are done while the sessions end. */
const WORKER_SHARE = 0.25

/** Where torrents have their bytes. */
export interface EngineStorage {
  /** Where received blocks lie. */
  readonly blockArena: SharedArena
  readonly stores: FilePieceStores
  readonly metadata: SmallMetadata
}

/** Makes it; `started` stops it. */
export function makeStorage(options: EngineOptions, deps: EngineDeps, started: StartedParts): EngineStorage {
  const { clock } = deps
  const files = new ChunkFileMetadata({ folder: join(options.stateDir, 'metadata') }, { clock })
  const metadata = new SmallMetadata(files)
  started.add('metadata files', () => metadata.close())
  const blockArena = new SharedArena({ id: 'block', bytes: options.settings.disk.arena_bytes })
  const stores = makeStores(options, deps, blockArena)
  started.add('piece workers', limitMs => stores.stop(limitMs * WORKER_SHARE))
  return { blockArena, stores, metadata }
}

function makeStores({ settings }: EngineOptions, deps: EngineDeps, blockArena: SharedArena): FilePieceStores {
  const { hidden } = deps.additions
  // Hidden torrents are those of the node itself.
  const own = (destination: string): OwnFiles | null =>
    hidden.some(({ folder }) => isIn(folder, destination)) ? null : deps.own
  return new FilePieceStores(
    {
      threads: settings.disk.worker_threads,
      hash: settings.disk.hash,
      openFiles: sharesOf(settings).files,
      minFreeBytes: settings.disk.min_free_bytes,
    },
    {
      blockArena,
      rangeArena: deps.rangeArena,
      clock: deps.clock,
      lanes: deps.volumes,
      log: deps.log.part('disk'),
      onRepeatedLoss: () => deps.onRepeatedLoss(),
      own,
    },
  )
}
