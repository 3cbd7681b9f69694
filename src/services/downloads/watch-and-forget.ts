// Watch and forget: a download that is kept for its readers alone goes, with its files, some hours after it was read
// last (setting disk.watch_cache_hours). When that was is in its row, so that a restart does not begin the hours again;
// one that nobody has read goes so long after it was added, or after it was to forget.

import { errorText } from '../../base/errors.ts'
import type { InfoHash } from '../../base/ids.ts'
import type { Timer } from '../../ports/clock.ts'
import { controlsOf } from './download-controls.ts'
import type { DownloadEntry } from './download-entry.ts'
import type { DownloadSet } from './download-set.ts'
import type { DownloadsDeps } from './downloads-deps.ts'

/** Who reads, and whose time is over, is looked at this often. */
const LOOK_MS = 60_000
/** While it is being read the time goes to the store this often: a kill makes its life so much shorter at most. */
const NOTE_MS = 600_000
const HOUR_MS = 3_600_000

/** What it needs of the node. */
export interface WatchAndForgetDeps extends Pick<DownloadsDeps, 'clock' | 'log' | 'events'> {
  /** 0 = they stay. */
  settings(): { readonly watchCacheHours: number }
  /** Removes a download with its files. */
  remove(infoHash: InfoHash): Promise<unknown>
}

/** The downloads that are to be forgotten. */
export class WatchAndForget {
  readonly #set: DownloadSet
  readonly #deps: WatchAndForgetDeps
  readonly #leaving = new Set<InfoHash>()
  #timer: Timer | null = null
  #work: Promise<void> = Promise.resolve()

  constructor(set: DownloadSet, deps: WatchAndForgetDeps) {
    this.#set = set
    this.#deps = deps
  }

  start(): void {
    this.#timer = this.#deps.clock.every(LOOK_MS, () => this.look())
  }

  /** Notes what was read until now; settles when that is in the store. */
  async stop(): Promise<void> {
    this.#timer?.cancel()
    for (const entry of this.#set.entries.values()) if (isKept(entry) && entry.takeRead()) this.#note(entry)
    await this.#work
  }

  /** Notes who is read, and removes those whose time is over. */
  look(): void {
    for (const entry of this.#set.entries.values()) if (isKept(entry)) this.#lookAt(entry)
  }

  #lookAt(entry: DownloadEntry): void {
    const { infoHash, readAtMs } = entry.stored
    const nowMs = this.#deps.clock.wallMs()
    // Without a time of its own it may be an old download that was told to forget just now.
    const read = entry.takeRead() || readAtMs === undefined
    if (read) {
      const due = readAtMs === undefined || nowMs - readAtMs >= NOTE_MS || nowMs < readAtMs
      if (due || !entry.beingRead) this.#note(entry)
      return
    }
    const { watchCacheHours: hours } = this.#deps.settings()
    if (hours === 0 || nowMs - readAtMs < hours * HOUR_MS || this.#leaving.has(infoHash)) return
    this.#leaving.add(infoHash)
    this.#do(infoHash, 'a download could not be forgotten', async () => {
      try {
        await this.#forget(entry)
      } finally {
        this.#leaving.delete(infoHash)
      }
    })
  }

  async #forget(entry: DownloadEntry): Promise<void> {
    const { infoHash, name } = entry.stored
    this.#deps.log.info('a download is forgotten: nobody has read it for long enough', { infoHash })
    try {
      await this.#deps.remove(infoHash)
    } finally {
      // Also where the disk kept files of it: it is not in the list any more.
      const gone = this.#set.entries.get(infoHash) !== entry
      if (gone) this.#deps.events.emit('download_forgotten', { infohash: infoHash, name })
    }
  }

  #note(entry: DownloadEntry): void {
    const { infoHash } = entry.stored
    const readAtMs = this.#deps.clock.wallMs()
    this.#do(infoHash, 'when a download was read could not be noted', () =>
      this.#set.queue.run(infoHash, async () => {
        if (this.#set.entries.get(infoHash) === entry) await this.#set.update(entry, { readAtMs })
      }),
    )
  }

  #do(infoHash: InfoHash, failure: string, work: () => Promise<void>): void {
    const done = work().catch((error: unknown) => this.#deps.log.warn(failure, { infoHash, error: errorText(error) }))
    this.#work = Promise.all([this.#work, done]).then(() => undefined)
  }
}

/** It is kept for readers only. */
function isKept({ stored }: DownloadEntry): boolean {
  return controlsOf(stored).watchAndForget === true
}
