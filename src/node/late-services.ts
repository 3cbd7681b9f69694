// Services that are made, and their code loaded, at their first use.

import { join } from 'node:path'
import { AppError } from '../base/errors.ts'
import { prepareFolder } from '../io/files/local-paths.ts'
import type { ClientPaths } from '../ports/new-files.ts'
import type { ProgressJournal } from '../ports/progress-journal.ts'
import { DATABASE_FILE_NAME } from '../records/database-file.ts'
import type { OverlayNetwork } from '../ports/overlay-network.ts'
import type { ImportService } from '../services/import/import-api.ts'
import type { MetricFamily, MetricsService } from '../services/diagnostics/metrics-api.ts'
import type { HiddenOnes } from '../services/downloads/downloads-deps.ts'
import type { Downloads } from '../services/downloads/downloads.ts'
import { databaseBytes } from './state/database-bytes.ts'
import type { InfoHash } from '../base/ids.ts'
import type { RateRecords } from '../ports/records.ts'
import type { RateHistories, RateHistoriesDeps } from '../services/rates/rate-histories.ts'
import type { MovedBytes, MovedBytesSink, RateRange, RatesService } from '../services/rates/rates-api.ts'
import type { EngineParts } from './engine/engine-parts.ts'
import type { NodeEnvironment } from './environment.ts'

/** What is there later than the services, null until then. */
export interface LateParts {
  engine(): EngineParts | null
  overlay(): OverlayNetwork | null
  journal(): ProgressJournal | null
  /** Torrents of chapters in the engine. */
  hidden(): HiddenOnes | null
}

/** Figures. */
export function lateMetrics(
  environment: NodeEnvironment,
  late: LateParts,
  others: () => readonly MetricFamily[],
): MetricsService {
  const { clock, version, stateDir, volumes, started } = environment
  const make = async (): Promise<MetricsService> => {
    const { makeMetrics } = await import('./metrics.ts')
    const metrics = makeMetrics({
      clock,
      version,
      engine: () => late.engine(),
      overlay: () => late.overlay(),
      others,
      volumes: () => volumes.facts(),
      databaseBytes: () => databaseBytes(join(stateDir, DATABASE_FILE_NAME)),
    })
    started.add('metrics', () => Promise.resolve(metrics.stop()))
    return metrics.service
  }
  let made: Promise<MetricsService> | null = null
  return { families: async () => (await (made ??= make())).families() }
}

/** Imports from other clients. AppError NotReady before the engine is there. */
export function lateImports(
  environment: NodeEnvironment,
  late: LateParts,
  parts: { readonly downloads: Downloads; readonly paths: ClientPaths },
): ImportService {
  const { clock, random, log, own, volumes, started } = environment
  const make = async ({ session, stores }: EngineParts, journal: ProgressJournal): Promise<ImportService> => {
    const { makeImports } = await import('./imports.ts')
    const imports = makeImports(
      {
        clock,
        random,
        log: log.part('import'),
        stores,
        journal,
        volumes,
        ...parts,
        prepareFolder: (folder, use) => prepareFolder(folder, { own, volumes }, use),
        room: () => session.room(),
      },
      volumes,
    )
    started.add('imports', () => imports.stop())
    return imports
  }
  let made: Promise<ImportService> | null = null
  return {
    run: async (...asked) => {
      const engine = late.engine()
      const journal = late.journal()
      if (engine === null || journal === null) throw new AppError('NotReady')
      return (await (made ??= make(engine, journal))).run(...asked)
    },
  }
}

/** Rates of downloads as they were: nothing moves before the store is open. */
export class LateRates implements RatesService, MovedBytesSink {
  readonly #deps: RateHistoriesDeps
  #made: RateHistories | null = null

  constructor(deps: RateHistoriesDeps) {
    this.#deps = deps
  }

  /** The store is there. */
  async start(records: RateRecords): Promise<void> {
    const { RateHistories: Made } = await import('../services/rates/rate-histories.ts')
    this.#made = new Made(this.#deps)
    this.#made.start(records)
  }

  /** Settles when what moved is in the store. Never rejects. */
  async stop(): Promise<void> {
    await this.#made?.stop()
  }

  moved(bytes: readonly MovedBytes[]): void {
    this.#made?.moved(bytes)
  }

  forget(infoHash: InfoHash): void {
    this.#made?.forget(infoHash)
  }

  async of(infohash: string, range: RateRange): ReturnType<RatesService['of']> {
    if (this.#made === null) throw new AppError('NotReady')
    return this.#made.of(infohash, range)
  }
}
