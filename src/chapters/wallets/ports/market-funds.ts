// The wallets as the market sees them: what is there, what is set aside, and paying out of it.

import type { Asset, CoinId } from '../core/assets.ts'

/** A wallet that is created. */
export interface FundsOfCoin {
  readonly asset: Asset
  readonly unlocked: boolean
  /** What may be spent, less all that is set aside; below 0 when more is set aside than there is (any more). */
  readonly free: bigint
  /** What may be spent at all. */
  readonly available: bigint
  /** '' = its chain can be read. */
  readonly problem: string
}

/** A payment out of what was set aside. */
export interface MarketPayment {
  readonly coin: CoinId
  /** Address. */
  readonly destination: string
  readonly amount: bigint
  /** The same key is the same payment for ever, also after a restart: it is made once. */
  readonly key: string
  /** Name of what was set aside for it; null: nothing. */
  readonly reservation: string | null
}

/**
 * The wallets as the market sees them: what is there, what is set aside, and paying out of it. Coins whose wallet is
 * not created: AppError WalletNotCreated.
 */
export interface MarketFunds {
  /** Null: the wallet is not created. */
  of(coin: CoinId): FundsOfCoin | null
  /** Reads the chains again. Never rejects. */
  refresh(): Promise<void>
  /**
   * Sets aside `amount` under a name, in the place of what was there under it. Not kept over a restart. Throws AppError
   * InsufficientFunds (says what is there).
   */
  reserve(name: string, coin: CoinId, amount: bigint): void
  release(name: string): void
  /** An address of ours to be paid at. */
  receiveAddress(coin: CoinId): string
  /** What a usual payment of the wallet costs now. AppError WalletServerFailed. */
  paymentFee(coin: CoinId): Promise<bigint>
  /** The least that can be paid: dust. */
  least(coin: CoinId): bigint
  /**
   * Pays; durable before it is sent. AppErrors WalletLocked, InsufficientFunds, SpendLimitReached, TransferRefused,
   * WalletServerFailed.
   */
  pay(payment: MarketPayment): Promise<{ readonly txid: string; readonly fee: bigint }>
  /** Calls when a wallet was made, locked, unlocked, or its balance changed; answers what ends the calls. */
  watch(changed: (coin: CoinId) => void): () => void
}

/** Whether a request may place an order. */
export interface SpendGate {
  /**
   * Notes the try in the audit log. AppErrors WalletNotCreated, SpendKeyMissing (one is demanded, and this is another),
   * TooManyRequests, DiskFull, DiskError.
   */
  admitOrder(coin: CoinId, spendKey: string | undefined): Promise<void>
}

/** On which chains the wallets live, by name. */
export interface ChainNames {
  /**
   * Name of the chain (`main`, `regtest`), of Ethereum's kind its id as decimal text; null: the wallet is not created.
   */
  chainName(coin: CoinId): string | null
}

/** The wallets as the node's market has them. */
export type MarketWallets = MarketFunds & SpendGate & ChainNames
