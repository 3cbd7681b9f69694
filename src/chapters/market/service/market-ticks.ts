// The order book in groups of the interface: one for each pair of coins, without empty ones. A coin may have several
// chains (of tests). Where we have a wallet of a coin, only orders on the wallet's chain are listed: we could not trade
// the others.

import type { Book } from '../core/book.ts'
import type { Asset, CoinId } from '../../wallets/core/assets.ts'
import type { OrderStatement, Side } from '../wire/types.ts'
import type { TickGroup } from './market-api.ts'
import { tickRecord } from './market-records.ts'

/** Ticks in an answer at most: what a book may hold is more than anybody reads, and the best prices come first. */
const MAX_TICKS_OF_GROUP = 10_000

/**
 * The groups of a side, by the names of their coins. `ours`: the chain of our wallet of a coin; null: none is created.
 */
export function tickGroups(
  book: Pick<Book, 'pairs' | 'ticks'>,
  side: Side,
  ours: (coin: CoinId) => Asset | null,
): TickGroup[] {
  const isOurs = (asset: Asset): boolean => (ours(asset.coin)?.chain ?? asset.chain) === asset.chain
  const found = new Map<string, OrderStatement[][]>()
  for (const pair of book.pairs()) {
    if (!isOurs(pair.quantityAsset) || !isOurs(pair.priceAsset)) continue
    const ticks = take(book.ticks(pair, side))
    if (ticks.length === 0) continue
    const name = `${pair.quantityAsset.coin}/${pair.priceAsset.coin}`
    found.set(name, [...(found.get(name) ?? []), ticks])
  }
  return [...found].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, lists]) => group(name, lists, side))
}

function take(ticks: Iterable<OrderStatement>): OrderStatement[] {
  const taken: OrderStatement[] = []
  for (const tick of ticks) {
    if (tick.state.remaining === 0n) continue
    taken.push(tick)
    if (taken.length === MAX_TICKS_OF_GROUP) break
  }
  return taken
}

/** Lists of several chains are put into one order. */
function group(name: string, lists: readonly OrderStatement[][], side: Side): TickGroup {
  const [quantity_type = '', price_type = ''] = name.split('/')
  const all = lists.length === 1 ? (lists[0] ?? []) : lists.flat().toSorted((a, b) => compare(a, b, side))
  return { price_type, quantity_type, ticks: all.map(tickRecord) }
}

function compare(a: OrderStatement, b: OrderStatement, side: Side): number {
  const [low, high] = side === 'ask' ? [a, b] : [b, a]
  if (low.terms.price !== high.terms.price) return low.terms.price < high.terms.price ? -1 : 1
  return a.terms.timeMs - b.terms.timeMs
}
