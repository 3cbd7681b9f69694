// What every payment of a wallet goes through, the owner's and the market's: one after the other, unlocked, within the
// limits of the settings, without what is set aside for others, and written into the audit log before it is sent.

import type { HDKey } from '@scure/bip32'
import { AppError } from '../../../base/errors.ts'
import type { Clock } from '../../../ports/clock.ts'
import { formatAmount } from '../core/amounts.ts'
import type { Coin, CoinId } from '../core/coins.ts'
import { KeyedQueue } from '../../../services/keyed-queue.ts'
import type { WalletAudit } from './wallet-audit.ts'
import type { CoinWallet, MadeTransfer, TransferHooks } from './wallet-coin.ts'
import type { OpenKeys } from './wallet-keys.ts'
import { limitOf } from './wallet-limits.ts'
import type { WalletReservations } from './wallet-reservations.ts'
import type { WalletSettings } from './wallet-set.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** A wallet that is created. */
export interface FoundWallet {
  readonly coin: Coin
  readonly wallet: CoinWallet
}

/** What the audit log says of a payment. */
export interface SpendFacts {
  readonly action: string
  readonly wallet: CoinId
  readonly amount?: string
  readonly destination?: string
  readonly txid?: string
}

/** Who asks for a payment. */
export interface Spender {
  /** Name of what is set aside for it; '' = none. */
  readonly reservation: string
  /** Rejects when they may not. */
  admit(): Promise<void>
}

/** What it works with. */
export interface SpendingDeps {
  readonly clock: Clock
  readonly audit: WalletAudit
  readonly keys: OpenKeys
  readonly reservations: WalletReservations
  settings(): WalletSettings
}

/**
 * What every payment of a wallet goes through, the owner's and the market's: one after the other, unlocked, within the
 * limits of the settings, without what is set aside for others, and written into the audit log before it is sent.
 */
export class WalletSpending {
  readonly #deps: SpendingDeps
  readonly #queue = new KeyedQueue<string>()

  constructor(deps: SpendingDeps) {
    this.#deps = deps
  }

  /** Tasks of one key run one after the other; keys are coins, and `create`. */
  inTurn<T>(key: string, task: () => Promise<T>): Promise<T> {
    return this.#queue.run(key, task)
  }

  drained(): Promise<void> {
    return this.#queue.drained()
  }

  /**
   * Has a payment made; call it in turn. AppErrors WalletLocked, SpendLimitReached, InsufficientFunds, and those of
   * `admit` and `make`.
   */
  spend(
    { coin, wallet }: FoundWallet,
    facts: SpendFacts,
    { admit, reservation }: Spender,
    make: (key: HDKey, hooks: TransferHooks) => Promise<MadeTransfer>,
  ): Promise<MadeTransfer> {
    return this.#deps.audit.around(facts, async () => {
      await admit()
      const key = this.#deps.keys.of(coin.id)
      if (key === null) {
        throw new AppError('WalletLocked', `The wallet is locked: POST /wallets/${coin.id}/unlock with the password.`)
      }
      return make(key, {
        approve: (total, more) => {
          this.#checkLimits(coin, wallet, total, more)
          this.#checkSetAside(coin, wallet, more, reservation)
        },
        record: ({ txid, amount, destination }) => {
          const written = { amount: formatAmount(amount, coin.decimals), destination, txid }
          return this.#deps.audit.note({ ...facts, ...written, outcome: 'signed' })
        },
        ...this.#takingFrom(reservation),
      })
    })
  }

  /** What was set aside shrinks in the same turn as the balance, so that it is never counted as missing twice. */
  #takingFrom(reservation: string): Pick<TransferHooks, 'left' | 'back'> {
    let taken = 0n
    return {
      left: units => {
        taken = this.#deps.reservations.take(reservation, units)
      },
      back: () => this.#deps.reservations.giveBack(reservation, taken),
    }
  }

  #checkSetAside(coin: Coin, wallet: CoinWallet, more: bigint, reservation: string): void {
    const aside = this.#deps.reservations.total(coin.id, reservation)
    const { available } = wallet.balance()
    if (aside === 0n || more + aside <= available) return
    const shown = (units: bigint): string => formatAmount(units, coin.decimals)
    const free = available > aside ? available - aside : 0n
    const text = `${shown(more)} ${coin.id} are needed with the fee, ${shown(free)} of ${shown(available)} are free: ${shown(aside)} are set aside for orders on the market`
    throw new AppError('InsufficientFunds', `Insufficient funds: ${text}.`)
  }

  #checkLimits(coin: Coin, wallet: CoinWallet, total: bigint, more: bigint): void {
    const { transferLimits, dayLimits } = this.#deps.settings()
    const shown = (units: bigint): string => `${formatAmount(units, coin.decimals)} ${coin.id}`
    const once = limitOf(transferLimits, coin)
    if (once !== null && total > once) {
      throw new AppError(
        'SpendLimitReached',
        `${shown(total)} with the fee, and a transfer may have ${shown(once)} (wallets.transfer_limits).`,
      )
    }
    const daily = limitOf(dayLimits, coin)
    const today = wallet.sent.since(this.#deps.clock.wallMs() - DAY_MS)
    if (daily !== null && today + more > daily) {
      const text = `${shown(today)} left in 24 hours, ${shown(more)} more are above ${shown(daily)} (wallets.day_limits).`
      throw new AppError('SpendLimitReached', text)
    }
  }
}
