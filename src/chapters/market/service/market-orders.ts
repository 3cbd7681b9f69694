// Reads requests for asks and bids: identifiers, amounts, least amounts; and what the wallets say of them.

import { AppError } from '../../../base/errors.ts'
import { MAX_TIMEOUT_S } from '../core/limits.ts'
import type { FundsOfCoin, MarketFunds } from '../../wallets/ports/market-funds.ts'
import type { OwnOrder, WantedOrder } from '../ports/market-trader.ts'
import { parseAmount } from '../../wallets/core/amounts.ts'
import { COINS } from '../../wallets/core/coins.ts'
import { COIN_DECIMALS, COIN_IDS, type CoinId, sameAsset } from '../../wallets/core/assets.ts'
import { costOf } from '../wire/cost.ts'
import type { Side } from '../wire/types.ts'
import type { NewOrder } from './market-api.ts'
import { exact } from './market-records.ts'

/** What an order stands for when nobody says, seconds (decisions part 4). */
const DEFAULT_TIMEOUT_S = 3_600

/** The largest number of a statement of an order (src/chapters/market/wire/order-codec.ts). */
const MAX_UNITS = (1n << 128n) - 1n

/** The coin of an identifier in any case. AppError UnknownWallet. */
export function coinNamed(identifier: string): CoinId {
  const found = COIN_IDS.find(id => id === identifier.toUpperCase())
  if (found === undefined) throw new AppError('UnknownWallet')
  return found
}

/** Two coins that differ. AppErrors UnknownWallet, InvalidParameter. */
export function coinsNamed(asked: { readonly quantity_type: string; readonly price_type: string }): {
  readonly quantityCoin: CoinId
  readonly priceCoin: CoinId
} {
  const [quantityCoin, priceCoin] = [coinNamed(asked.quantity_type), coinNamed(asked.price_type)]
  if (quantityCoin === priceCoin) {
    throw new AppError(
      'InvalidParameter',
      `${priceCoin} cannot be traded for itself: price_type and quantity_type are the same.`,
    )
  }
  return { quantityCoin, priceCoin }
}

/** The wallet of a coin. AppError WalletNotCreated. */
export function createdWallet(funds: MarketFunds, coin: CoinId): FundsOfCoin {
  const found = funds.of(coin)
  if (found === null) {
    throw new AppError(
      'WalletNotCreated',
      `The wallet of ${coin} is not created: PUT /wallets/${coin} with a password.`,
    )
  }
  return found
}

/** Reads an order and checks all that needs no money. AppErrors UnknownWallet, InvalidParameter, WalletNotCreated. */
export function readOrder(funds: MarketFunds, side: Side, order: NewOrder): WantedOrder {
  const { quantityCoin, priceCoin } = coinsNamed(order)
  const quantity = parseAmount(order.quantity, COIN_DECIMALS[quantityCoin], 'quantity')
  const price = parseAmount(order.price, COIN_DECIMALS[priceCoin], 'price')
  const cost = costOf(quantity, price, COIN_DECIMALS[quantityCoin])
  for (const [name, units] of Object.entries({ quantity, price, 'price of all of it': cost })) {
    if (units > MAX_UNITS) throw new AppError('InvalidParameter', `The ${name} is more than there is of any coin.`)
  }
  const timeoutS = order.timeout ?? DEFAULT_TIMEOUT_S
  if (!Number.isSafeInteger(timeoutS) || timeoutS < 1 || timeoutS > MAX_TIMEOUT_S) {
    throw new AppError('InvalidParameter', `The parameter timeout is not valid: whole seconds, 1 to ${MAX_TIMEOUT_S}.`)
  }
  const quantityAsset = createdWallet(funds, quantityCoin).asset
  const priceAsset = createdWallet(funds, priceCoin).asset
  checkLeast(funds, quantityCoin, quantity, 'the quantity is')
  checkLeast(funds, priceCoin, cost, 'the price of all of it is')
  return { side, quantityAsset, priceAsset, quantity, price, timeoutS, key: order.idempotency_key ?? '' }
}

/** What a chain does not carry cannot be swapped. */
function checkLeast(funds: MarketFunds, coin: CoinId, units: bigint, what: string): void {
  const least = funds.least(coin)
  if (units >= least) return
  throw new AppError(
    'InvalidParameter',
    `${what} ${exact(units, coin)} ${coin}, and the chain carries no less than ${exact(least, coin)}.`,
  )
}

/** The coin that an order gives. */
export function givenCoin({
  side,
  quantityAsset,
  priceAsset,
}: Pick<WantedOrder, 'side' | 'quantityAsset' | 'priceAsset'>): CoinId {
  return side === 'ask' ? quantityAsset.coin : priceAsset.coin
}

/**
 * What has to be unlocked: the wallet that gives, and one of Ethereum's kind that takes, which pays for the gas of its
 * claim. AppError WalletLocked.
 */
export function demandUnlocked(funds: MarketFunds, { side, quantityAsset, priceAsset }: WantedOrder): void {
  const [give, take] = side === 'ask' ? [quantityAsset.coin, priceAsset.coin] : [priceAsset.coin, quantityAsset.coin]
  for (const coin of COINS[take].family === 'evm' ? [give, take] : [give]) {
    if (createdWallet(funds, coin).unlocked) continue
    throw new AppError(
      'WalletLocked',
      `The wallet of ${coin} is locked: POST /wallets/${coin}/unlock with the password.`,
    )
  }
}

/** Whether a request says what an order of ours was. */
export function isSameOrder({ terms }: OwnOrder, wanted: WantedOrder): boolean {
  const plain = ['side', 'quantity', 'price', 'timeoutS'] as const
  return (
    plain.every(name => terms[name] === wanted[name]) &&
    sameAsset(terms.quantityAsset, wanted.quantityAsset) &&
    sameAsset(terms.priceAsset, wanted.priceAsset)
  )
}
