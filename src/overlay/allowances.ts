// How often each of many may do something: an allowance each, of those heard of lately.

import { Allowance } from '../base/allowance.ts'

/** See the top of the file. */
export class Allowances {
  readonly #burst: number
  readonly #refillMs: number
  readonly #limit: number
  /** In the order of last use. */
  readonly #byKey = new Map<string, Allowance>()

  /** Of `limit` keys that are remembered the one not heard of for longest goes first. */
  constructor(each: { readonly burst: number; readonly refillMs: number }, limit: number) {
    this.#burst = each.burst
    this.#refillMs = each.refillMs
    this.#limit = limit
  }

  /** True when `key` may once more; it is counted then. */
  take(key: string, nowMs: number): boolean {
    const own = this.#byKey.get(key) ?? new Allowance(this.#burst, this.#refillMs)
    this.#byKey.delete(key)
    this.#byKey.set(key, own)
    for (const oldest of this.#byKey.keys()) {
      if (this.#byKey.size <= this.#limit) break
      this.#byKey.delete(oldest)
    }
    return own.take(nowMs)
  }
}
