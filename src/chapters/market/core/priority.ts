// Which order comes before which: by price, then by age. The one place that says what is older.

import type { OrderTerms } from '../wire/types.ts'

/**
 * Below 0: the first is older. By time of placing, then by trader and number, so that all nodes say the same; 0 only
 * for the same order.
 */
export function compareAge(one: OrderTerms, other: OrderTerms): number {
  if (one.timeMs !== other.timeMs) return one.timeMs - other.timeMs
  if (one.trader !== other.trader) return one.trader < other.trader ? -1 : 1
  return one.number - other.number
}

/** Whether `one` is the newer order of two: its owner proposes, at the price of the other. */
export function isNewer(one: OrderTerms, other: OrderTerms): boolean {
  return compareAge(one, other) > 0
}

/** Order of asks: the lowest price first, of one price the oldest. */
export function compareAsks(one: OrderTerms, other: OrderTerms): number {
  if (one.price !== other.price) return one.price < other.price ? -1 : 1
  return compareAge(one, other)
}

/** Order of bids: the highest price first, of one price the oldest. */
export function compareBids(one: OrderTerms, other: OrderTerms): number {
  if (one.price !== other.price) return one.price > other.price ? -1 : 1
  return compareAge(one, other)
}

/** Whether an order at this price reaches an order of the other side. */
export function reaches(terms: OrderTerms, standing: OrderTerms): boolean {
  return terms.side === 'ask' ? standing.price >= terms.price : standing.price <= terms.price
}
