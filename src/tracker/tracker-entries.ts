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
