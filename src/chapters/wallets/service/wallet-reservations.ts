// What the market has set aside of each coin, by name. In memory only: the market sets it aside again after a restart.

import { AppError } from '../../../base/errors.ts'
import type { CoinId } from '../core/coins.ts'

/** Names at a time: far more than orders may be open. */
const MAX_RESERVATIONS = 10_000

interface Reservation {
  readonly coin: CoinId
  readonly amount: bigint
}

/** What the market has set aside of each coin, by name. */
export class WalletReservations {
  readonly #held = new Map<string, Reservation>()
  readonly #totals = new Map<CoinId, bigint>()

  /** All that is set aside of a coin, in its smallest unit. `except`: a name that does not count. */
  total(coin: CoinId, except: string | null = null): bigint {
    return (this.#totals.get(coin) ?? 0n) - (except === null ? 0n : this.held(except, coin))
  }

  /** What is set aside under a name of this coin. */
  held(name: string, coin: CoinId): bigint {
    const found = this.#held.get(name)
    return found?.coin === coin ? found.amount : 0n
  }

  /** In the place of what was there under this name. AppErrors InvalidParameter (below 0), TooManyRequests. */
  set(name: string, coin: CoinId, amount: bigint): void {
    if (amount < 0n) throw new AppError('InvalidParameter', 'Less than nothing cannot be set aside.')
    if (!this.#held.has(name) && this.#held.size >= MAX_RESERVATIONS) {
      throw new AppError('TooManyRequests', 'Too much is set aside in the wallets already.')
    }
    this.release(name)
    this.#held.set(name, { coin, amount })
    this.#add(coin, amount)
  }

  /** Takes so much out of it, or what is left; how much that was. A name that is not there: 0. */
  take(name: string, amount: bigint): bigint {
    const found = this.#held.get(name)
    if (found === undefined) return 0n
    const taken = amount < found.amount ? amount : found.amount
    this.#held.set(name, { ...found, amount: found.amount - taken })
    this.#add(found.coin, -taken)
    return taken
  }

  /** Puts back what was taken; nothing where the name was released meanwhile. */
  giveBack(name: string, amount: bigint): void {
    const found = this.#held.get(name)
    if (found !== undefined) this.set(name, found.coin, found.amount + amount)
  }

  /** The coin that it was of; null: there was none. */
  release(name: string): CoinId | null {
    const found = this.#held.get(name)
    if (found === undefined) return null
    this.#held.delete(name)
    this.#add(found.coin, -found.amount)
    return found.coin
  }

  #add(coin: CoinId, amount: bigint): void {
    this.#totals.set(coin, (this.#totals.get(coin) ?? 0n) + amount)
  }
}
