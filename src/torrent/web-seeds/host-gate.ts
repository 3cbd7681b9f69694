// How many requests web seeds may have at one server, and at all servers together: one for all torrents of a session.
// Invariant: what was taken is counted until its release is called; a second call of it does nothing.

/** Requests at one host at a time: as many connections as a browser would open, less than what servers ban. */
const MAX_PER_HOST = 4
/** Requests of the whole session. */
const MAX_IN_ALL = 32

/** The dealer of requests to web servers. A web seed that finds none free tries again at the next tick. */
export class HostGate {
  readonly #perHost: number
  readonly #inAll: number
  readonly #byHost = new Map<string, number>()
  #taken = 0

  constructor(perHost = MAX_PER_HOST, inAll = MAX_IN_ALL) {
    this.#perHost = perHost
    this.#inAll = inAll
  }

  /** Requests under way. */
  get taken(): number {
    return this.#taken
  }

  /** Room for one request to `host`: call what it answers when the request has ended. Null = no room. */
  take(host: string): (() => void) | null {
    const there = this.#byHost.get(host) ?? 0
    if (there >= this.#perHost || this.#taken >= this.#inAll) return null
    this.#byHost.set(host, there + 1)
    this.#taken += 1
    let held = true
    return () => {
      if (!held) return
      held = false
      this.#release(host)
    }
  }

  #release(host: string): void {
    this.#taken -= 1
    const left = (this.#byHost.get(host) ?? 0) - 1
    if (left > 0) this.#byHost.set(host, left)
    else this.#byHost.delete(host)
  }
}
