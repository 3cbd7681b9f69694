// What is called four times a second while it asks for it: torrents with something to watch, connections that wait.

/** Something the session's tick calls while it is active. */
export interface Ticker {
  /** Answers whether it wants to be called again. */
  tick(nowMs: number): boolean
}

/** The tickers of one session. */
export class Tickers {
  readonly #active = new Set<Ticker>()
  readonly #activated: () => void
  readonly #engine: { defect(error: unknown): void }

  /** `activated` is called when one joins, `engine` hears what one throws. */
  constructor(activated: () => void, engine: { defect(error: unknown): void }) {
    this.#activated = activated
    this.#engine = engine
  }

  /** Lets `ticker` be called at every tick until it declines. */
  activate(ticker: Ticker): void {
    this.#active.add(ticker)
    this.#activated()
  }

  deactivate(ticker: Ticker): void {
    this.#active.delete(ticker)
  }

  /** Calls all; answers whether any is left. */
  tick(nowMs: number): boolean {
    // Each tick another one begins: the first to be called has the first go at a rate limit.
    const [first] = this.#active
    if (first !== undefined && this.#active.delete(first)) this.#active.add(first)
    for (const ticker of Array.from(this.#active)) {
      try {
        if (!ticker.tick(nowMs)) this.#active.delete(ticker)
      } catch (error) {
        this.#engine.defect(error)
      }
    }
    return this.#active.size > 0
  }
}
