// Suspended torrents for which somebody named peers: few are woken at a time, the others wait in line as they are. Most
// of the addresses that are named for a download that knew nobody are dead, and thousands may be named in one minute.

/** Awake at a time: as many as can be called in the places there are for half-open connections, and some that wait. */
const PLACES = 200

/** The line of a session. */
export class WakeLine<T extends object> {
  readonly #awake = new Set<T>()
  readonly #waiting = new Map<T, () => void>()

  /** Some wait: who is awake in vain is to be suspended soon. */
  get crowded(): boolean {
    return this.#waiting.size > 0
  }

  /** It was woken, and has its place. */
  has(torrent: T): boolean {
    return this.#awake.has(torrent)
  }

  /**
   * Calls `wake` at once when there is a place, else when one is left. Who waits already waits on, with the newer call.
   */
  enter(torrent: T, wake: () => void): void {
    if (!this.#awake.has(torrent) && this.#awake.size >= PLACES) {
      this.#waiting.set(torrent, wake)
      return
    }
    this.#awake.add(torrent)
    wake()
  }

  /** It is suspended, was found by somebody, or has gone. */
  left(torrent: T): void {
    this.#waiting.delete(torrent)
    if (!this.#awake.delete(torrent)) return
    for (const [next, wake] of this.#waiting) {
      this.#waiting.delete(next)
      return this.enter(next, wake)
    }
  }
}
