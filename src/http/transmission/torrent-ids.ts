// The numbers that the RPC knows torrents by. One is given when a torrent is first seen, is never given again in this
// run of the node, and means nothing in the next one, as the real program has it. Remembers what changed and what went
// lately.

/** Seconds that a change, or a removal, counts as recent. */
const RECENT_SEC = 60
/** Removed torrents remembered. */
const MAX_REMOVED = 10_000

interface Known {
  readonly id: number
  /** What was sent last, as one text. */
  told: string
  changedSec: number
  /** Number of files, once they were counted. */
  files: number | null
}

/** Numbers of all torrents of a node. */
export class TorrentIds {
  readonly #known = new Map<string, Known>()
  readonly #byId = new Map<number, string>()
  readonly #removed = new Map<number, number>()
  #last = 0

  /** The number of a torrent; a new one where it has none. */
  of(infohash: string): number {
    return this.#entry(infohash).id
  }

  /** The torrent of a number; null for one that was never given, or is gone. */
  infohashOf(id: number): string | null {
    return this.#byId.get(id) ?? null
  }

  /** How many files it has; null = not counted yet. */
  filesOf(infohash: string): number | null {
    return this.#known.get(infohash)?.files ?? null
  }

  noteFiles(infohash: string, files: number): void {
    this.#entry(infohash).files = files
  }

  /** These are all there are: others are gone. */
  keepOnly(infohashes: ReadonlySet<string>, nowSec: number): void {
    for (const [infohash, { id }] of this.#known) {
      if (infohashes.has(infohash)) continue
      this.#known.delete(infohash)
      this.#byId.delete(id)
      this.#removed.set(id, nowSec)
    }
    for (const [id, atSec] of this.#removed) {
      if (nowSec - atSec <= RECENT_SEC && this.#removed.size <= MAX_REMOVED) break
      this.#removed.delete(id)
    }
  }

  /** Whether the answer for a torrent (`now`, as one text) changed lately; noted for the next time. */
  changedLately(infohash: string, now: string, nowSec: number): boolean {
    const entry = this.#entry(infohash)
    if (entry.told !== now) {
      entry.told = now
      entry.changedSec = nowSec
    }
    return nowSec - entry.changedSec <= RECENT_SEC
  }

  /** Numbers of torrents that went lately. */
  removedLately(nowSec: number): number[] {
    return [...this.#removed].filter(([, atSec]) => nowSec - atSec <= RECENT_SEC).map(([id]) => id)
  }

  #entry(infohash: string): Known {
    const known = this.#known.get(infohash)
    if (known !== undefined) return known
    const made = { id: (this.#last += 1), told: '', changedSec: 0, files: null }
    this.#known.set(infohash, made)
    this.#byId.set(made.id, infohash)
    return made
  }
}
