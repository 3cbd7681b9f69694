// The chapter's page in the dashboard: the order book, own orders, own trades.

import './market.css'
import type { ChapterPages } from '../../../web/chapter-pages.ts'
import { tabAt } from './model/market-places.ts'
import { MarketPage } from './pages/market-page.tsx'

/** The chapter's page in the dashboard: the order book, own orders, own trades. */
export const pages: ChapterPages = {
  id: 'market',
  name: 'Market',
  strokes: 'M4 9h16l-1.5-5h-13zM5 9v11h14V9M10 20v-6h4v6',
  Page: ({ parts }) => <MarketPage tab={tabAt(parts)} />,
}
