// Downloads with much metadata, while they are loaded: each is marked before and unmarked when its folders are made, so
// that one that ends the process twice is not tried a third time (decision 0456). What was marked at an end is loaded
// last and alone.

import { errorText } from '../../base/errors.ts'
import type { InfoHash } from '../../base/ids.ts'
import type { Clock } from '../../ports/clock.ts'
import type { LoadingMarks } from '../../ports/loading-marks.ts'
import type { Log } from '../../ports/log.ts'
import type { LoadedDownload } from '../../ports/records.ts'
import type { DownloadEntry } from './download-entry.ts'

/** Bytes of metadata from which loading is marked: some hundred thousand pieces, or ten thousand files. */
const HEAVY_BYTES = 1024 * 1024
/** Ends in a row that are enough. */
const MOST_ENDS = 2
/** A torrent that is loaded alone is waited for this long, and looked at this often. */
const ALONE_MS = 20_000
const LOOK_MS = 200

/** Why one is held back. */
export const HELD_BACK =
  'The node ended twice while this download was being loaded. Resume it to try once more, or delete it.'

/** What it works with; without marks nothing is held back. */
export interface HeavyLoadsDeps {
  readonly clock: Clock
  readonly log: Log
  readonly loadingMarks?: LoadingMarks
}

/**
 * Downloads with much metadata, while they are loaded: each is marked before and unmarked when its folders are made, so
 * that one that ends the process twice is not tried a third time (decision 0456).
 */
export class HeavyLoads {
  readonly #deps: HeavyLoadsDeps
  #marks = new Map<InfoHash, number>()
  /** Being loaded now. */
  readonly #loading = new Set<InfoHash>()
  #writing: Promise<void> = Promise.resolve()

  constructor(deps: HeavyLoadsDeps) {
    this.#deps = deps
  }

  /** What the last run left. */
  async open(): Promise<void> {
    this.#marks = (await this.#deps.loadingMarks?.read()) ?? this.#marks
  }

  /** It was being loaded when the process ended. */
  isSuspect(infoHash: InfoHash): boolean {
    return this.#marks.has(infoHash)
  }

  /** It is not loaded unless a user says so. */
  isHeldBack(infoHash: InfoHash): boolean {
    return (this.#marks.get(infoHash) ?? 0) >= MOST_ENDS
  }

  /** Before it is loaded: settles when that is known to the next run. */
  async begin({ download, stored }: LoadedDownload): Promise<void> {
    const { infoHash } = download
    const bytes = (stored?.infoBytes.length ?? 0) + (stored?.pieceLayers?.length ?? 0)
    if (bytes < HEAVY_BYTES && !this.isSuspect(infoHash)) return
    this.#marks.set(infoHash, Math.min((this.#marks.get(infoHash) ?? 0) + 1, MOST_ENDS))
    this.#loading.add(infoHash)
    await this.#write()
  }

  /** After it was handed over: unmarked when its folders are made. Settles then, or after a while. */
  loaded(entry: DownloadEntry): Promise<void> {
    const { infoHash } = entry.stored
    if (!this.#marks.has(infoHash)) return Promise.resolve()
    const { clock } = this.#deps
    const end = clock.now() + ALONE_MS
    return new Promise(resolve => {
      const look = (): void => {
        const busy = entry.loaded && entry.torrent.snapshot().status === 'allocating'
        if (!busy) this.forget(infoHash)
        else clock.after(LOOK_MS, look)
        if (!busy || clock.now() >= end) resolve()
      }
      look()
    })
  }

  /** It is loaded, or gone. */
  forget(infoHash: InfoHash): void {
    this.#loading.delete(infoHash)
    if (this.#marks.delete(infoHash)) void this.#write()
  }

  /** The process ends in order: what is still being loaded did not end it. */
  async close(): Promise<void> {
    for (const infoHash of this.#loading) this.#marks.delete(infoHash)
    if (this.#loading.size > 0) await this.#write()
  }

  #write(): Promise<void> {
    const { loadingMarks, log } = this.#deps
    if (loadingMarks === undefined) return Promise.resolve()
    this.#writing = this.#writing
      .then(() => loadingMarks.write(this.#marks))
      .catch((error: unknown) => log.warn('marks of loading could not be written', { error: errorText(error) }))
    return this.#writing
  }
}
