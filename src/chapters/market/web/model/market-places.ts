// Places in the pages of the market, as parts of their addresses and back. Pure.

import { type ChapterPlace, chapterPlace } from '../../../../web/model/place.ts'
import { text } from '../texts/market.ts'

/** Parts of the market. */
export type MarketTab = 'book' | 'orders' | 'trades'

/** Every part with its heading. */
export const marketTabs: readonly (readonly [MarketTab, string])[] = [
  ['book', text('book')],
  ['orders', text('yourOrders')],
  ['trades', text('yourTrades')],
]

/** A part of the market. */
export function marketPlace(tab: MarketTab): ChapterPlace {
  return tab === 'book' ? chapterPlace('market') : chapterPlace('market', tab)
}

/** The part that a place shows; the book where it names none. */
export function tabAt([name = '']: readonly string[]): MarketTab {
  return marketTabs.find(([tab]) => tab === name)?.[0] ?? 'book'
}
