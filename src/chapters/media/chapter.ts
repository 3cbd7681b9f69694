// Media: what films and sound in downloads are, and where in them one may begin to play.

import { noEvents } from '../../services/events/event-table.ts'
import type { Chapter } from '../../app/chapter.ts'
import { mediaRoutes } from './http/media.ts'
import { openMedia } from './wiring/open-media.ts'

/** Its face. */
export const chapter: Chapter = {
  id: 'media',
  settings: { sections: {}, rights: {} },
  kept: { stores: [], files: [], folders: ['media'] },
  needs: [],
  events: noEvents,
  routes: () => mediaRoutes,
  open: openMedia,
  commands: async () => (await import('./cli/media-commands.ts')).mediaCommands,
}
