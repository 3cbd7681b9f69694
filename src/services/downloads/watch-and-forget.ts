// Watch and forget: a download that is kept for its readers alone goes, with the files that it made, some hours after
// it was read last (setting disk.watch_cache_hours). When that was is in its row, so that a restart does not begin the
// hours again; one that nobody has read goes so long after it was added, or after it was to forget. Invariants: whether
// it goes is decided in its turn, when nothing else is being done to it; hours by which the clock was set are none.

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
/** Nothing goes so soon after a start, or after its hours where they are fewer: the clock may still be wrong. */
const SETTLING_MS = HOUR_MS
/** The clock was set when it went on by so much more than time did. */
const JUMP_MS = 1000

/** What it needs of the node. */
export interface WatchAndForgetDeps extends Pick<DownloadsDeps, 'clock' | 'log' | 'events'> {
  /** 0 = they stay. */
  settings(): { readonly watchCacheHours: number }
  /** Another download has, or may have, files in the same places; null: that cannot be known now. */
  sharesFiles(infoHash: InfoHash): Promise<boolean | null>
  /** In its turn, and when `still` says then that it goes; `withFiles`: those that it made go with it. */
  remove(infoHash: InfoHash, withFiles: boolean, still: (entry: DownloadEntry) => boolean): Promise<unknown>
}

/** The downloads that are to be forgotten. */
export class WatchAndForget {
  readonly #set: DownloadSet
  readonly #deps: WatchAndForgetDeps
  readonly #leaving = new Set<InfoHash>()
  /** Whose notes are not in the store: theirs begin again when they can be. */
  readonly #unnoted = new Set<InfoHash>()
  #timer: Timer | null = null
  #work: Promise<void> = Promise.resolve()
  #beganMs = 0
  /** At the last look, by both clocks. */
  #wallMs = 0
  #nowMs = 0

  constructor(set: DownloadSet, deps: WatchAndForgetDeps) {
    this.#set = set
    this.#deps = deps
  }

  start(): void {
    const { clock } = this.#deps
    this.#beganMs = clock.now()
    this.#jumpMs()
    this.#timer = clock.every(LOOK_MS, () => this.look())
  }

  /** Notes what was read until now; settles when that is in the store. */
  async stop(): Promise<void> {
    this.#timer?.cancel()
    const nowMs = this.#deps.clock.wallMs()
    for (const entry of this.#set.entries.values()) if (isKept(entry) && entry.takeRead()) this.#note(entry, nowMs)
    await this.#work
  }

  /** Notes who is read, and removes those whose time is over. */
  look(): void {
    const jumpMs = this.#jumpMs()
    for (const entry of this.#set.entries.values()) if (isKept(entry) && entry.loaded) this.#lookAt(entry, jumpMs)
  }

  /** By how much the wall clock was set ahead since this was asked last; never below 0. */
  #jumpMs(): number {
    const { clock } = this.#deps
    const [wallMs, nowMs] = [clock.wallMs(), clock.now()]
    const jumpMs = wallMs - this.#wallMs - (nowMs - this.#nowMs)
    this.#wallMs = wallMs
    this.#nowMs = nowMs
    return jumpMs >= JUMP_MS ? jumpMs : 0
  }

  #lookAt(entry: DownloadEntry, jumpMs: number): void {
    const { infoHash, readAtMs } = entry.stored
    const nowMs = this.#wallMs
    const read = entry.takeRead()
    // Without a time of its own it may be an old download that was told to forget just now. A time that is still to
    // come was noted before the clock was set back.
    if (readAtMs === undefined || readAtMs > nowMs || this.#unnoted.has(infoHash)) return this.#note(entry, nowMs)
    if (read) {
      if (nowMs - readAtMs >= NOTE_MS || !entry.beingRead) this.#note(entry, nowMs)
      return
    }
    // Nobody could have read it in hours that were none.
    if (jumpMs > 0) return this.#note(entry, Math.min(nowMs, readAtMs + jumpMs))
    if (this.#leaving.has(infoHash) || !this.#isOver(entry)) return
    this.#leaving.add(infoHash)
    this.#do(infoHash, 'a download could not be forgotten', async () => {
      try {
        await this.#forget(entry)
      } finally {
        this.#leaving.delete(infoHash)
      }
    })
  }

  /** Its hours are over, nobody reads it, and nothing keeps it. */
  readonly #isOver = (entry: DownloadEntry): boolean => {
    const { infoHash, readAtMs, movingTo, movedFrom } = entry.stored
    const { clock, settings } = this.#deps
    const lifeMs = settings().watchCacheHours * HOUR_MS
    if (!isKept(entry) || lifeMs <= 0 || readAtMs === undefined || this.#unnoted.has(infoHash)) return false
    // What is followed would not be any more without its versions.
    if (!entry.loaded || entry.wasRead || entry.lineage !== null || movingTo !== null || movedFrom !== null)
      return false
    return clock.wallMs() - readAtMs >= lifeMs && clock.now() - this.#beganMs >= Math.min(lifeMs, SETTLING_MS)
  }

  async #forget(entry: DownloadEntry): Promise<void> {
    const { infoHash, name } = entry.stored
    const { log, events } = this.#deps
    const shares = await this.#deps.sharesFiles(infoHash)
    // Looked at again: without its row nobody would know of its files.
    if (shares === null) return
    if (shares) log.info('another download has files in the place of one that is forgotten: they stay', { infoHash })
    let goes = false
    const still = (now: DownloadEntry): boolean => (goes = now === entry && this.#isOver(now))
    try {
      await this.#deps.remove(infoHash, !shares, still)
    } finally {
      // Also where the disk kept files of it: it is not in the list any more.
      if (goes && this.#set.entries.get(infoHash) !== entry) {
        log.info('a download was forgotten: nobody has read it for long enough', { infoHash })
        events.emit('download_forgotten', { infohash: infoHash, name })
      }
    }
  }

  #note(entry: DownloadEntry, readAtMs: number): void {
    const { infoHash } = entry.stored
    // Until it is in the store its hours are not over.
    this.#unnoted.add(infoHash)
    this.#do(infoHash, 'when a download was read could not be noted', () =>
      this.#set.queue.run(infoHash, async () => {
        if (this.#set.entries.get(infoHash) === entry) await this.#set.update(entry, { readAtMs })
        this.#unnoted.delete(infoHash)
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
