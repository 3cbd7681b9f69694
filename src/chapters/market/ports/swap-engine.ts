// Swaps as those who negotiate see them: halves are made, an agreement begins a swap, and from then on it goes to its
// end by itself.

import type { Asset, CoinId } from '../../wallets/core/assets.ts'
import type { SwapAgreement, SwapRole } from '../wire/types.ts'

/** Which legs are swapped: what we give and what we take. */
export interface SwapRequest {
  readonly id: string
  readonly role: SwapRole
  readonly give: Asset
  readonly take: Asset
  readonly giveAmount: bigint
  readonly takeAmount: bigint
  /**
   * Set aside for what we give (MarketFunds.reserve), and under this name with `-gas` for the deposit of the coin that
   * we take; released by whoever made it.
   */
  readonly reservation: string
}

/** Our half of an agreement. */
export interface SwapHalf {
  /** claimKey of the leg that we take, refundKey of the leg that we give. */
  readonly claimKey: string
  readonly refundKey: string
  /** Of our secret; '' for a participant. */
  readonly hash: string
  /** Locks as we would have them; a participant checks those of the proposal with checkLocks of the engine. */
  readonly firstLockS: number
  readonly secondLockS: number
}

/** A transaction of a swap, for the interface. */
export interface SwapPayment {
  /** `purse`, its name in the interface and on the disk: from our wallet into the deposit of the swap. */
  readonly kind: 'purse' | 'fund' | 'claim' | 'refund' | 'sweep'
  readonly coin: CoinId
  readonly txid: string
  readonly amount: bigint
  readonly fee: bigint
  /** Unix time, milliseconds. */
  readonly timeMs: number
  /** The other side made it. */
  readonly theirs: boolean
  readonly confirmed: boolean
}

/** The state of a swap. */
export interface SwapView {
  readonly agreement: SwapAgreement
  readonly role: SwapRole
  /** Name of the step, for people and tests. */
  readonly step: string
  /** What it waits for, a sentence; '' = nothing. */
  readonly waitsFor: string
  /** Null: it goes on. `abandoned`: nothing of ours was put under a lock. */
  readonly outcome: 'completed' | 'refunded' | 'abandoned' | null
  /** What the other side has got, and what we have got, in the smallest unit. */
  readonly given: bigint
  readonly taken: bigint
  readonly payments: readonly SwapPayment[]
}

/**
 * Swaps as those who negotiate see them: halves are made, an agreement begins a swap, and from then on it goes to its
 * end by itself.
 */
export interface SwapEngine {
  /**
   * Makes a key (and a secret) for a swap to come; kept in memory only until begin(). AppErrors InvalidParameter
   * (cannot be swapped), WalletNotCreated, WalletServerFailed.
   */
  prepare(request: SwapRequest): Promise<SwapHalf>
  /** Whether the locks of a proposal leave each side its time. Throws AppError InvalidParameter. */
  checkLocks(agreement: SwapAgreement): void
  /** Begins what was prepared; durable when settled. AppErrors InvalidParameter, DiskFull, DiskError. */
  begin(agreement: SwapAgreement): Promise<void>
  /** What was prepared will not begin. */
  discard(id: string): void
  /** The other side named a transaction that funds a leg: looked at sooner. */
  hint(id: string, txid: string): void
  /** All that run, and those that ended and were not forgotten. */
  list(): readonly SwapView[]
  /** Calls whenever one has come further; answers what ends the calls. */
  watch(changed: (swap: SwapView) => void): () => void
}
