// Bounds how many signatures are checked: each costs a tenth of a millisecond of the main thread, and anybody may send
// one. There is a bound for each address, and one for all addresses of strangers together, so that a flood does not
// silence the peers we know.

import { Allowance } from '../../../base/allowance.ts'
import { addressKey, type PeerAddress } from '../../../base/ids.ts'
import { KeyedRateLimiter } from '../../../base/keyed-rate-limiter.ts'
import { MAX_CHECKED_ADDRESSES } from './limits.ts'

/** Signatures of one address that are checked: saved up, and one more each so many milliseconds. */
const CHECKS_OF_ADDRESS = { burst: 200, refillMs: 20 } as const
/** Signatures that are checked of all addresses together of which we know no peer. */
const CHECKS_OF_STRANGERS = { burst: 600, refillMs: 4 } as const

/** Says which signatures are checked. */
export class CheckBudget {
  readonly #strangers = new Allowance(CHECKS_OF_STRANGERS.burst, CHECKS_OF_STRANGERS.refillMs)
  readonly #addresses = new KeyedRateLimiter(CHECKS_OF_ADDRESS, MAX_CHECKED_ADDRESSES)
  #refused = 0

  /** Packets that were dropped unchecked. */
  get refused(): number {
    return this.#refused
  }

  /** True when a signature that came from `from` is checked; it is counted then. `known`: a peer of ours is there. */
  take(from: PeerAddress, known: boolean, nowMs: number): boolean {
    if (this.#addresses.take(addressKey(from), nowMs) && (known || this.#strangers.take(nowMs))) return true
    this.#refused++
    return false
  }
}
