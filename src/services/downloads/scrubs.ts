// Everything that is complete is hashed again once in so many days (setting disk.scrub_days), one download at a time,
// the one that waited longest first. When it was last done is in the download's record.

import { errorText } from '../../base/errors.ts'
import type { Clock, Timer } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { DownloadEntry } from './download-entry.ts'
import type { DownloadSet } from './download-set.ts'

/** Whether one is due is looked at this often, and when the setting changes. */
const LOOK_MS = 60_000
const DAY_MS = 86_400_000

/** What the scrubs need of the node. */
export interface ScrubsDeps {
  readonly clock: Clock
  readonly log: Log
  /** 0 = none. */
  settings(): { readonly scrubDays: number }
}

/**
 * Everything that is complete is hashed again once in so many days (setting disk.scrub_days), one download at a time,
 * the one that waited longest first.
 */
export class Scrubs {
  readonly #set: DownloadSet
  readonly #deps: ScrubsDeps
  readonly #stopping = new AbortController()
  #timer: Timer | null = null
  #work: Promise<void> | null = null

  constructor(set: DownloadSet, deps: ScrubsDeps) {
    this.#set = set
    this.#deps = deps
  }

  start(): void {
    this.#timer = this.#deps.clock.every(LOOK_MS, () => void this.look())
  }

  /** Settles when the one under way has ended, not finished. */
  async stop(): Promise<void> {
    this.#timer?.cancel()
    this.#stopping.abort()
    await this.#work
  }

  /**
   * Scrubs every download that is due, one after the other; settles afterwards. Does nothing more while that is under
   * way.
   */
  look(): Promise<void> {
    this.#work ??= this.#scrubDue().finally(() => {
      this.#work = null
    })
    return this.#work
  }

  /** Each once: one that fails does not hold up the others, and is tried again at the next look. */
  async #scrubDue(): Promise<void> {
    const tried = new Set<DownloadEntry>()
    for (;;) {
      const entry = this.#stopping.signal.aborted ? null : this.#firstDue(tried)
      if (entry === null) return
      tried.add(entry)
      await this.#scrub(entry)
    }
  }

  #firstDue(tried: ReadonlySet<DownloadEntry>): DownloadEntry | null {
    const { scrubDays } = this.#deps.settings()
    if (scrubDays === 0) return null
    const dueMs = this.#deps.clock.wallMs() - scrubDays * DAY_MS
    let first: DownloadEntry | null = null
    for (const entry of this.#set.entries.values()) {
      const isDue = lastMs(entry) <= dueMs && !tried.has(entry)
      if (isDue && (first === null || lastMs(entry) < lastMs(first)) && isWhole(entry)) first = entry
    }
    return first
  }

  async #scrub(entry: DownloadEntry): Promise<void> {
    const { infoHash } = entry.stored
    try {
      const torrent = await entry.torrent.wake()
      if (!(await torrent.scrub(this.#stopping.signal))) return
      const scrubbedAtMs = this.#deps.clock.wallMs()
      await this.#set.queue.run(infoHash, async () => {
        if (this.#set.entries.get(infoHash) === entry) await this.#set.update(entry, { scrubbedAtMs })
      })
    } catch (error) {
      this.#deps.log.warn('a download could not be hashed again', { infoHash, error: errorText(error) })
    }
  }
}

/** When its bytes were last known to be right, as far as that is noted. */
function lastMs({ stored }: DownloadEntry): number {
  return Math.max(stored.scrubbedAtMs ?? 0, stored.finishedAtMs ?? 0, stored.addedAtMs)
}

function isWhole(entry: DownloadEntry): boolean {
  if (!entry.loaded) return false
  const { status, progress } = entry.torrent.snapshot()
  return progress === 1 && (status === 'seeding' || status === 'stopped' || status === 'queued')
}
