// The main thread's end of the catalogue: both ports over one database thread. Upkeep runs by itself, a while after
// what needs it.

import type { AppError } from '../../../base/errors.ts'
import { workerUrl } from '../../../io/worker-url.ts'
import type { CatalogueHappening, ChannelCatalogue } from '../ports/channel-catalogue.ts'
import type { ChannelLibrary } from '../ports/channel-library.ts'
import { DatabaseLink } from '../../../records/database-link.ts'
import {
  backgroundJobs,
  type CatalogueFacts,
  type CatalogueJobs,
  type CatalogueOptions,
  libraryJobs,
  networkJobs,
} from './jobs.ts'

/** Arguments of background jobs in a batch: small, so that a search waits for few signatures. */
const BACKGROUND_BYTES = 48 * 1024
/** Records of an offer go to the thread so many at a time. */
const OFFERED_AT_ONCE = 64
/** Upkeep after something that needs it. */
const TEND_AFTER_MS = 2000

/** Bytes of discovered channels by default. */
export const DEFAULT_QUOTA_BYTES = 256 * 1024 * 1024

/** How the catalogue is opened. */
export interface CatalogueSettings {
  /** Absolute path of the database file; its folder exists. */
  readonly path: string
  /** Bytes that records of discovered channels may take together. */
  readonly quotaBytes?: number
  /** Called at most once, when the thread died or found the file damaged. */
  readonly onFatal?: (error: AppError) => void
  /** How long after a change upkeep runs, ms. */
  readonly tendAfterMs?: number
}

/** What runs jobs: the thread's link, or the database itself in tests. */
export interface JobRunner {
  run(name: string, ...args: unknown[]): Promise<unknown>
}

type Watcher = (event: CatalogueHappening) => void

/** Both ports over whatever runs the jobs. */
export class CataloguePorts {
  readonly network: ChannelCatalogue
  readonly library: ChannelLibrary
  readonly #watchers = new Set<Watcher>()

  constructor(runner: JobRunner) {
    const network = methods(runner, 'network', Object.keys(networkJobs)) as Omit<ChannelCatalogue, 'watch'>
    this.library = methods(runner, 'library', Object.keys(libraryJobs)) as ChannelLibrary
    this.network = {
      ...network,
      offerRecords: async (channel, records, role, from) => {
        const verdict = { kept: 0, known: 0, refused: 0 }
        for (let at = 0; at < records.length; at += OFFERED_AT_ONCE) {
          const part = await network.offerRecords(channel, records.slice(at, at + OFFERED_AT_ONCE), role, from)
          verdict.kept += part.kept
          verdict.known += part.known
          verdict.refused += part.refused
        }
        return verdict
      },
      watch: happened => {
        this.#watchers.add(happened)
        return () => this.#watchers.delete(happened)
      },
    }
  }

  /** Tells all who watch. */
  tell(happening: CatalogueHappening): void {
    for (const watcher of this.#watchers) watcher(happening)
  }
}

/** A method a job; jobs.ts holds the names against the port. */
function methods(runner: JobRunner, prefix: string, names: readonly string[]): unknown {
  return Object.fromEntries(names.map(name => [name, (...args: unknown[]) => runner.run(`${prefix}.${name}`, ...args)]))
}

/** The open catalogue. */
export class Catalogue {
  readonly facts: CatalogueFacts
  readonly network: ChannelCatalogue
  readonly library: ChannelLibrary
  readonly #link: DatabaseLink<CatalogueJobs, CatalogueFacts>
  readonly #tendAfterMs: number
  #tending: NodeJS.Timeout | null = null
  #atWork = false
  #closed = false

  private constructor(
    link: DatabaseLink<CatalogueJobs, CatalogueFacts>,
    ports: CataloguePorts,
    facts: CatalogueFacts,
    tendAfterMs: number,
  ) {
    this.#link = link
    this.facts = facts
    this.network = ports.network
    this.library = ports.library
    this.#tendAfterMs = tendAfterMs
    this.#tendIn(tendAfterMs)
  }

  /** Opens or makes the database. AppErrors StateUnreadable, DiskFull, DiskError, each with one sentence. */
  static async open(settings: CatalogueSettings): Promise<Catalogue> {
    const options: CatalogueOptions = { path: settings.path, quotaBytes: settings.quotaBytes ?? DEFAULT_QUOTA_BYTES }
    let ports: CataloguePorts | null = null
    let catalogue: Catalogue | null = null
    const link = new DatabaseLink<CatalogueJobs, CatalogueFacts>(
      workerUrl('catalogue'),
      options,
      { what: 'channels', patient: new Set(), background: backgroundJobs, backgroundBytes: BACKGROUND_BYTES },
      {
        onFatal: settings.onFatal ?? (() => undefined),
        onNotice: notice => {
          ports?.tell(notice as CatalogueHappening)
          catalogue?.tendSoon()
        },
      },
    )
    const facts = await link.opened()
    ports = new CataloguePorts(
      new LinkRunner(link, adopted => (adopted ? catalogue?.tendNow() : catalogue?.tendSoon())),
    )
    catalogue = new Catalogue(link, ports, facts, settings.tendAfterMs ?? TEND_AFTER_MS)
    return catalogue
  }

  /** Jobs that are not answered yet. */
  get waiting(): number {
    return this.#link.waiting
  }

  /** Bytes that records of discovered channels may take together from now on. */
  async setQuota(bytes: number): Promise<void> {
    await this.#link.run('own.setQuota', bytes)
    this.tendSoon()
  }

  /** Something came that upkeep may have to look at. */
  tendSoon(): void {
    this.#tendIn(this.#tendAfterMs)
  }

  /**
   * Finishes what was asked for and closes. Later calls reject with Aborted. True for an orderly end before
   * `deadlineMs`.
   */
  close(deadlineMs: number): Promise<boolean> {
    this.#closed = true
    if (this.#tending !== null) clearTimeout(this.#tending)
    return this.#link.close(deadlineMs)
  }

  /** Runs the upkeep now: a large set has come. */
  tendNow(): void {
    if (this.#tending !== null) clearTimeout(this.#tending)
    this.#tending = null
    void this.#tend()
  }

  #tendIn(afterMs: number): void {
    if (this.#closed || this.#tending !== null) return
    this.#tending = setTimeout(() => void this.#tend(), afterMs)
    this.#tending.unref()
  }

  async #tend(): Promise<void> {
    this.#tending = null
    if (this.#closed || this.#atWork) return
    this.#atWork = true
    // Jobs with real work report a failing disk; this runs again at the next change.
    while (!this.#closed && (await this.#link.run('own.tend').catch(() => false)));
    this.#atWork = false
  }
}

/** The link as a runner; what comes from the network is followed by upkeep, sets that were adopted at once. */
class LinkRunner implements JobRunner {
  readonly #link: DatabaseLink<CatalogueJobs, CatalogueFacts>
  readonly #came: (adopted: boolean) => void

  constructor(link: DatabaseLink<CatalogueJobs, CatalogueFacts>, came: (adopted: boolean) => void) {
    this.#link = link
    this.#came = came
  }

  async run(name: string, ...args: unknown[]): Promise<unknown> {
    // The names are those of the ports, whose types the callers go by.
    const reply = await this.#link.run(name as 'own.tend', ...(args as []))
    if (name === 'network.adopt') this.#came(true)
    else if (name === 'network.offerRecords' || name === 'network.offerHead') this.#came(false)
    return reply
  }
}
