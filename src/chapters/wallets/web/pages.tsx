// The chapter's pages in the dashboard: all wallets, and the page of one.

import type { ChapterPages } from '../../../web/chapter-pages.ts'
import { text } from './texts/wallets.ts'

/** The chapter's pages in the dashboard: all wallets, and the page of one. */
export const pages: ChapterPages = {
  id: 'wallets',
  name: text('wallets'),
  strokes: 'M4 7h14a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2zM4 7l11-3v3M16 13.5h.01',
  loadPage: async () => (await import('./pages/wallet-place.tsx')).WalletPlace,
}
