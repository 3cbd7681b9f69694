// Pairs of orders that are left alone for a while after a failed proposal: until the other order has a new statement,
// or for a time that doubles with each failure.

import type { Clock } from '../../../ports/clock.ts'
import type { DeclineReason } from '../wire/negotiation.ts'
import type { OrderRef, OrderStatement } from '../wire/types.ts'

/**
 * A pair of orders whose proposal was declined for a passing reason is left alone for so long, twice as long each
 * further time, up to the second. Milliseconds.
 */
export const PAIR_REST_MS = 10_000
/** The longest time that a pair of orders is left alone. */
export const MAX_PAIR_REST_MS = 300_000
/** Pairs of orders that are left alone. */
export const MAX_RESTING_PAIRS = 4_096

/** Nothing about these passes by itself: the other order must change. */
const LASTING: readonly DeclineReason[] = [
  'unknown order',
  'completed',
  'expired',
  'cancelled',
  'price',
  'quantity',
  'keys',
]

interface Rest {
  /** Of the statement that was proposed to. */
  readonly hash: string
  readonly failures: number
  /** Milliseconds of the clock; infinite: until the statement changes. */
  readonly untilMs: number
}

/**
 * Pairs of orders that are left alone for a while after a failed proposal: until the other order has a new statement,
 * or for a time that doubles with each failure.
 */
export class RestingPairs {
  readonly #clock: Clock
  /** By both names, in the order of their failures. */
  readonly #rests = new Map<string, Rest>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get size(): number {
    return this.#rests.size
  }

  /** Whether this pair is left alone now. */
  resting(own: OrderRef, theirs: OrderStatement): boolean {
    const rest = this.#rests.get(nameOf(own, theirs.terms))
    if (rest === undefined) return false
    return rest.hash === theirs.hash ? this.#clock.now() < rest.untilMs : false
  }

  /** A proposal failed. Answers after how many milliseconds it is worth another try; null: not by itself. */
  failed(own: OrderRef, theirs: OrderStatement, reason: DeclineReason): number | null {
    const name = nameOf(own, theirs.terms)
    const before = this.#rests.get(name)
    const failures = before?.hash === theirs.hash ? before.failures + 1 : 1
    const lasting = LASTING.includes(reason)
    const restMs = Math.min(MAX_PAIR_REST_MS, PAIR_REST_MS * 2 ** Math.min(failures - 1, 20))
    const untilMs = lasting ? Number.POSITIVE_INFINITY : this.#clock.now() + restMs
    this.#rests.delete(name)
    this.#rests.set(name, { hash: theirs.hash, failures, untilMs })
    for (const oldest of this.#rests.keys()) {
      if (this.#rests.size <= MAX_RESTING_PAIRS) break
      this.#rests.delete(oldest)
    }
    return lasting ? null : restMs
  }

  /** A proposal went well: the next one begins without a past. */
  went(own: OrderRef, theirs: OrderStatement): void {
    this.#rests.delete(nameOf(own, theirs.terms))
  }

  /** An own order ended: its pairs are forgotten. */
  forget(own: OrderRef): void {
    const prefix = `${own.number}/`
    for (const name of this.#rests.keys()) if (name.startsWith(prefix)) this.#rests.delete(name)
  }
}

function nameOf(own: OrderRef, theirs: OrderRef): string {
  return `${own.number}/${theirs.trader}.${theirs.number}`
}
