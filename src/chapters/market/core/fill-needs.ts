// What one trade costs its owner beside what is traded, and the least that is worth trading. Computed at present rates.

import { AppError } from '../../../base/errors.ts'
import type { MarketFunds } from '../../wallets/ports/market-funds.ts'
import type { SwapChain } from '../ports/swap-chain.ts'
import { type Asset, COIN_DECIMALS, type CoinId, sameAsset } from '../../wallets/core/assets.ts'
import type { Side } from '../wire/types.ts'

/** For one trade of an order, in the smallest unit of each coin. */
export interface FillNeeds {
  /** Fees in the coin that is given. */
  readonly fee: bigint
  /** Gas money in the coin that is taken, with the fee of bringing it there; 0 on chains of Bitcoin's kind. */
  readonly gas: bigint
  /** The least quantity that can be traded: neither leg may be eaten up by its fees. */
  readonly leastQuantity: bigint
}

/** The chains of coins; null: none of the node. */
export type ChainOf = (coin: CoinId) => SwapChain | null

/** A chain that is there and is the one that is meant. AppError WalletNotCreated. */
export function chainOf(chains: ChainOf, asset: Asset): SwapChain {
  const chain = chains(asset.coin)
  if (chain === null || !sameAsset(chain.asset, asset)) {
    throw new AppError('WalletNotCreated', `The chain of ${asset.coin} is not the one that is traded here.`)
  }
  return chain
}

/** Reckons FillNeeds. `price`: as in OrderTerms. AppErrors WalletNotCreated, WalletServerFailed. */
export async function fillNeeds(
  order: { readonly side: Side; readonly quantityAsset: Asset; readonly priceAsset: Asset; readonly price: bigint },
  funds: MarketFunds,
  chains: ChainOf,
): Promise<FillNeeds> {
  const quantityLeg = await legFees(order.quantityAsset, funds, chains)
  const priceLeg = await legFees(order.priceAsset, funds, chains)
  const [give, take] = order.side === 'ask' ? [quantityLeg, priceLeg] : [priceLeg, quantityLeg]
  const whole = 10n ** BigInt(COIN_DECIMALS[order.quantityAsset.coin])
  const byPrice = (priceLeg.least * whole + order.price - 1n) / order.price
  return {
    fee: give.fund + give.payment,
    gas: take.claim === 0n ? 0n : take.claim + take.payment,
    leastQuantity: quantityLeg.least > byPrice ? quantityLeg.least : byPrice,
  }
}

interface LegFees {
  readonly fund: bigint
  readonly claim: bigint
  readonly payment: bigint
  readonly least: bigint
}

async function legFees(asset: Asset, funds: MarketFunds, chains: ChainOf): Promise<LegFees> {
  const chain = chainOf(chains, asset)
  const dust = funds.least(asset.coin)
  const fund = (await chain.depositNeed('fund', dust)) - dust
  const claim = await chain.depositNeed('claim', dust)
  return { fund, claim, payment: await funds.paymentFee(asset.coin), least: dust + fund + claim }
}
