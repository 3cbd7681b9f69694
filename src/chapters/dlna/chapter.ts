// Players in the local network: a media server (UPnP AV, DLNA) that shows downloads to television sets.

import type { Chapter } from '../../app/chapter.ts'
import { noEvents } from '../../services/events/event-table.ts'
import { dlnaRoutes } from './http/dlna.ts'
import { openDlna } from './wiring/open-dlna.ts'
import { dlnaTable } from './wiring/settings-dlna.ts'

/** Its face. */
export const chapter: Chapter = {
  id: 'dlna',
  settings: dlnaTable,
  kept: { stores: [], files: [], folders: ['dlna'] },
  needs: [],
  events: noEvents,
  routes: () => dlnaRoutes,
  open: openDlna,
  commands: async () => (await import('./cli/dlna-commands.ts')).dlnaCommands,
}
