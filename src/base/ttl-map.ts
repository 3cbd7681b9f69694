// A bounded map whose values are kept for a time (TTL). Knows no clock: the caller says what time it is.

/** Values by key; of too many the one that was set first goes first. */
export class TtlMap<V> {
  readonly #most: number
  readonly #keptMs: number
  /** In the order in which they were set. */
  readonly #entries = new Map<string, { readonly value: V; readonly untilMs: number }>()

  /** At most `most`, each `keptMs` milliseconds after it was set. */
  constructor(most: number, keptMs: number) {
    this.#most = most
    this.#keptMs = keptMs
  }

  get size(): number {
    return this.#entries.size
  }

  /** Undefined: none, or it is too old. */
  get(key: string, nowMs: number): V | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined || entry.untilMs > nowMs) return entry?.value
    this.#entries.delete(key)
    return undefined
  }

  set(key: string, value: V, nowMs: number): void {
    this.#entries.delete(key)
    this.#entries.set(key, { value, untilMs: nowMs + this.#keptMs })
    this.#trim(nowMs)
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }

  /** Forgets what is too old; true: there is room for another without forgetting what is not. */
  hasRoom(nowMs: number): boolean {
    this.#trim(nowMs)
    return this.#entries.size < this.#most
  }

  #trim(nowMs: number): void {
    for (const [oldest, { untilMs }] of this.#entries) {
      if (this.#entries.size <= this.#most && untilMs > nowMs) return
      this.#entries.delete(oldest)
    }
  }
}
