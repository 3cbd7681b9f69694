// HLS: films in segments, for what plays neither the file as it is nor in a page.

import { nothingKept } from '../../node/state/kept-files.ts'
import { noEvents } from '../../services/events/event-table.ts'
import type { Chapter } from '../../app/chapter.ts'
import { hlsRoutes } from './http/hls.ts'
import { openHls } from './wiring/open-hls.ts'

/** Its face. */
export const chapter: Chapter = {
  id: 'hls',
  settings: { sections: {}, rights: {} },
  kept: nothingKept,
  needs: ['media'],
  events: noEvents,
  routes: () => hlsRoutes,
  open: openHls,
  commands: async () => (await import('./cli/hls-commands.ts')).hlsCommands,
}
