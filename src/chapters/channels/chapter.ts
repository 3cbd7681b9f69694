// Channels: torrents that people publish and follow, their catalogue, feeds into them and searches.

import { CATALOGUE_FILE_NAME } from './catalogue/file-name.ts'
import type { Chapter } from '../../app/chapter.ts'
import { channelsRoutes } from './http/all-routes.ts'
import { channelEventDocs } from './service/channel-event-table.ts'
import { openChannels } from './wiring/open-channels.ts'
import { channelTable } from './wiring/settings-channels.ts'

/** Its face. */
export const chapter: Chapter = {
  id: 'channels',
  settings: channelTable,
  kept: { stores: [CATALOGUE_FILE_NAME], files: [], folders: [] },
  needs: ['overlay'],
  events: channelEventDocs,
  routes: () => channelsRoutes,
  open: openChannels,
  commands: async () => (await import('./cli/channel-commands.ts')).channelCommands,
}
