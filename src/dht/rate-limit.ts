// How many queries are answered: so many a second for one address (a /64 of IPv6), so many in all. What is above is
// dropped unread, so a flood costs its sender more than us, and we amplify nothing. Bounded; time is passed in.

import type { PeerAddress } from '../base/ids.ts'
import { ownerKey } from './address-group.ts'

/** Answers a second and address; a client asks one node a few times a lookup. */
export const ANSWERS_PER_ADDRESS = 10
/** Answers to one address that may be saved up for a burst. */
export const ANSWER_BURST = 40
/** Seconds of the total rate that may be saved up. */
const TOTAL_BURST_SEC = 2
/** Most addresses remembered; the one not heard of for longest goes first. */
const MAX_ADDRESSES = 4096

interface Allowance {
  left: number
  atMs: number
}

function refill(allowance: Allowance, perSecond: number, burst: number, nowMs: number): void {
  allowance.left = Math.min(burst, allowance.left + (Math.max(0, nowMs - allowance.atMs) * perSecond) / 1000)
  allowance.atMs = nowMs
}

/** Says which queries are answered. */
export class AnswerLimit {
  readonly #totalPerSecond: number
  readonly #total: Allowance
  /** In the order of last use. */
  readonly #byOwner = new Map<string, Allowance>()
  #refused = 0

  /** `totalPerSecond`: answers a second to everybody together. */
  constructor(totalPerSecond: number, nowMs: number) {
    this.#totalPerSecond = totalPerSecond
    this.#total = { left: totalPerSecond * TOTAL_BURST_SEC, atMs: nowMs }
  }

  /** Queries that were dropped so far. */
  get refused(): number {
    return this.#refused
  }

  /** True when a query from `from` is answered; it is counted then. */
  allows(from: PeerAddress, nowMs: number): boolean {
    const own = this.#allowance(ownerKey(from), nowMs)
    refill(own, ANSWERS_PER_ADDRESS, ANSWER_BURST, nowMs)
    refill(this.#total, this.#totalPerSecond, this.#totalPerSecond * TOTAL_BURST_SEC, nowMs)
    if (own.left < 1 || this.#total.left < 1) {
      this.#refused++
      return false
    }
    own.left--
    this.#total.left--
    return true
  }

  #allowance(owner: string, nowMs: number): Allowance {
    const known = this.#byOwner.get(owner) ?? { left: ANSWER_BURST, atMs: nowMs }
    this.#byOwner.delete(owner)
    for (const oldest of this.#byOwner.keys()) {
      if (this.#byOwner.size < MAX_ADDRESSES) break
      this.#byOwner.delete(oldest)
    }
    this.#byOwner.set(owner, known)
    return known
  }
}
