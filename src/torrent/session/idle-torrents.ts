// Torrents that are awake and in a state in which they could be suspended: looked at once a second, and suspended when
// nobody used them for a while. In a crowd, as when thousands are added, that is a short while.

/** How often they are looked at. */
const SWEEP_MS = 1000
/** More than these are a crowd: each takes some 40 KiB. It is over when a tenth is left. */
const CROWD = 500

/** What of a torrent is asked here; see SessionTorrent. */
export interface IdleTorrent {
  suspendIfIdle(nowMs: number, crowded: boolean): boolean
}

/** Those of one session. */
export class IdleTorrents<T extends IdleTorrent> {
  readonly #torrents = new Set<T>()
  readonly #crowdChanged: (crowded: boolean) => void
  #sweptMs = 0
  #crowded = false

  /** `crowdChanged` hears when a crowd has come, and when it has gone. */
  constructor(crowdChanged: (crowded: boolean) => void) {
    this.#crowdChanged = crowdChanged
  }

  add(torrent: T): void {
    this.#torrents.add(torrent)
  }

  delete(torrent: T): void {
    this.#torrents.delete(torrent)
  }

  /**
   * Suspends what nobody uses; `line`: more wait to be woken, which counts as a crowd. Answers whether some torrent
   * is to be looked at again.
   */
  sweep(nowMs: number, line = false): boolean {
    if (nowMs - this.#sweptMs < SWEEP_MS) return this.#torrents.size > 0
    this.#sweptMs = nowMs
    const crowded = line || this.#torrents.size > CROWD
    if (crowded) this.#tell(true)
    for (const torrent of this.#torrents) if (!torrent.suspendIfIdle(nowMs, crowded)) this.#torrents.delete(torrent)
    if (!line && this.#torrents.size < CROWD / 10) this.#tell(false)
    return this.#torrents.size > 0
  }

  #tell(crowded: boolean): void {
    if (this.#crowded === crowded) return
    this.#crowded = crowded
    this.#crowdChanged(crowded)
  }
}
