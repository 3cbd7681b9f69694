// Transfers that this node signed: for repeated requests with the same idempotency key, and for what may be spent in a
// day.

import { AppError } from '../../../base/errors.ts'

/** Keys of payments of the market begin so; no others do. */
export const MARKET_KEY = 'market:'

/** One transfer. */
export interface SentTransfer {
  readonly txid: string
  /** Unix time, milliseconds. */
  readonly time: number
  readonly destination: string
  readonly amount: bigint
  readonly fee: bigint
  /** What left the wallet with it and not already with the one that it replaces. */
  readonly counted: bigint
  /** '' = none. */
  readonly key: string
}

/** As it is stored. */
export type StoredSent = Record<keyof SentTransfer, string>

/** Remembered at least: a day of very many. */
const MAX_SENT = 20_000
const DAY_MS = 24 * 60 * 60 * 1000
const DECIMAL = /^\d{1,40}$/

/**
 * Transfers that this node signed: for repeated requests with the same idempotency key, and for what may be spent in a
 * day.
 */
export class SentTransfers {
  readonly #list: SentTransfer[] = []

  /** `stored`: what stored() gave. Lines that cannot be read are left out. */
  constructor(stored: unknown) {
    if (!Array.isArray(stored)) return
    for (const value of stored as unknown[]) {
      const found = readSent(value)
      if (found !== null) this.#list.push(found)
    }
  }

  add(transfer: SentTransfer): void {
    this.#list.push(transfer)
    const oldest = this.#list[0]
    if (this.#list.length > MAX_SENT && oldest !== undefined && transfer.time - oldest.time > DAY_MS) this.#list.shift()
  }

  /** It was not sent after all. */
  remove(txid: string): void {
    const at = this.#list.findIndex(each => each.txid === txid)
    if (at >= 0) this.#list.splice(at, 1)
  }

  /** What left since then, fees too. */
  since(time: number): bigint {
    return this.#list.reduce((sum, each) => (each.time >= time ? sum + each.counted : sum), 0n)
  }

  /** The transfer that was made with this key; null: none, or no key. AppError StateConflict: it was another one. */
  repeated(key: string, amount: bigint, destination: string): SentTransfer | null {
    const found = key === '' ? undefined : this.#list.find(each => each.key === key)
    if (found === undefined) return null
    if (found.amount === amount && found.destination.toLowerCase() === destination.toLowerCase()) return found
    throw new AppError('StateConflict', 'This idempotency key was used for another transfer.')
  }

  /** Whether the market made it. */
  isOfMarket(txid: string): boolean {
    return this.#list.some(each => each.txid === txid && each.key.startsWith(MARKET_KEY))
  }

  stored(): StoredSent[] {
    return this.#list.map(({ txid, time, destination, amount, fee, counted, key }) => {
      return { txid, time: `${time}`, destination, amount: `${amount}`, fee: `${fee}`, counted: `${counted}`, key }
    })
  }
}

function readSent(value: unknown): SentTransfer | null {
  const { txid, time, destination, amount, fee, counted, key } = (value ?? {}) as Partial<Record<string, unknown>>
  const numbers = [time, amount, fee, counted]
  if (typeof txid !== 'string' || typeof destination !== 'string' || typeof key !== 'string') return null
  if (!numbers.every(each => typeof each === 'string' && DECIMAL.test(each))) return null
  const [at = 0n, sum = 0n, cost = 0n, left = 0n] = numbers.map(each => BigInt(each as string))
  return { txid, time: Number(at), destination, amount: sum, fee: cost, counted: left, key }
}
