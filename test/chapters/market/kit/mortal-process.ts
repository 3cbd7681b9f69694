// What a process has of the world and loses with its end: timers that run no more, wallets that hear nothing of it any
// more.

import type { Clock, Timer } from '../../../../src/ports/clock.ts'
import type { FundsOfCoin, MarketFunds, MarketPayment } from '../../../../src/chapters/wallets/ports/market-funds.ts'
import type { CoinId } from '../../../../src/chapters/wallets/core/assets.ts'

/** A clock whose timers end with the process. */
export class MortalClock implements Clock {
  readonly #clock: Clock
  readonly #timers = new Set<Timer>()
  #dead = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  now(): number {
    return this.#clock.now()
  }

  wallMs(): number {
    return this.#clock.wallMs()
  }

  after(delayMs: number, run: () => void): Timer {
    if (this.#dead) return { cancel: () => undefined }
    const timer = this.#clock.after(delayMs, () => {
      this.#timers.delete(timer)
      run()
    })
    this.#timers.add(timer)
    return timer
  }

  every(intervalMs: number, run: () => void): Timer {
    if (this.#dead) return { cancel: () => undefined }
    const timer = this.#clock.every(intervalMs, run)
    this.#timers.add(timer)
    return timer
  }

  /** The end of the process. */
  kill(): void {
    this.#dead = true
    for (const timer of this.#timers) timer.cancel()
    this.#timers.clear()
  }
}

/** Wallets as long as the process lives; what it does afterwards does nothing, and what it waits for never comes. */
export class MortalFunds implements MarketFunds {
  readonly #funds: MarketFunds
  #dead = false

  constructor(funds: MarketFunds) {
    this.#funds = funds
  }

  of(coin: CoinId): FundsOfCoin | null {
    return this.#funds.of(coin)
  }

  refresh(): Promise<void> {
    return this.#funds.refresh()
  }

  reserve(name: string, coin: CoinId, amount: bigint): void {
    if (!this.#dead) this.#funds.reserve(name, coin, amount)
  }

  release(name: string): void {
    if (!this.#dead) this.#funds.release(name)
  }

  receiveAddress(coin: CoinId): string {
    return this.#funds.receiveAddress(coin)
  }

  paymentFee(coin: CoinId): Promise<bigint> {
    return this.#dead ? new Promise(() => undefined) : this.#funds.paymentFee(coin)
  }

  least(coin: CoinId): bigint {
    return this.#funds.least(coin)
  }

  pay(payment: MarketPayment): Promise<{ readonly txid: string; readonly fee: bigint }> {
    return this.#dead ? new Promise(() => undefined) : this.#funds.pay(payment)
  }

  watch(changed: (coin: CoinId) => void): () => void {
    return this.#funds.watch(changed)
  }

  /** The end of the process. */
  kill(): void {
    this.#dead = true
  }
}
