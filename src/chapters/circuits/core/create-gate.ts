// Which creates are answered (7.7): each costs a handshake and a place, and anybody may send one. A circuit id is
// answered once in 60 s; an address and all addresses together have so many. Everything remembered is bounded.

import { Allowance } from '../../../base/allowance.ts'
import { EXTEND_WITHIN_MS } from './limits.ts'

/**
 * Creates of one address that are answered, for each costs a handshake: saved up, and one more each so many
 * milliseconds.
 */
export const CREATES_OF_ADDRESS = { burst: 40, refillMs: 250 } as const
/** Creates of all addresses together that are answered. */
export const CREATES_OF_ALL = { burst: 60, refillMs: 20 } as const
/** Addresses whose creates are counted. */
const MAX_CREATING_ADDRESSES = 1_024
/** Circuit ids of creates that are remembered. */
export const MAX_CREATES_REMEMBERED = 8_192

/** Says yes or no. */
export class CreateGate {
  readonly #all = new Allowance(CREATES_OF_ALL.burst, CREATES_OF_ALL.refillMs)
  /** In the order of last use. */
  readonly #byAddress = new Map<string, Allowance>()
  /** Circuit id -> when, oldest first. */
  readonly #recent = new Map<number, number>()
  #refused = 0

  /** Creates that were not answered. */
  get refused(): number {
    return this.#refused
  }

  /** Circuit ids that are remembered. */
  get remembered(): number {
    return this.#recent.size
  }

  /** True when to answer a create for this circuit id from `ip`; it is counted then. */
  take(circuitId: number, ip: string, nowMs: number): boolean {
    this.#forgetOld(nowMs)
    if (this.#recent.has(circuitId) || !this.#of(ip).take(nowMs) || !this.#all.take(nowMs)) {
      this.#refused++
      return false
    }
    this.#recent.set(circuitId, nowMs)
    return true
  }

  #forgetOld(nowMs: number): void {
    for (const [circuitId, atMs] of this.#recent) {
      if (nowMs - atMs < EXTEND_WITHIN_MS && this.#recent.size < MAX_CREATES_REMEMBERED) break
      this.#recent.delete(circuitId)
    }
  }

  #of(ip: string): Allowance {
    const own = this.#byAddress.get(ip) ?? new Allowance(CREATES_OF_ADDRESS.burst, CREATES_OF_ADDRESS.refillMs)
    this.#byAddress.delete(ip)
    this.#byAddress.set(ip, own)
    for (const oldest of this.#byAddress.keys()) {
      if (this.#byAddress.size <= MAX_CREATING_ADDRESSES) break
      this.#byAddress.delete(oldest)
    }
    return own
  }
}
