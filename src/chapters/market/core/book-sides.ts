// The open orders of a book, by pair and side, the best price first. Prices of a side with nothing in it are forgotten.

import type { Asset } from '../../wallets/core/assets.ts'
import type { OrderTerms, Side } from '../wire/types.ts'
import type { Pair } from './book.ts'
import { compareAsks, compareBids, reaches } from './priority.ts'
import { SortedBlocks } from './sorted-blocks.ts'

interface PairSides<T> {
  readonly pair: Pair
  readonly ask: SortedBlocks<T>
  readonly bid: SortedBlocks<T>
}

/** The open orders of a book, by pair and side, the best price first. Each order is in once. */
export class BookSides<T extends { readonly terms: OrderTerms }> {
  readonly #pairs = new Map<string, PairSides<T>>()
  #size = 0

  /** Orders in all. */
  get size(): number {
    return this.#size
  }

  add(order: T): void {
    const key = keyOf(order.terms)
    let sides = this.#pairs.get(key)
    if (sides === undefined) {
      sides = newSides(order.terms)
      this.#pairs.set(key, sides)
    }
    if (sides[order.terms.side].add(order)) this.#size++
  }

  remove(order: T): void {
    const key = keyOf(order.terms)
    const sides = this.#pairs.get(key)
    if (!sides?.[order.terms.side].remove(order)) return
    this.#size--
    if (sides.ask.size + sides.bid.size === 0) this.#pairs.delete(key)
  }

  pairs(): readonly Pair[] {
    return [...this.#pairs.values()].map(({ pair }) => pair)
  }

  /** One side, in order. It may change meanwhile. */
  ticks(pair: Pair, side: Side): Iterable<T> {
    return this.#pairs.get(keyOf(pair))?.[side] ?? []
  }

  /** What an order of these terms reaches by its price, in order. It may change meanwhile. */
  *crossing(terms: OrderTerms): Generator<T> {
    for (const standing of this.ticks(terms, terms.side === 'ask' ? 'bid' : 'ask')) {
      if (!reaches(terms, standing.terms)) return
      yield standing
    }
  }
}

function newSides<T extends { readonly terms: OrderTerms }>({ quantityAsset, priceAsset }: Pair): PairSides<T> {
  return {
    pair: { quantityAsset, priceAsset },
    ask: new SortedBlocks<T>((one, other) => compareAsks(one.terms, other.terms)),
    bid: new SortedBlocks<T>((one, other) => compareBids(one.terms, other.terms)),
  }
}

function keyOf({ quantityAsset, priceAsset }: Pair): string {
  return `${nameOf(quantityAsset)} ${nameOf(priceAsset)}`
}

function nameOf({ coin, chain }: Asset): string {
  return coin + chain
}
