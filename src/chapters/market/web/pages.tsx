// The chapter's page in the dashboard: the order book, own orders, own trades.

import type { ChapterPages } from '../../../web/chapter-pages.ts'
import { tabAt } from './model/market-places.ts'
import { text } from './texts/market.ts'

/** The chapter's page in the dashboard: the order book, own orders, own trades. */
export const pages: ChapterPages = {
  id: 'market',
  name: text('market'),
  strokes: 'M4 9h16l-1.5-5h-13zM5 9v11h14V9M10 20v-6h4v6',
  switches: ['market_community.enabled'],
  loadPage: async () => {
    const { MarketPage } = await import('./pages/market-page.tsx')
    return ({ parts }) => <MarketPage tab={tabAt(parts)} />
  },
}
