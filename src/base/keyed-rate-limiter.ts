// How often each of many may do something: a bucket of tokens for each key that was heard of lately.

import { Allowance } from './allowance.ts'
import { LruMap } from './lru-map.ts'

/** Buckets by key; of `most` keys the use is remembered, and the one not heard of for longest goes first. */
export class KeyedRateLimiter {
  readonly #each: { readonly burst: number; readonly refillMs: number }
  readonly #uses: LruMap<string, Allowance>

  /** `each`: so many at once, and one more after every `refillMs` milliseconds. */
  constructor(each: { readonly burst: number; readonly refillMs: number }, most: number) {
    this.#each = each
    this.#uses = new LruMap(most)
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
    const known = this.#uses.get(key)
    if (known !== undefined) return known
    const use = new Allowance(this.#each.burst, this.#each.refillMs)
    this.#uses.set(key, use)
    return use
  }
}
