// POST /import: the torrents of another client's folder in parts, a few at a time. Each part reads the list of the
// folder again, so nothing is kept between requests, and memory does not depend on how many there are.

import { AppError } from '../../base/errors.ts'
import type { ResumeFolder, ResumeFolders } from '../../ports/resume-folder.ts'
import type { Caller } from '../callers-api.ts'
import type { ImportedTorrent, ImportPage, ImportService, ImportTorrents } from './import-api.ts'
import { importOne, type ImportOrder, type ImportParts } from './import-one.ts'
import { checkMap } from './import-paths.ts'

/** Torrents at work at a time: each may hold its torrent and resume file in memory. */
const AT_ONCE = 4
/** Torrents of a part that names no number. */
const DEFAULT_LIMIT = 50
const DEFAULT_SAMPLE = 1

/** What it needs of the node. */
export interface ImportDeps extends ImportParts {
  readonly folders: ResumeFolders
  /** Settles when the engine takes another torrent. */
  room(): Promise<void>
}

/** POST /import: the torrents of another client's folder in parts, a few at a time. */
export class TorrentImports implements ImportService {
  readonly #deps: ImportDeps
  #running: Promise<unknown> | null = null
  readonly #stopped = new AbortController()

  constructor(deps: ImportDeps) {
    this.#deps = deps
  }

  async run(request: ImportTorrents, signal: AbortSignal, caller: Caller): Promise<ImportPage> {
    const { downloads, folders, paths } = this.#deps
    const map = request.map ?? []
    checkMap(map)
    downloads.checkAdding()
    const folder = await folders.open(await paths.resolve(request.folder, caller), request.from)
    if (this.#running !== null) throw new AppError('TooManyRequests', 'Another import is at work; try again.')
    const order: ImportOrder = {
      client: request.from,
      map,
      caller,
      dryRun: request.dry_run === true,
      sample: request.sample ?? DEFAULT_SAMPLE,
      signal: AbortSignal.any([signal, this.#stopped.signal]),
    }
    const work = this.#part(folder, order, request.after ?? '', request.limit ?? DEFAULT_LIMIT)
    this.#running = work
    try {
      return await work
    } finally {
      this.#running = null
    }
  }

  /** Gives up what is at work; settles when nothing is. */
  async stop(): Promise<void> {
    this.#stopped.abort()
    await this.#running?.catch(() => undefined)
  }

  async #part(folder: ResumeFolder, order: ImportOrder, after: string, limit: number): Promise<ImportPage> {
    const from = folder.names.findIndex(name => name > after)
    const names = from === -1 ? [] : folder.names.slice(from, from + limit)
    const results: ImportedTorrent[] = []
    let next = 0
    const lane = async (): Promise<void> => {
      for (let at = next++; at < names.length; at = next++) {
        if (order.signal.aborted) throw new AppError('Aborted')
        await this.#deps.room()
        results[at] = await importOne(folder, names[at] as string, order, this.#deps)
      }
    }
    const lanes = await Promise.allSettled(Array.from({ length: AT_ONCE }, lane))
    for (const ended of lanes) if (ended.status === 'rejected') throw ended.reason
    const more = from !== -1 && from + limit < folder.names.length
    return { results, total: folder.names.length, next: more ? (names.at(-1) ?? '') : '' }
  }
}
