// The all-time counters of downloads on their way to the store; who keeps rates hears what they grew by.

import type { Clock, Timer } from '../../ports/clock.ts'
import type { MovedBytes, MovedBytesSink } from '../rates/rates-api.ts'
import type { DownloadSet } from './download-set.ts'

/** Counters go to the store this often; it writes them when it writes anyway. */
const TOTALS_EVERY_MS = 5000

/** Hands the counters of those that moved to the store. */
export class DownloadTotals {
  readonly #set: DownloadSet
  readonly #clock: Clock
  readonly #sink: () => Pick<MovedBytesSink, 'moved'>
  #timer: Timer | null = null

  constructor(set: DownloadSet, deps: { readonly clock: Clock; readonly rates?: () => Pick<MovedBytesSink, 'moved'> }) {
    this.#set = set
    this.#clock = deps.clock
    this.#sink = deps.rates ?? (() => ({ moved: () => undefined }))
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
    const moved: MovedBytes[] = []
    for (const entry of this.#set.entries.values()) {
      // A torrent is suspended long after it last moved: its counters have been noted since.
      if (!entry.loaded || entry.torrent.suspended) continue
      const { totalUp, totalDown } = entry.torrent.snapshot()
      const { infoHash, totalUp: upBefore, totalDown: downBefore } = entry.stored
      if (totalUp === upBefore && totalDown === downBefore) continue
      moved.push({ infoHash, down: Math.max(0, totalDown - downBefore), up: Math.max(0, totalUp - upBefore) })
      entry.stored = { ...entry.stored, totalUp, totalDown }
      this.#set.store.noteTotals(infoHash, totalUp, totalDown)
    }
    this.#sink().moved(moved)
  }
}
