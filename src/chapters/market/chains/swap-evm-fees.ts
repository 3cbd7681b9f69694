// What the transactions of a swap cost on a chain of Ethereum's kind: fixed bounds of gas, fees that rise with urgency,
// and what a replacement must pay more than what waits with the same number.

import { AppError } from '../../../base/errors.ts'
import { type EvmFees, HIGHEST_FEE } from '../../wallets/service/wallet-evm-chain.ts'

/**
 * Bounds of gas, each at least a third above what is used (test/chapters/market/interop/swap-ether.test.ts measures
 * it).
 */
export const SWAP_GAS = {
  /** Puts money into the contract. */
  fund: 200_000n,
  /** Makes the contract too. */
  make: 600_000n,
  claim: 120_000n,
  refund: 120_000n,
} as const

/** How often the deposit can pay a claim or a refund at today's fee: as far as it can be raised. */
export const RAISE = 4n
/** More steps raise nothing. */
const MAX_URGENCY = 24
/** Deposit and number pairs that are remembered. */
const MAX_WAITING = 1_024

/** Fees `urgency` steps above the usual ones, a quarter each, within reason. */
export function raisedFees({ maxFee, tip }: EvmFees, urgency: number): EvmFees {
  let [fee, part] = [maxFee, tip]
  for (let step = 0; step < Math.min(urgency, MAX_URGENCY) && fee < HIGHEST_FEE; step++) {
    fee += fee / 4n + 1n
    part = part === null ? null : part + part / 4n + 1n
  }
  return within({ maxFee: fee, tip: part }, HIGHEST_FEE)
}

/** Both no more than `most`. */
function within({ maxFee, tip }: EvmFees, most: bigint): EvmFees {
  const fee = maxFee < most ? maxFee : most
  return { maxFee: fee, tip: tip === null || tip < fee ? tip : fee }
}

interface Waiting extends EvmFees {
  /** -1: made before this process began. */
  readonly urgency: number
  /** It brings home the money that is in a contract. */
  readonly takes: boolean
}

/** A transaction as its fee is asked for. */
export interface FeeLimits {
  /** What is usual now. */
  readonly usual: EvmFees
  readonly urgency: number
  /** It takes the place of what waits, whatever that is. */
  readonly replaces: boolean
  /** What the deposit can pay for one gas. */
  readonly most: bigint
  /** What a block asks for. */
  readonly least: bigint
}

/**
 * What this process made or sent with a number of a deposit. Servers take a replacement only when it pays a tenth more,
 * and not all of them can be asked what waits. Nothing depends on it: after a restart it is learned again from what is
 * sent again, and at worst a replacement is refused once.
 */
export class WaitingFees {
  readonly #waiting = new Map<string, Waiting>()

  note(deposit: string, nonce: number, waiting: Waiting): void {
    const name = `${deposit}/${nonce}`
    const known = this.#waiting.get(name)
    if (known !== undefined && known.maxFee >= waiting.maxFee) return
    this.#waiting.delete(name)
    this.#waiting.set(name, waiting)
    const [oldest] = this.#waiting.keys()
    if (this.#waiting.size > MAX_WAITING && oldest !== undefined) this.#waiting.delete(oldest)
  }

  /** Whether it is a claim or a refund. */
  takes(deposit: string, nonce: number): boolean {
    return this.#waiting.get(`${deposit}/${nonce}`)?.takes ?? false
  }

  /**
   * Fees of a transaction with this number: those of its urgency; above what waits by an eighth if it is more urgent or
   * replaces that, and else the same. AppError InsufficientFunds: `most` is not enough.
   */
  feesFor(deposit: string, nonce: number, { usual, urgency, replaces, most, least }: FeeLimits): EvmFees {
    const fees = raisedFees(usual, urgency)
    const waiting = this.#waiting.get(`${deposit}/${nonce}`) ?? (replaces ? { ...usual, urgency } : undefined)
    const dearer = waiting !== undefined && (replaces || urgency > waiting.urgency)
    const floor = dearer ? above(waiting) : waiting
    const wanted = floor === undefined ? fees : atLeast(fees, floor)
    const needed = dearer && floor !== undefined && floor.maxFee > least ? floor.maxFee : least
    if (most < needed) throw new AppError('InsufficientFunds', 'The deposit of this swap cannot pay the fee of this.')
    return within(wanted, most)
  }
}

function above({ maxFee, tip }: EvmFees): EvmFees {
  const higher = (fee: bigint): bigint => (fee * 9n) / 8n + 1n
  return { maxFee: higher(maxFee), tip: tip === null ? null : higher(tip) }
}

function atLeast({ maxFee, tip }: EvmFees, floor: EvmFees): EvmFees {
  const fee = maxFee > floor.maxFee ? maxFee : floor.maxFee
  if (tip === null) return { maxFee: fee, tip }
  return { maxFee: fee, tip: floor.tip !== null && floor.tip > tip ? floor.tip : tip }
}
