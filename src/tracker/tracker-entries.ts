// The trackers of one torrent by their URL: a list that is looked through, since a map takes 300 bytes more for each of
// many thousand torrents that have one or two trackers.

import type { TrackerEntry } from './tracker-entry.ts'

/** The trackers of one torrent by their URL. */
export class TrackerEntries {
  #all: TrackerEntry[] = []

  get size(): number {
    return this.#all.length
  }

  get(url: string): TrackerEntry | undefined {
    for (const entry of this.#all) if (entry.url === url) return entry
    return undefined
  }

  /** Adds one whose URL is not there. */
  add(entry: TrackerEntry): void {
    // Not push: that leaves room for sixteen more.
    this.#all = [...this.#all, entry]
  }

  delete(url: string): void {
    this.#all = this.#all.filter(entry => entry.url !== url)
  }

  values(): Iterable<TrackerEntry> {
    return this.#all
  }
}

/**
 * When the first of them may be asked again: the working one after its min interval, else the first after its back-off.
 */
export function nextChanceMs(entries: readonly TrackerEntry[], nowMs: number, urgent: boolean): number | null {
  const ready = entries.find(entry => entry.retryAtMs <= nowMs)
  if (ready !== undefined) return Math.max(nowMs, urgent ? ready.soonestMs : ready.earliestMs)
  const soonest = Math.min(...entries.map(entry => entry.retryAtMs))
  return Number.isFinite(soonest) ? soonest : null
}
