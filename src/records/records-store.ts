// The durable store of the node: one database file in one thread, seen through the narrow interfaces of
// ports/records.ts. It holds no rows in memory beside counters on their way to the disk.

import { readFileSync } from 'node:fs'
import type { AppError } from '../base/errors.ts'
import type { DiscoveredMetadata } from '../ports/discovered-metadata.ts'
import type { DownloadRecords, EventLog, NodeValues, ProgressRecords, RateRecords } from '../ports/records.ts'
import type { FeedRecords } from '../ports/feed-records.ts'
import type { SeenFiles } from '../ports/seen-files.ts'
import type { SettingsHistory } from '../ports/settings-history.ts'
import type { TorrentContentsSource } from '../ports/torrent-contents.ts'
import type { UpdateRecords } from '../ports/update-records.ts'
import type { WatchingRecords } from '../ports/viewing/watching-records.ts'
import { DatabaseDiscoveredMetadata, DatabaseSettingsHistory } from './discovered.ts'
import { DatabaseDownloads } from './downloads.ts'
import { DatabaseFeeds } from './feeds.ts'
import type { OpenFacts } from './jobs.ts'
import { DatabaseKeptAnnounces } from './kept-announces.ts'
import { LazyTotals } from './lazy-totals.ts'
import { RecordsLink } from './records-link.ts'
import { DatabaseEventLog, DatabaseNodeValues, DatabaseProgress, DatabaseRates } from './small-records.ts'
import { DatabaseSeenFiles } from './seen-files.ts'
import type { UpgradeNote } from './thread-messages.ts'
import { StoredTorrentContents } from './torrent-contents.ts'
import { DatabaseUpdates } from './updates.ts'
import { DatabaseWatching } from './watching.ts'

const BOOT_ID_PATH = '/proc/sys/kernel/random/boot_id'
const WORKER_URL = new URL('../../workers/records.js', import.meta.url)

/** How the store is opened. */
export interface RecordsOptions {
  /** Absolute path of the database file; its folder exists. */
  readonly path: string
  /** Identity of this boot of the machine; absent = read from the kernel, null = unknown. */
  readonly bootId?: string | null
  /** Milliseconds since 1970; absent = the system's clock. */
  readonly now?: () => number
  /** How often counters are written, ms; default 30,000. */
  readonly totalsEveryMs?: number
  /** Called at most once, when the database thread died: the node cannot go on. */
  readonly onFatal?: (error: AppError) => void
  /** Ends open() with Aborted: an upgrade may take long, and may be killed at any moment. */
  readonly signal?: AbortSignal
  /** Called while open() brings an older database up to date, for each event of that which is in the log. */
  readonly onUpgrade?: (note: UpgradeNote) => void
}

/** The open store. */
export class RecordsStore {
  /** How the database was found at open(). */
  readonly facts: OpenFacts
  readonly downloads: DownloadRecords
  readonly progress: ProgressRecords
  readonly events: EventLog
  readonly values: NodeValues
  readonly contents: TorrentContentsSource
  readonly updates: UpdateRecords
  readonly seenFiles: SeenFiles
  readonly feeds: FeedRecords
  readonly settingsHistory: SettingsHistory
  readonly metadata: DiscoveredMetadata
  readonly watching: WatchingRecords
  readonly rates: RateRecords
  /** `load()` it before torrents are added. */
  readonly announces: DatabaseKeptAnnounces
  readonly #link: RecordsLink
  readonly #totals: LazyTotals

  private constructor(link: RecordsLink, facts: OpenFacts, options: RecordsOptions) {
    const now = options.now ?? Date.now
    this.facts = facts
    this.#link = link
    this.#totals = new LazyTotals(link, options.totalsEveryMs)
    this.downloads = new DatabaseDownloads(link, this.#totals)
    this.progress = new DatabaseProgress(link, this.#totals, now)
    this.contents = new StoredTorrentContents(this.downloads, this.progress)
    this.events = new DatabaseEventLog(link, now)
    this.values = new DatabaseNodeValues(link)
    this.updates = new DatabaseUpdates(link)
    this.settingsHistory = new DatabaseSettingsHistory(link, now)
    this.metadata = new DatabaseDiscoveredMetadata(link, now)
    this.feeds = new DatabaseFeeds(link)
    this.announces = new DatabaseKeptAnnounces(link, now)
    this.seenFiles = new DatabaseSeenFiles(link)
    this.watching = new DatabaseWatching(link)
    this.rates = new DatabaseRates(link)
  }

  /** Opens or makes the database. AppErrors StateUnreadable, DiskFull, DiskError, each with one sentence; Aborted. */
  static async open(options: RecordsOptions): Promise<RecordsStore> {
    const bootId = options.bootId === undefined ? readBootId() : options.bootId
    const nowMs = (options.now ?? Date.now)()
    const onFatal = options.onFatal ?? (() => undefined)
    const link = new RecordsLink(
      WORKER_URL,
      { path: options.path, bootId, nowMs },
      { onFatal, onUpgrade: options.onUpgrade },
    )
    const giveUp = (): void => void link.close(0)
    options.signal?.addEventListener('abort', giveUp, { once: true })
    if (options.signal?.aborted === true) giveUp()
    try {
      return new RecordsStore(link, await link.opened(), options)
    } finally {
      options.signal?.removeEventListener('abort', giveUp)
    }
  }

  /** Jobs that are not answered yet. */
  get waiting(): number {
    return this.#link.waiting
  }

  /** A start is over: see DatabaseLink.rest. */
  rest(machineCode: string): void {
    this.#link.rest(machineCode)
  }

  /**
   * Writes the counters, finishes what was asked for, notes the clean stop and closes. Later calls reject with Aborted.
   * After `deadlineMs` it gives up: the next start counts this stop as unclean. True for an orderly end.
   */
  close(deadlineMs: number): Promise<boolean> {
    this.#totals.stop()
    this.announces.stop()
    return this.#link.close(deadlineMs)
  }
}

function readBootId(): string | null {
  try {
    return readFileSync(BOOT_ID_PATH, 'utf8').trim() || null
  } catch {
    return null
  }
}
