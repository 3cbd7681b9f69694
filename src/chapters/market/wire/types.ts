// What the market speaks of: orders, what their owners say of them, and what two traders agree on. Types only. Amounts
// are whole numbers of the smallest unit of their coin; a price is the smallest unit of the price coin for one WHOLE
// quantity coin (10^decimals of its smallest unit).

import type { Asset } from '../../wallets/core/assets.ts'

/** An ask gives the quantity coin and takes the price coin; a bid the other way round. */
export type Side = 'ask' | 'bid'

/** SHA-1 of the trader's public key (its mid in the overlays), 40 lower-case hexadecimal digits. */
export type TraderId = string

/** Names an order. */
export interface OrderRef {
  readonly trader: TraderId
  /** Of that trader, from 1; u32. */
  readonly number: number
}

/** What never changes of an order. */
export interface OrderTerms extends OrderRef {
  readonly side: Side
  readonly quantityAsset: Asset
  readonly priceAsset: Asset
  /** In all, above 0. */
  readonly quantity: bigint
  /** Above 0. */
  readonly price: bigint
  /** Unix time, milliseconds: when it was placed. */
  readonly timeMs: number
  /** 1 to 86,400. */
  readonly timeoutS: number
}

/**
 * `suspended`: it is open, but cannot be traded now (its wallet is locked). `closed`: done, cancelled or withdrawn; for
 * ever.
 */
export type OrderStatus = 'open' | 'suspended' | 'closed'

/** What its owner says of an order; a higher sequence takes the place of a lower one. */
export interface OrderState {
  /** u32, from 0. */
  readonly sequence: number
  readonly status: OrderStatus
  /** What can be traded now: neither traded nor reserved for a trade under way. 0 to quantity. */
  readonly remaining: bigint
}

/** A signed statement: terms and state of an order. Its signature may be believed once it was checked. */
export interface OrderStatement {
  readonly terms: OrderTerms
  readonly state: OrderState
  /** 74 bytes. */
  readonly publicKey: Uint8Array
  /** The whole encoding, signature at the end. */
  readonly bytes: Uint8Array
  /** SHA-256 of the encoding, hexadecimal. */
  readonly hash: string
}

/** One leg of a swap: money under a hash and a time lock (HTLC). */
export interface LegTerms {
  readonly asset: Asset
  /** SHA-256 of the secret of exactly 32 bytes, 64 hexadecimal digits. */
  readonly hash: string
  /** What lies in it. */
  readonly amount: bigint
  /**
   * Unix time, seconds, by the chain's own clock (median of 11 blocks of a chain of Bitcoin's kind, block time of one
   * of Ethereum's): from then on it can be taken back.
   */
  readonly lockS: number
  /**
   * Who gets it with the secret: compressed public key (66 hexadecimal digits); of Ethereum's kind the address that is
   * paid, in small letters.
   */
  readonly claimKey: string
  /** Who gets it back: as claimKey. */
  readonly refundKey: string
}

/** Who funds first, and knows the secret; and who funds second. */
export type SwapRole = 'initiator' | 'participant'

/** What two traders have agreed on. The initiator is the owner of the newer order: it proposes. */
export interface SwapAgreement {
  /** 32 hexadecimal digits, chosen by the initiator. */
  readonly id: string
  readonly ask: OrderRef
  readonly bid: OrderRef
  readonly quantity: bigint
  /** That of the older order. */
  readonly price: bigint
  /** Unix time, milliseconds: of the proposal. */
  readonly timeMs: number
  /** The leg that the initiator funds. */
  readonly first: LegTerms
  /** The leg that the participant funds; its lock ends well before that of the first. */
  readonly second: LegTerms
}
