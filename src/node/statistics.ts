// GET /statistics: counters of the core and of the chapters, and how much their stores take on the disk.

import { join } from 'node:path'
import { DATABASE_FILE_NAME } from '../records/database-file.ts'
import { type NodeFigures, NodeStatistics } from '../services/diagnostics/statistics.ts'
import { sumOf } from '../services/diagnostics/work-counts.ts'
import type { DownloadServices } from './download-services.ts'
import type { OpenedChapter } from './kernel.ts'
import type { LateParts } from './late-services.ts'
import { databaseBytes } from './state/database-bytes.ts'

/** What is counted. */
export interface CountedParts extends Pick<DownloadServices, 'downloads' | 'previews' | 'http'> {
  readonly chapters: readonly OpenedChapter[]
  /** Names of the stores of chapters, in the state directory. */
  readonly stores: readonly string[]
  readonly late: Pick<LateParts, 'overlay'>
}

/** Makes it. `stateDir`: absolute path of the state directory. */
export function makeStatistics(stateDir: string, parts: CountedParts): NodeStatistics {
  const { downloads, previews, http, chapters, stores, late } = parts
  return new NodeStatistics({
    databaseBytes: () => storedBytes(stateDir, stores),
    figures: Object.assign({}, ...chapters.map(chapter => chapter.figures ?? {})) as NodeFigures,
    metadata: () => sumOf(previews.counts, downloads.metadataCounts),
    sources: () => http.counts,
    overlay: () => late.overlay(),
  })
}

/** Bytes of all stores on the disk. */
async function storedBytes(stateDir: string, others: readonly string[]): Promise<number> {
  const files = [DATABASE_FILE_NAME, ...others].map(name => databaseBytes(join(stateDir, name)))
  return (await Promise.all(files)).reduce((sum, bytes) => sum + bytes, 0)
}
