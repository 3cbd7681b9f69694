// Bounded memory of the overlay of the market: values by key, of which the least recently set goes first, and how often each of many may do something.

import { Allowance } from '../../base/allowance.ts'

/** Values that are kept for a while. */
export class Recent<V> {
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

/** Each of many may do something so often; of `most` keys the use is remembered. */
export class Allowances {
  readonly #each: { readonly burst: number; readonly refillMs: number }
  readonly #most: number
  readonly #uses = new Map<string, Allowance>()

  constructor(each: { readonly burst: number; readonly refillMs: number }, most: number) {
    this.#each = each
    this.#most = most
  }

  /** True when `key` may once more; it is counted then. */
  take(key: string, nowMs: number): boolean {
    return this.#of(key).take(nowMs)
  }

  /** Whether it could. */
  has(key: string, nowMs: number): boolean {
    return this.#of(key).available(nowMs) > 0
  }

  #of(key: string): Allowance {
    const use = this.#uses.get(key) ?? new Allowance(this.#each.burst, this.#each.refillMs)
    this.#uses.delete(key)
    this.#uses.set(key, use)
    for (const oldest of this.#uses.keys()) {
      if (this.#uses.size <= this.#most) break
      this.#uses.delete(oldest)
    }
    return use
  }
}
