// Between a torrent's start and stop: what is under way meanwhile hears of the end. Thousands of torrents that are
// suspended have one each, and an AbortController takes some 800 bytes.

/** A time that ends once. */
export class AnnounceSession {
  #ended = false
  #listeners: Set<() => void> | null = null

  /** True from end() on. */
  get ended(): boolean {
    return this.#ended
  }

  /** Tells those that listen, once each. */
  end(): void {
    if (this.#ended) return
    this.#ended = true
    const listeners = this.#listeners
    this.#listeners = null
    for (const listener of listeners ?? []) listener()
  }

  /** `listener` hears of the end until the function returned is called; never when it has ended already. */
  onEnd(listener: () => void): () => void {
    if (this.#ended) return () => undefined
    const listeners = (this.#listeners ??= new Set())
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0 && this.#listeners === listeners) this.#listeners = null
    }
  }
}
