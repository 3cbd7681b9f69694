// Which coins pay for a transfer, what it costs, and what comes back as change. Pure: sums are whole, rates are of the
// smallest unit for 1,000 virtual bytes. Sizes of BIP 141; a spend of our own kind of script (P2WPKH) is counted with
// its longest signature.

import { AppError } from '../../../base/errors.ts'

/** What can be spent. */
export interface SpendableCoin {
  readonly txid: string
  readonly index: number
  readonly value: bigint
  readonly script: string
}

/** What pays. `change` 0 = none comes back. */
export interface CoinChoice<C extends SpendableCoin = SpendableCoin> {
  readonly coins: readonly C[]
  readonly fee: bigint
  readonly change: bigint
}

/** What a choice is made for. */
export interface CoinTarget {
  /** Bytes of the scripts that are paid. */
  readonly scriptBytes: readonly number[]
  readonly amount: bigint
  readonly rate: bigint
  /** The least that change may have. */
  readonly dust: bigint
}

const WEIGHT_OF_VBYTE = 4
/**
 * Version, lock time, segwit marker and flag, counts of up to 252 inputs and outputs each, and room for longer counts.
 */
const OVERHEAD_WEIGHT = (4 + 4 + 1 + 1) * WEIGHT_OF_VBYTE + 2
const LONG_COUNT_WEIGHT = 2 * WEIGHT_OF_VBYTE
const INPUT_WEIGHT = 41 * WEIGHT_OF_VBYTE + 1 + 1 + 72 + 1 + 33
const OUTPUT_WEIGHT = 9 * WEIGHT_OF_VBYTE
/** Bytes of a P2WPKH script: our change. */
export const OWN_SCRIPT_BYTES = 22
/** Larger transactions are not relayed: 400,000 units of weight. */
const MAX_INPUTS = 1_400
/** Steps of the search for coins that fit without change. */
const MAX_STEPS = 20_000

/** Virtual bytes of a transaction with so many inputs of our kind and these scripts paid. */
export function sizeOf(inputs: number, scriptBytes: readonly number[]): number {
  const outputs = scriptBytes.reduce((sum, bytes) => sum + OUTPUT_WEIGHT + bytes * WEIGHT_OF_VBYTE, 0)
  const counts = inputs > 252 ? LONG_COUNT_WEIGHT : 0
  return Math.ceil((OVERHEAD_WEIGHT + counts + inputs * INPUT_WEIGHT + outputs) / WEIGHT_OF_VBYTE)
}

/** What so many virtual bytes cost, rounded up. */
export function feeOf(vbytes: number, rate: bigint): bigint {
  return (BigInt(vbytes) * rate + 999n) / 1000n
}

/**
 * Chooses coins. First a set that needs no change is looked for; else the largest first, so that few pay. AppError
 * InsufficientFunds says what is there.
 */
export function chooseCoins<C extends SpendableCoin>(coins: readonly C[], target: CoinTarget): CoinChoice<C> {
  const sorted = [...coins].sort((a, b) => (a.value === b.value ? order(a, b) : a.value > b.value ? -1 : 1))
  return withoutChange(sorted, target) ?? largestFirst(sorted, target)
}

function order(a: SpendableCoin, b: SpendableCoin): number {
  const [left, right] = [`${a.txid}:${a.index}`, `${b.txid}:${b.index}`]
  return left < right ? -1 : left > right ? 1 : 0
}

function largestFirst<C extends SpendableCoin>(sorted: readonly C[], target: CoinTarget): CoinChoice<C> {
  const chosen: C[] = []
  let sum = 0n
  for (const coin of sorted.slice(0, MAX_INPUTS)) {
    chosen.push(coin)
    sum += coin.value
    const found = settle(chosen, sum, target)
    if (found !== null) return found
  }
  if (sorted.length > MAX_INPUTS) {
    throw new AppError(
      'InsufficientFunds',
      `The amount lies in more than ${MAX_INPUTS} small payments: transfer less at a time.`,
    )
  }
  throw new AppError('InsufficientFunds')
}

/** The choice of exactly these coins; null: they are not enough. What would be change, and is dust, goes to the fee. */
export function settle<C extends SpendableCoin>(
  coins: readonly C[],
  sum: bigint,
  target: CoinTarget,
): CoinChoice<C> | null {
  const { amount, rate, dust, scriptBytes } = target
  const feeWithout = feeOf(sizeOf(coins.length, scriptBytes), rate)
  if (sum < amount + feeWithout) return null
  const feeWith = feeOf(sizeOf(coins.length, [...scriptBytes, OWN_SCRIPT_BYTES]), rate)
  const change = sum - amount - feeWith
  if (change >= dust) return { coins: [...coins], fee: feeWith, change }
  return { coins: [...coins], fee: sum - amount, change: 0n }
}

/** Branch and bound over sorted coins: a sum that is above what is needed by less than change would cost. */
function withoutChange<C extends SpendableCoin>(sorted: readonly C[], target: CoinTarget): CoinChoice<C> | null {
  const { amount, rate, scriptBytes } = target
  const spend = feeOf(sizeOf(1, []), rate) - feeOf(sizeOf(0, []), rate)
  const useful = sorted.filter(({ value }) => value > spend)
  const left = useful.map(({ value }) => value)
  for (let at = left.length - 2; at >= 0; at -= 1) left[at] = (left[at] ?? 0n) + (left[at + 1] ?? 0n)
  // Change costs its own output now and an input later; below that nothing is lost.
  const tolerance = feeOf(sizeOf(1, [OWN_SCRIPT_BYTES]), rate) - feeOf(sizeOf(0, []), rate)
  const taken: C[] = []
  let steps = 0
  const search = (at: number, sum: bigint): boolean => {
    steps += 1
    const needed = amount + feeOf(sizeOf(taken.length, scriptBytes), rate)
    if (taken.length > 0 && sum >= needed) return sum - needed <= tolerance
    if (steps > MAX_STEPS || at >= useful.length || taken.length >= 100 || sum + (left[at] ?? 0n) < needed) return false
    const coin = useful[at]
    if (coin === undefined) return false
    taken.push(coin)
    if (search(at + 1, sum + coin.value)) return true
    taken.pop()
    return search(at + 1, sum)
  }
  // Deeper than this the stack is at risk, and the search hopeless.
  if (useful.length > 2_000 || !search(0, 0n)) return null
  const sum = taken.reduce((total, { value }) => total + value, 0n)
  return { coins: taken, fee: sum - amount, change: 0n }
}
