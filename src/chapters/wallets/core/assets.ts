// Which coins are traded, and on which chain each of them lives. Facts of the chains themselves:
// src/chapters/wallets/core/coins.ts.

import { createHash } from 'node:crypto'

/** Identifiers of the interface. */
export const COIN_IDS = ['BTC', 'TBTC', 'LTC', 'TLTC', 'ETH', 'TETH'] as const
/** One of them. */
export type CoinId = (typeof COIN_IDS)[number]

/** Decimal places of each coin: a whole one is 10 to that power of its smallest unit. */
export const COIN_DECIMALS: Readonly<Record<CoinId, number>> = { BTC: 8, TBTC: 8, LTC: 8, TLTC: 8, ETH: 18, TETH: 18 }

/** A coin on a chain: coins for tests live on several, which must not be mixed up. */
export interface Asset {
  readonly coin: CoinId
  /** 8 hexadecimal digits: chainTag(). */
  readonly chain: string
}

/**
 * Tells chains apart in orders. `network`: name of the chain as the wallet has it (`main`, `regtest`), of Ethereum's
 * kind its id as decimal text.
 */
export function chainTag(coin: CoinId, network: string): string {
  return createHash('sha256').update(`${coin}/${network}`).digest('hex').slice(0, 8)
}

/** Whether both are the same coin on the same chain. */
export function sameAsset(a: Asset, b: Asset): boolean {
  return a.coin === b.coin && a.chain === b.chain
}
