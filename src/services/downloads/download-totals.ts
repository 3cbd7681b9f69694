// The all-time counters of downloads on their way to the store.

import type { Clock, Timer } from '../../ports/clock.ts'
import type { DownloadSet } from './download-set.ts'

/** Counters go to the store this often; it writes them when it writes anyway. */
const TOTALS_EVERY_MS = 5000

/** Hands the counters of those that moved to the store. */
export class DownloadTotals {
  readonly #set: DownloadSet
  readonly #clock: Clock
  #timer: Timer | null = null

  constructor(set: DownloadSet, clock: Clock) {
    this.#set = set
    this.#clock = clock
  }

  /** Every few seconds from now on. */
  start(): void {
    this.#timer = this.#clock.every(TOTALS_EVERY_MS, () => this.note())
  }

  /** No longer by itself. */
  stop(): void {
    this.#timer?.cancel()
  }

  /** Now. */
  note(): void {
    for (const entry of this.#set.entries.values()) {
      // A torrent is suspended long after it last moved: its counters have been noted since.
      if (!entry.loaded || entry.torrent.suspended) continue
      const { totalUp, totalDown } = entry.torrent.snapshot()
      if (totalUp === entry.stored.totalUp && totalDown === entry.stored.totalDown) continue
      entry.stored = { ...entry.stored, totalUp, totalDown }
      this.#set.store.noteTotals(entry.stored.infoHash, totalUp, totalDown)
    }
  }
}
