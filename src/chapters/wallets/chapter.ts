// Wallets: keys, balances and payments on chains of other people.

import { noEvents } from '../../services/events/event-table.ts'
import type { Chapter } from '../../app/chapter.ts'
import { walletExtraRoutes } from './http/wallet-extras.ts'
import { walletRoutes } from './http/wallets.ts'
import { openWallets } from './wiring/open-wallets.ts'
import { walletsTable } from './wiring/settings-wallets.ts'

/** Its face. */
export const chapter: Chapter = {
  id: 'wallets',
  settings: walletsTable,
  kept: { stores: [], files: [], folders: ['wallets'] },
  needs: [],
  events: noEvents,
  routes: () => [...walletRoutes, ...walletExtraRoutes],
  open: openWallets,
  commands: async () => (await import('./cli/wallet-commands.ts')).walletCommands,
}
