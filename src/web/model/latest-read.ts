// Reads of which only the newest counts. Pure: what is read is given.

/** Begins reads; each ends the one before it. */
export class LatestRead {
  #running: AbortController | null = null

  /** What was read; null when another began meanwhile, or `end()` was called. Rejects as `read` does, but for these. */
  async run<T>(read: (signal: AbortSignal) => Promise<T>): Promise<{ readonly value: T } | null> {
    this.end()
    const own = new AbortController()
    this.#running = own
    try {
      const value = await read(own.signal)
      return own.signal.aborted ? null : { value }
    } catch (error) {
      if (own.signal.aborted) return null
      throw error
    }
  }

  /** Nobody waits any more. */
  end(): void {
    this.#running?.abort()
    this.#running = null
  }
}
