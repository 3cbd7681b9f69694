// The wallets as the market uses them: what is free, what is set aside, and payments out of it, which are transfers
// like those of the owner: locked, limited, audited, kept before they are sent. A key of the market means one payment,
// also after a restart.

import { AppError } from '../../../base/errors.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { ChainNames, FundsOfCoin, MarketFunds, MarketPayment, SpendGate } from '../ports/market-funds.ts'
import { chainTag } from '../core/assets.ts'
import { formatAmount } from '../core/amounts.ts'
import { leastPayment } from '../core/addresses.ts'
import { COINS, type CoinId } from '../core/coins.ts'
import type { WalletAudit } from './wallet-audit.ts'
import type { WalletChanges } from './wallet-changes.ts'
import type { OpenKeys } from './wallet-keys.ts'
import type { WalletReservations } from './wallet-reservations.ts'
import { MARKET_KEY } from './wallet-sent.ts'
import type { WalletSet } from './wallet-set.ts'
import type { FoundWallet, WalletSpending } from './wallet-spending.ts'
import type { SeedVault } from './wallet-vault.ts'

/** Parts of the wallets that they are made of. */
export interface MarketFundsParts {
  readonly clock: Clock
  readonly set: WalletSet
  readonly keys: OpenKeys
  readonly vault: SeedVault
  readonly audit: WalletAudit
  readonly reservations: WalletReservations
  readonly changes: WalletChanges
  readonly spending: WalletSpending
}

/**
 * The wallets as the market uses them: what is free, what is set aside, and payments out of it, which are transfers
 * like those of the owner: locked, limited, audited, kept before they are sent.
 */
export class WalletMarketFunds implements MarketFunds, SpendGate, ChainNames {
  readonly #parts: MarketFundsParts

  constructor(parts: MarketFundsParts) {
    this.#parts = parts
  }

  of(coin: CoinId): FundsOfCoin | null {
    const { set, keys, reservations } = this.#parts
    const wallet = set.get(coin)
    if (wallet === null) return null
    const { chain, problem } = wallet.facts()
    const { available } = wallet.balance()
    const asset = { coin, chain: chainTag(coin, chain) }
    return { asset, unlocked: keys.of(coin) !== null, free: available - reservations.total(coin), available, problem }
  }

  refresh(): Promise<void> {
    return this.#parts.set.refreshAll()
  }

  reserve(name: string, coin: CoinId, amount: bigint): void {
    const { reservations, changes } = this.#parts
    const { available } = this.#created(coin).wallet.balance()
    const others = reservations.total(coin, name)
    if (amount > 0n && others + amount > available) throw tooLittle(coin, amount, available, others)
    reservations.set(name, coin, amount)
    changes.look(coin)
  }

  release(name: string): void {
    const coin = this.#parts.reservations.release(name)
    if (coin !== null) this.#parts.changes.look(coin)
  }

  receiveAddress(coin: CoinId): string {
    return this.#created(coin).wallet.address
  }

  async paymentFee(coin: CoinId): Promise<bigint> {
    return (await this.#created(coin).wallet.price(null)).fee
  }

  least(coin: CoinId): bigint {
    return leastPayment(this.#created(coin).coin)
  }

  async pay(payment: MarketPayment): Promise<{ readonly txid: string; readonly fee: bigint }> {
    const { destination, amount, reservation } = payment
    const found = this.#created(payment.coin)
    const { coin, wallet } = found
    const key = `${MARKET_KEY}${payment.key}`
    wallet.check(destination, amount)
    const facts = {
      action: 'market payment',
      wallet: coin.id,
      amount: formatAmount(amount, coin.decimals),
      destination,
    }
    // The spend key was given with the order.
    const spender = { reservation: reservation ?? '', admit: () => Promise.resolve() }
    return this.#parts.spending.inTurn(coin.id, async () => {
      const { txid, fee } =
        wallet.sent.repeated(key, amount, destination) ??
        (await this.#parts.spending.spend(found, facts, spender, (account, hooks) =>
          wallet.send(account, { destination, amount, rate: null, key }, hooks),
        ))
      return { txid, fee }
    })
  }

  watch(changed: (coin: CoinId) => void): () => void {
    return this.#parts.changes.watch(changed)
  }

  admitOrder(coin: CoinId, spendKey: string | undefined): Promise<void> {
    this.#created(coin)
    return this.#parts.audit.around({ action: 'market order', wallet: coin }, () =>
      this.#parts.vault.checkSpendKey(spendKey),
    )
  }

  chainName(coin: CoinId): string | null {
    return this.#parts.set.get(coin)?.facts().chain ?? null
  }

  #created(id: CoinId): FoundWallet {
    const wallet = this.#parts.set.get(id)
    if (wallet === null) {
      throw new AppError('WalletNotCreated', `The wallet ${id} is not created: PUT /wallets/${id} with a password.`)
    }
    return { coin: COINS[id], wallet }
  }
}

function tooLittle(id: CoinId, amount: bigint, available: bigint, others: bigint): AppError {
  const { decimals } = COINS[id]
  const shown = (units: bigint): string => formatAmount(units, decimals)
  const aside = others > 0n ? `, of which ${shown(others)} are set aside for other orders` : ''
  const text = `${shown(amount)} ${id} are needed with fees, ${shown(available)} are available${aside}`
  return new AppError('InsufficientFunds', `Insufficient funds: ${text}.`)
}
