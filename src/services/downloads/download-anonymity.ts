// How downloads hide: how many hops one is to have, how its sources are read then, and its way from one engine to
// another.

import { AppError, errorText } from '../../base/errors.ts'
import type { Log } from '../../ports/log.ts'
import { type Anonymity, type AnonymityDefaults, anonymityOf, checkCircuits, hopsOf } from './add-checks.ts'
import type { AddDownload } from './downloads-api.ts'
import type { DownloadEntry } from './download-entry.ts'
import type { DownloadSet } from './download-set.ts'
import { changeHops } from './hop-changes.ts'
import type { SourceReaders } from './torrent-source.ts'

/** What it needs of the service. */
export interface DownloadAnonymityDeps {
  readonly log: Log
  /** Of plain downloads. */
  readonly sources: SourceReaders
  settings(): AnonymityDefaults
}

/**
 * How downloads hide: how many hops one is to have, how its sources are read then, and its way from one engine to
 * another.
 */
export class DownloadAnonymity {
  readonly #set: DownloadSet
  readonly #deps: DownloadAnonymityDeps

  constructor(set: DownloadSet, deps: DownloadAnonymityDeps) {
    this.#set = set
    this.#deps = deps
  }

  /** Of a new download. AppErrors InvalidParameter, SafeSeedingRequired, CircuitsUnavailable. */
  traitsOf(request: Pick<AddDownload, 'anon_hops' | 'safe_seeding'>): Anonymity {
    return anonymityOf(request, this.#deps.settings(), this.#set.anonymous)
  }

  /** How many hops `wanted` are, absent = as the settings say. AppErrors InvalidParameter, CircuitsUnavailable. */
  hopsOf(wanted: number | undefined): number {
    const hops = hopsOf(wanted, this.#deps.settings())
    checkCircuits(hops, this.#set.anonymous)
    return hops
  }

  /** How sources are read for a hop count: what is fetched for one above 0 comes through circuits. */
  readers(hops: number): SourceReaders {
    const { sources } = this.#deps
    const { anonymous } = this.#set
    if (hops === 0) return sources
    if (anonymous === null) throw new AppError('CircuitsUnavailable')
    return { http: anonymous.sources(hops), readFile: (path, maxBytes) => sources.readFile(path, maxBytes) }
  }

  /** Changes the hops of a download, in its turn: see hop-changes.ts. */
  change(entry: DownloadEntry, hops: number): Promise<void> {
    return changeHops(this.#set, entry, hops, this.#deps.log)
  }

  /** Lets a complete download seed over circuits only, in its turn; false where that cannot be. */
  async hide(entry: DownloadEntry): Promise<boolean> {
    try {
      checkCircuits(1, this.#set.anonymous)
    } catch {
      return false
    }
    try {
      await this.change(entry, Math.max(1, this.#deps.settings().numberHops))
      return true
    } catch (error) {
      const { infoHash } = entry.stored
      this.#deps.log.warn('a download could not go to circuits', { infoHash, error: errorText(error) })
      return false
    }
  }
}
