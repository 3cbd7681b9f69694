// Wallets as the market sees them, in memory: balances, what is set aside, payments that are made once for each key.
// What it remembers outlives its users, as the files of wallets outlive a process; what is set aside does not:
// restart().

import { AppError } from '../../../../src/base/errors.ts'
import type { FundsOfCoin, MarketFunds, MarketPayment } from '../../../../src/chapters/wallets/ports/market-funds.ts'
import type { Asset, CoinId } from '../../../../src/chapters/wallets/core/assets.ts'

/** A wallet for a test. */
export interface MemoryWallet {
  readonly asset: Asset
  balance: bigint
  unlocked: boolean
  /** '' = its chain can be read; otherwise it cannot be paid from. */
  problem: string
  /** Of each payment. */
  readonly fee: bigint
}

/** A payment that was made. */
export interface MadePayment {
  readonly payment: MarketPayment
  readonly txid: string
  readonly fee: bigint
}

/** What hands payments on to a chain; answers what the wallet says then. */
export type PaymentSender = (payment: MarketPayment) => Promise<{ readonly txid: string; readonly fee: bigint }>

/** A wallet of `asset` that is unlocked. */
export function memoryWallet(asset: Asset, balance: bigint, fee = 10n): MemoryWallet {
  return { asset, balance, unlocked: true, problem: '', fee }
}

/**
 * Wallets as the market sees them, in memory: balances, what is set aside, payments that are made once for each key.
 */
export class MemoryMarketFunds implements MarketFunds {
  readonly wallets = new Map<CoinId, MemoryWallet>()
  /** By key. */
  readonly paid = new Map<string, MadePayment>()
  /** By name. */
  readonly reserved = new Map<string, { coin: CoinId; amount: bigint }>()
  refreshes = 0
  readonly #watchers = new Set<(coin: CoinId) => void>()
  readonly #send: PaymentSender | null

  /** `send`: null = payments go nowhere. */
  constructor(wallets: readonly MemoryWallet[], send: PaymentSender | null = null) {
    for (const wallet of wallets) this.wallets.set(wallet.asset.coin, wallet)
    this.#send = send
  }

  of(coin: CoinId): FundsOfCoin | null {
    const wallet = this.wallets.get(coin)
    if (wallet === undefined) return null
    const { asset, unlocked, balance, problem } = wallet
    const aside = this.#aside(coin)
    return { asset, unlocked, problem, available: balance, free: balance > aside ? balance - aside : 0n }
  }

  async refresh(): Promise<void> {
    this.refreshes++
  }

  reserve(name: string, coin: CoinId, amount: bigint): void {
    const { balance } = this.#wallet(coin)
    const before = this.reserved.get(name)
    this.reserved.delete(name)
    const left = balance - this.#aside(coin)
    if (left < amount) {
      if (before !== undefined) this.reserved.set(name, before)
      throw new AppError('InsufficientFunds', `Insufficient funds: ${left} of ${coin} are free.`)
    }
    this.reserved.set(name, { coin, amount })
  }

  release(name: string): void {
    this.reserved.delete(name)
  }

  receiveAddress(coin: CoinId): string {
    return `wallet-${this.#wallet(coin).asset.coin}`
  }

  async paymentFee(coin: CoinId): Promise<bigint> {
    return this.#readable(coin).fee
  }

  least(_coin: CoinId): bigint {
    return 1n
  }

  async pay(payment: MarketPayment): Promise<{ txid: string; fee: bigint }> {
    const made = this.paid.get(payment.key)
    if (made !== undefined) return { txid: made.txid, fee: made.fee }
    const wallet = this.#readable(payment.coin)
    if (!wallet.unlocked) throw new AppError('WalletLocked')
    this.#takeAside(payment, payment.amount + wallet.fee)
    const sent = (await this.#send?.(payment)) ?? { txid: `paid-${payment.key}`, fee: wallet.fee }
    wallet.balance -= payment.amount + sent.fee
    this.paid.set(payment.key, { payment, ...sent })
    this.#tell(payment.coin)
    return sent
  }

  watch(changed: (coin: CoinId) => void): () => void {
    this.#watchers.add(changed)
    return () => this.#watchers.delete(changed)
  }

  /** Locks or unlocks a wallet. */
  setUnlocked(coin: CoinId, unlocked: boolean): void {
    this.#wallet(coin).unlocked = unlocked
    this.#tell(coin)
  }

  /** Sets what a wallet has. */
  setBalance(coin: CoinId, balance: bigint): void {
    this.#wallet(coin).balance = balance
    this.#tell(coin)
  }

  /** What the end of a process does: nothing is set aside, every wallet is locked, nobody watches. */
  restart(): void {
    this.reserved.clear()
    this.#watchers.clear()
    for (const wallet of this.wallets.values()) wallet.unlocked = false
  }

  /** Money leaves what was set aside first; of what others set aside nothing is taken. */
  #takeAside(payment: MarketPayment, total: bigint): void {
    const { coin, reservation } = payment
    const own = reservation === null ? undefined : this.reserved.get(reservation)
    const free = (this.of(coin)?.free ?? 0n) + (own?.amount ?? 0n)
    if (free < total) throw new AppError('InsufficientFunds', `Insufficient funds: ${free} of ${coin} are free.`)
    if (own !== undefined) own.amount = own.amount > total ? own.amount - total : 0n
  }

  #aside(coin: CoinId): bigint {
    let sum = 0n
    for (const entry of this.reserved.values()) if (entry.coin === coin) sum += entry.amount
    return sum
  }

  #readable(coin: CoinId): MemoryWallet {
    const wallet = this.#wallet(coin)
    if (wallet.problem !== '') throw new AppError('WalletServerFailed', wallet.problem)
    return wallet
  }

  #wallet(coin: CoinId): MemoryWallet {
    const wallet = this.wallets.get(coin)
    if (wallet === undefined) throw new AppError('WalletNotCreated')
    return wallet
  }

  #tell(coin: CoinId): void {
    for (const changed of [...this.#watchers]) changed(coin)
  }
}
