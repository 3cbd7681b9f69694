// How the facts of a wallet on a chain of Ethereum's kind are stored: amounts as decimal text behind an `n`, which JSON
// does not have.

import { AppError } from '../../../base/errors.ts'
import type { EvmFacts } from './wallet-evm-ledger.ts'

const AMOUNT = /^-?\d{1,80}n$/

/** As JSON can have it. */
export function storeEvmFacts(facts: EvmFacts): unknown {
  const text = JSON.stringify(facts, (_name, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value))
  return JSON.parse(text) as unknown
}

/** The other way. AppError StateUnreadable. */
export function readEvmFacts(stored: unknown): EvmFacts {
  const { marks, lines, own } = (revived(stored) ?? {}) as Partial<Record<keyof EvmFacts, unknown>>
  if (!Array.isArray(marks) || !Array.isArray(lines) || !Array.isArray(own))
    throw new AppError('StateUnreadable', 'A wallet cannot be read.')
  return { marks, lines, own }
}

function revived(value: unknown): unknown {
  if (typeof value === 'string') return AMOUNT.test(value) ? BigInt(value.slice(0, -1)) : value
  if (Array.isArray(value)) return value.map(revived)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, revived(each)]))
}
