// How traders have behaved towards us: one that let swaps fail is left alone for a growing time, and none may ask too
// often. What it holds against them follows from the trades that are kept, so that it outlasts a restart.

import { Allowance } from '../../../base/allowance.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { TraderId } from '../wire/types.ts'

/**
 * Proposals of a trader that are looked at, and of all: saved up, and one more each so many milliseconds. More are not
 * even declined.
 */
export const PROPOSALS_OF_TRADER = { burst: 20, refillMs: 3_000 } as const
/** Proposals of all traders together that are looked at. */
const PROPOSALS_OF_ALL = { burst: 200, refillMs: 100 } as const
/** Traders whose conduct is remembered. */
export const MAX_REMEMBERED_TRADERS = 1_024
/**
 * A trader by whose fault a swap failed is left alone for so long, twice as long each further time, up to the second.
 * Milliseconds.
 */
export const FAULT_REST_MS = 600_000
/** The longest time that a trader is left alone for faults. */
export const MAX_FAULT_REST_MS = 86_400_000

interface Conduct {
  readonly proposals: Allowance
  /** Swaps that failed through it since the last that went well. */
  faults: number
  /** Unix time, milliseconds. */
  untilMs: number
}

/**
 * How traders have behaved towards us: one that let swaps fail is left alone for a growing time, and none may ask too
 * often.
 */
export class TraderConduct {
  readonly #clock: Clock
  readonly #proposals = new Allowance(PROPOSALS_OF_ALL.burst, PROPOSALS_OF_ALL.refillMs)
  /** In the order of last use. */
  readonly #traders = new Map<TraderId, Conduct>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get size(): number {
    return this.#traders.size
  }

  /** Whether one more proposal of this trader is looked at. */
  admits(trader: TraderId): boolean {
    const nowMs = this.#clock.now()
    return this.#of(trader).proposals.take(nowMs) && this.#proposals.take(nowMs)
  }

  /** Whether to begin nothing with this trader now. */
  avoided(trader: TraderId): boolean {
    return (this.#traders.get(trader)?.untilMs ?? 0) > this.#clock.wallMs()
  }

  /** A swap failed by the fault of this trader. `atMs`: Unix time; earlier ones when trades are loaded. */
  fault(trader: TraderId, atMs: number): void {
    const conduct = this.#of(trader)
    const restMs = Math.min(MAX_FAULT_REST_MS, FAULT_REST_MS * 2 ** Math.min(conduct.faults, 20))
    conduct.faults++
    conduct.untilMs = Math.max(conduct.untilMs, atMs + restMs)
  }

  /** A swap with this trader was completed. */
  completed(trader: TraderId): void {
    const conduct = this.#of(trader)
    conduct.faults = 0
  }

  #of(trader: TraderId): Conduct {
    const found = this.#traders.get(trader) ?? {
      proposals: new Allowance(PROPOSALS_OF_TRADER.burst, PROPOSALS_OF_TRADER.refillMs),
      faults: 0,
      untilMs: 0,
    }
    this.#traders.delete(trader)
    this.#traders.set(trader, found)
    if (this.#traders.size > MAX_REMEMBERED_TRADERS) this.#forgetOne(trader)
    return found
  }

  /** The one used longest ago that is not avoided; when all are, the one whose time ends first. */
  #forgetOne(except: TraderId): void {
    const nowMs = this.#clock.wallMs()
    let soonest: [TraderId, number] | null = null
    for (const [trader, { untilMs }] of this.#traders) {
      if (trader === except) continue
      if (untilMs <= nowMs) {
        this.#traders.delete(trader)
        return
      }
      if (soonest === null || untilMs < soonest[1]) soonest = [trader, untilMs]
    }
    if (soonest !== null) this.#traders.delete(soonest[0])
  }
}
