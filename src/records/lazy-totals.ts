// All-time counters on their way to the disk: newest value per download, written in one job every so often.

import type { InfoHash } from '../base/ids.ts'
import type { RecordsLink } from './records-link.ts'

const WRITE_EVERY_MS = 30_000

/** Counters not yet written. Bounded by the number of downloads. */
export class LazyTotals {
  readonly #link: RecordsLink
  readonly #timer: NodeJS.Timeout
  readonly #values = new Map<InfoHash, [up: number, down: number]>()

  /** Starts its timer, which does not keep the process alive. */
  constructor(link: RecordsLink, everyMs: number = WRITE_EVERY_MS) {
    this.#link = link
    this.#timer = setInterval(() => this.#writeAll(), everyMs)
    this.#timer.unref()
  }

  /** Notes the newest counters of a download, bytes. */
  note(infoHash: InfoHash, up: number, down: number): void {
    this.#values.set(infoHash, [up, down])
  }

  /** Puts this download's counters into the next batch. */
  write(infoHash: InfoHash): void {
    const value = this.#values.get(infoHash)
    if (value !== undefined) this.#send([[infoHash, ...value]])
  }

  /** Forgets a download that is being deleted. */
  forget(infoHash: InfoHash): void {
    this.#values.delete(infoHash)
  }

  /** Puts everything into the next batch and ends the timer. */
  stop(): void {
    clearInterval(this.#timer)
    this.#writeAll()
  }

  #writeAll(): void {
    if (this.#values.size > 0) this.#send([...this.#values].map(([infoHash, [up, down]]) => [infoHash, up, down]))
  }

  #send(totals: [InfoHash, number, number][]): void {
    for (const [infoHash] of totals) this.#values.delete(infoHash)
    // Counters that could not be written are noted again soon; jobs with real work report the failing disk.
    this.#link.run('download.totals', totals).catch(() => {
      for (const [infoHash, up, down] of totals) {
        if (!this.#values.has(infoHash)) this.#values.set(infoHash, [up, down])
      }
    })
  }
}
