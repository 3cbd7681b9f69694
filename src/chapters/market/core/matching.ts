// Price-time matching: what an order can be filled with, the best price first, of one price the oldest, at the price of
// the older order of the two. Pure: every node that runs it over the same book gets the same result.

import { COIN_DECIMALS } from '../../wallets/core/assets.ts'
import { costOf } from '../wire/cost.ts'
import type { OrderTerms } from '../wire/types.ts'
import { isNewer } from './priority.ts'

/** An order with what is left of it. An OrderStatement is one. */
export interface Fillable {
  readonly terms: OrderTerms
  readonly state: { readonly remaining: bigint }
}

/** Where fills are looked for: a book. */
export interface CrossingOrders<T extends Fillable> {
  /** See Book.crossing. */
  crossing(terms: OrderTerms): Iterable<T>
}

/** The least that can be traded of each coin of a pair, in its smallest unit: less could not be paid. */
export interface LeastAmounts {
  readonly quantity: bigint
  readonly cost: bigint
}

/** What an order could trade with another one. */
export interface Fill<T extends Fillable> {
  readonly other: T
  readonly quantity: bigint
  /** That of the older order. */
  readonly price: bigint
  /** In the price coin, above 0. */
  readonly cost: bigint
}

const ANY: LeastAmounts = { quantity: 1n, cost: 1n }

/** The price at which two orders trade: that of the older one. */
export function tradePrice(one: OrderTerms, other: OrderTerms): bigint {
  return isNewer(one, other) ? other.price : one.price
}

/**
 * Fills of an order, the best first, until nothing is left of it. What is given counts as taken when the next one is
 * asked for. Orders of the same trader, and fills under the least amounts, are passed over.
 */
export function* fillsOf<T extends Fillable>(
  order: Fillable,
  book: CrossingOrders<T>,
  least: LeastAmounts = ANY,
): Generator<Fill<T>> {
  const { terms } = order
  const decimals = COIN_DECIMALS[terms.quantityAsset.coin]
  let left = order.state.remaining
  for (const other of book.crossing(terms)) {
    if (left === 0n) return
    if (other.terms.trader === terms.trader) continue
    const quantity = other.state.remaining < left ? other.state.remaining : left
    const price = tradePrice(terms, other.terms)
    const cost = costOf(quantity, price, decimals)
    if (quantity === 0n || quantity < least.quantity || cost === 0n || cost < least.cost) continue
    left -= quantity
    yield { other, quantity, price, cost }
  }
}
