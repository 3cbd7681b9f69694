// Calls its listeners when a wallet was made, locked, unlocked, or has another balance or problem than before.

import { errorText } from '../../../base/errors.ts'
import type { Log } from '../../../ports/log.ts'
import { COIN_IDS, type CoinId } from '../core/coins.ts'

/** Calls its listeners when a wallet was made, locked, unlocked, or has another balance or problem than before. */
export class WalletChanges {
  readonly #stateOf: (coin: CoinId) => string
  readonly #log: Log
  readonly #told = new Set<(coin: CoinId) => void>()
  readonly #last = new Map<CoinId, string>()

  /** `stateOf`: a text that differs whenever listeners must be called. */
  constructor(stateOf: (coin: CoinId) => string, log: Log) {
    this.#stateOf = stateOf
    this.#log = log
  }

  /** Calls from now on; answers what ends the calls. */
  watch(changed: (coin: CoinId) => void): () => void {
    if (this.#told.size === 0) for (const coin of COIN_IDS) this.#last.set(coin, this.#stateOf(coin))
    // A function of its own: the same one may be given twice.
    const one = (coin: CoinId): void => changed(coin)
    this.#told.add(one)
    return () => void this.#told.delete(one)
  }

  /** Something may have changed. Never throws. */
  look(coin: CoinId): void {
    if (this.#told.size === 0) return
    const state = this.#stateOf(coin)
    if (this.#last.get(coin) === state) return
    this.#last.set(coin, state)
    for (const changed of [...this.#told]) {
      try {
        changed(coin)
      } catch (error) {
        this.#log.error('who follows the wallets failed', { error: errorText(error) })
      }
    }
  }

  /** As look, of all coins. */
  lookAll(): void {
    for (const coin of COIN_IDS) this.look(coin)
  }
}
