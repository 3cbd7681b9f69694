// What a trade costs at the present rates: for each of both sides what its swap takes of either coin, and the least
// that is worth trading.

import type { MarketFunds } from '../../wallets/ports/market-funds.ts'
import type { SwapChain } from '../ports/swap-chain.ts'
import { parseAmount } from '../../wallets/core/amounts.ts'
import { COIN_DECIMALS, type CoinId } from '../../wallets/core/assets.ts'
import { costOf } from '../wire/cost.ts'
import type { MarketFeesRecord, MarketService } from './market-api.ts'
import { coinsNamed, createdWallet } from './market-orders.ts'
import { exact } from './market-records.ts'

/** What fees are reckoned with. */
export interface MarketFeesDeps {
  readonly funds: MarketFunds
  /** The chain of a coin for swaps. AppErrors WalletNotCreated, NoWalletServer. */
  chain(coin: CoinId): SwapChain
}

/** AppErrors UnknownWallet, InvalidParameter, WalletNotCreated, WalletServerFailed. */
export async function marketFees(
  deps: MarketFeesDeps,
  asked: Parameters<MarketService['fees']>[0],
): Promise<MarketFeesRecord> {
  const { quantityCoin, priceCoin } = coinsNamed(asked)
  for (const coin of [quantityCoin, priceCoin]) createdWallet(deps.funds, coin)
  const whole = 10n ** BigInt(COIN_DECIMALS[quantityCoin])
  const quantity =
    asked.quantity === undefined ? whole : parseAmount(asked.quantity, COIN_DECIMALS[quantityCoin], 'quantity')
  const price = asked.price === undefined ? null : parseAmount(asked.price, COIN_DECIMALS[priceCoin], 'price')
  const cost =
    price === null ? 10n ** BigInt(COIN_DECIMALS[priceCoin]) : costOf(quantity, price, COIN_DECIMALS[quantityCoin])
  const [ofQuantity, ofPrice] = await Promise.all([
    feesOfCoin(deps, quantityCoin, quantity),
    feesOfCoin(deps, priceCoin, cost),
  ])
  const leastByPrice = price === null ? 0n : (ofPrice.least * whole + price - 1n) / price
  const least = ofQuantity.least > leastByPrice ? ofQuantity.least : leastByPrice
  return {
    quantity_type: quantityCoin,
    price_type: priceCoin,
    ask_quantity_fee_exact: exact(ofQuantity.giving, quantityCoin),
    ask_price_fee_exact: exact(ofPrice.taking, priceCoin),
    bid_quantity_fee_exact: exact(ofQuantity.taking, quantityCoin),
    bid_price_fee_exact: exact(ofPrice.giving, priceCoin),
    least_quantity_exact: exact(least, quantityCoin),
  }
}

/**
 * For who gives the coin: paying the deposit, and all that follows. For who takes it: its claim, out of a deposit or of
 * what it claims.
 */
async function feesOfCoin(
  { funds, chain }: MarketFeesDeps,
  coin: CoinId,
  amount: bigint,
): Promise<{ readonly giving: bigint; readonly taking: bigint; readonly least: bigint }> {
  const swaps = chain(coin)
  const [payment, fund, claim] = await Promise.all([
    funds.paymentFee(coin),
    swaps.depositNeed('fund', amount),
    swaps.depositNeed('claim', amount),
  ])
  const taking = claim === 0n ? payment : payment + claim
  // What is claimed has to be worth its claim; gas is paid beside it.
  const least = funds.least(coin) + (claim === 0n ? payment : 0n)
  return { giving: payment + fund - amount, taking, least }
}
