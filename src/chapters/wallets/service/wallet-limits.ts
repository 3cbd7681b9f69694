// Limits of what may leave a wallet, as the settings have them: `BTC=0.5`.

import { AppError } from '../../../base/errors.ts'
import { parseAmount } from '../core/amounts.ts'
import type { Coin } from '../core/coins.ts'

/**
 * The lowest limit of a coin in the smallest unit; null: there is none. AppError InvalidSetting: one of its limits
 * cannot be read.
 */
export function limitOf(limits: readonly string[], { id, decimals }: Coin): bigint | null {
  let lowest: bigint | null = null
  for (const limit of limits) {
    const [name = '', amount = ''] = limit.split('=')
    if (name.toUpperCase() !== id) continue
    const units = unitsOf(amount, decimals, limit)
    if (lowest === null || units < lowest) lowest = units
  }
  return lowest
}

function unitsOf(amount: string, decimals: number, limit: string): bigint {
  if (/^0+(\.0*)?$/.test(amount)) return 0n
  try {
    return parseAmount(amount, decimals)
  } catch {
    // Rather nothing leaves than too much.
    throw new AppError('InvalidSetting', `The limit ${limit} of the wallets cannot be read.`)
  }
}
