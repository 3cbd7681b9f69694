// A chain as swaps use it: hash-time-locked contracts on a chain of Bitcoin's kind or of Ethereum's. An implementation
// keeps no state that matters: the journal of the swap does. Nothing is sent but by send(): every transaction is made
// first, journaled, then sent.
//
// A swap has one key of its own (32 bytes, secp256k1). Its deposit is the plain address of that key: the wallet pays
// into it once, and everything after that is signed by the swap's key alone, so nothing waits for a wallet to be
// unlocked.

import type { Asset } from '../../wallets/core/assets.ts'
import type { LegTerms } from '../wire/types.ts'

/** How fast a chain is, and when a payment on it counts. */
export interface ChainPace {
  /** Seconds between blocks. */
  readonly blockS: number
  /** Blocks (its own included) after which a funding or a claim counts. */
  readonly confirmations: number
  /** The chain's clock may be behind by so many seconds. */
  readonly clockLagS: number
}

/** The chain now. */
export interface ChainNow {
  readonly height: number
  /**
   * The clock that time locks are held against, Unix seconds. Of Bitcoin's kind a refund is taken once it is ABOVE the
   * lock (BIP 113).
   */
  readonly timeS: number
}

/** A transaction that is signed and not sent. */
export interface SignedTransaction {
  /** Hexadecimal; chains of Ethereum's kind with 0x. */
  readonly raw: string
  readonly txid: string
  readonly fee: bigint
}

/** A contract that is funded as its terms say, wherever and by whomever. */
export interface FoundFunding {
  /** `txid:output`, of Ethereum's kind the contract's id of it. */
  readonly place: string
  readonly txid: string
  /** 0: no block has it. */
  readonly confirmations: number
  /** Of its block; null: none. */
  readonly height: number | null
}

/** How a contract ended. */
export interface FoundEnd {
  readonly kind: 'claimed' | 'refunded'
  readonly txid: string
  readonly confirmations: number
  /** 64 hexadecimal digits, of a claim. */
  readonly secret: string | null
}

/**
 * Where the money of a deposit is looked for: in blocks from a height on (where the chain was before it was paid), and
 * in its payment while that waits.
 */
export interface DepositTrace {
  readonly fromHeight: number
  /** Transaction by which our wallet pays the deposit; null: not known. Of Ethereum's kind neither is needed. */
  readonly paidBy: string | null
}

/** How much a deposit has, with what waits for a block. */
export interface DepositFacts {
  readonly balance: bigint
}

/**
 * A chain as swaps use it. All of it rejects with AppError WalletServerFailed when the server cannot be asked or cannot
 * be believed.
 */
export interface SwapChain {
  readonly asset: Asset
  readonly pace: ChainPace
  /** How the terms of a leg write `key` as claimKey or refundKey. `payTo`: address of ours that gets the money. */
  termsKey(key: Uint8Array, payTo: string): string
  /**
   * Throws AppError InvalidParameter when terms cannot be held on this chain: amount is dust, keys malformed, lock out
   * of range.
   */
  checkTerms(terms: LegTerms): void
  depositAddress(key: Uint8Array): string
  /**
   * What the deposit must be given for a role on this chain. `fund`: the amount, and fees of funding, of taking it back
   * (raised), of giving back the rest; `claim`: fees of claiming where the deposit pays them (Ethereum's kind), else 0.
   */
  depositNeed(role: 'fund' | 'claim', amount: bigint): Promise<bigint>
  now(): Promise<ChainNow>
  deposit(key: Uint8Array, trace: DepositTrace): Promise<DepositFacts>
  /**
   * The transactions that put the deposit's money under the terms, in the order in which they are sent (Ethereum's kind
   * may need the contract itself first); and, where it can be signed already, the refund, which pays `payTo`. Throws
   * AppError InsufficientFunds: the deposit has too little.
   */
  makeFunding(
    terms: LegTerms,
    key: Uint8Array,
    payTo: string,
    trace: DepositTrace,
  ): Promise<{ readonly funding: readonly SignedTransaction[]; readonly refund: SignedTransaction | null }>
  /**
   * Looks for the funding in blocks from `fromHeight` on, and among what waits where `hint` (a txid from the other
   * side; null = none) names it. Null: there is none that fits.
   */
  findFunding(terms: LegTerms, fromHeight: number, hint: string | null): Promise<FoundFunding | null>
  /**
   * How a funded contract ended, as seen in blocks from `fromHeight` on and among what waits; null: the money is still
   * there.
   */
  findEnd(terms: LegTerms, funding: FoundFunding, fromHeight: number): Promise<FoundEnd | null>
  /**
   * Takes the money with the secret. `urgency`: 0 = the usual fee, each step more raises it. `payTo`: address of ours.
   */
  makeClaim(
    terms: LegTerms,
    funding: FoundFunding,
    secret: string,
    key: Uint8Array,
    payTo: string,
    urgency: number,
  ): Promise<SignedTransaction>
  /** Takes the money back; valid in blocks once the lock is over. */
  makeRefund(
    terms: LegTerms,
    funding: FoundFunding,
    key: Uint8Array,
    payTo: string,
    urgency: number,
  ): Promise<SignedTransaction>
  /** Gives what is left in the deposit to `payTo`; null: nothing that is worth its fee. */
  makeSweep(key: Uint8Array, payTo: string, trace: DepositTrace): Promise<SignedTransaction | null>
  /**
   * What a transaction in a block has cost, where that is less than its fee says (Ethereum's kind); null: no block has
   * it, or it is as signed.
   */
  feePaid(txid: string): Promise<bigint | null>
  /** Confirmations of a transaction of ours: 0 = it waits, null = the chain does not know it (any more). */
  confirmations(txid: string, fromHeight: number): Promise<number | null>
  /**
   * Sends; one that is known already is fine. Rejects with AppError TransferRefused when the chain does not take it
   * (yet).
   */
  send(transaction: SignedTransaction): Promise<void>
}
