// How fast chains of Bitcoin's kind are for swaps, when a payment on them counts, and what their transactions cost as a
// lock comes near.

import type { ChainPace } from '../ports/swap-chain.ts'
import { feeOf } from '../../wallets/core/coin-selection.ts'
import type { UtxoCoin, UtxoNetwork } from '../../wallets/core/coins.ts'

/** The clock of time locks is the median of eleven blocks: six behind, and blocks come unevenly; twice that is rare. */
const LAG_BLOCKS = 12
const PACES = {
  sha256d: { blockS: 600, confirmations: 3 },
  scrypt: { blockS: 150, confirmations: 6 },
} as const
/** A chain whose blocks the owner makes. */
const REGTEST = { blockS: 1, confirmations: 1 } as const
/** Bitcoin Core's least step of a fee that replaces another, for 1,000 virtual bytes (BIP 125, rule 4). */
const REPLACE_RATE = 1_000n
/** Steps after which a fee is not raised any more: fifty times. */
const MAX_STEPS = 10

/** The pace of a network. */
export function utxoPace({ name, work }: UtxoNetwork): ChainPace {
  const pace = name === 'regtest' ? REGTEST : PACES[work]
  return { ...pace, clockLagS: LAG_BLOCKS * pace.blockS }
}

/** What a transaction of so many virtual bytes pays. */
export interface RaisedFee {
  readonly size: number
  /** What the chain asks for now, for 1,000 virtual bytes. */
  readonly rate: bigint
  /** 0 = the usual; each step is half as much again. */
  readonly urgency: number
  /** Of the one that waits already, and is replaced; null: none. */
  readonly waiting: bigint | null
  /** There is no more to give. */
  readonly most: bigint
}

/** The fee; what replaces another pays at least the step more that servers ask for. Never above `most`. */
export function raisedFee({ size, rate, urgency, waiting, most }: RaisedFee, coin: UtxoCoin): bigint {
  const raised = raisedRate(rate, urgency, coin)
  const fee = feeOf(size, raised)
  const least = waiting === null || waiting === fee ? fee : waiting + feeOf(size, REPLACE_RATE)
  const wanted = fee > least ? fee : least
  return wanted > most ? most : wanted
}

/** The rate of an urgency, within what the coin allows. */
export function raisedRate(rate: bigint, urgency: number, { highestRate }: UtxoCoin): bigint {
  const steps = BigInt(Math.max(0, Math.min(Math.floor(urgency), MAX_STEPS)))
  const raised = (rate * 3n ** steps) / 2n ** steps
  return raised > highestRate ? highestRate : raised
}
