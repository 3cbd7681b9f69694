// A bounded map: what was not used for longest goes first.

import { Allowance } from '../base/allowance.ts'

/** See the top of the file. */
export class Recent<K, V> {
  readonly #most: number
  readonly #entries = new Map<K, V>()

  /** Holds `most` entries. */
  constructor(most: number) {
    this.#most = most
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key)
    if (value !== undefined) this.set(key, value)
    return value
  }

  set(key: K, value: V): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#most) break
      this.#entries.delete(oldest)
    }
  }

  delete(key: K): void {
    this.#entries.delete(key)
  }
}

/** Each of many may do something so often; of `most` keys the use is remembered. */
export class Limits {
  readonly #each: { readonly burst: number; readonly refillMs: number }
  readonly #uses: Recent<string, Allowance>

  constructor(each: { readonly burst: number; readonly refillMs: number }, most: number) {
    this.#each = each
    this.#uses = new Recent(most)
  }

  /** True when `key` may once more; it is counted then. */
  take(key: string, nowMs: number): boolean {
    const use = this.#uses.get(key) ?? new Allowance(this.#each.burst, this.#each.refillMs)
    this.#uses.set(key, use)
    return use.take(nowMs)
  }
}
