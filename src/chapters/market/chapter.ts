// The market: orders that spread among nodes, and swaps of coins between chains.

import type { Chapter } from '../../app/chapter.ts'
import { marketRoutes } from './http/market.ts'
import { marketEventDocs } from './service/market-event-table.ts'
import { openMarket } from './wiring/open-market.ts'
import { marketTable } from './wiring/settings-market.ts'

/** Its face. */
export const chapter: Chapter = {
  id: 'market',
  settings: marketTable,
  kept: { stores: [], files: [], folders: ['market'] },
  needs: ['overlay', 'wallets'],
  events: marketEventDocs,
  routes: () => marketRoutes,
  open: openMarket,
  commands: async () => (await import('./cli/market-commands.ts')).marketCommands,
}
