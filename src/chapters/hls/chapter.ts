// HLS: films in segments, for what plays neither the file as it is nor in a page.

import { nothingKept } from '../../node/state/kept-files.ts'
import { noEvents } from '../../services/events/event-table.ts'
import type { Chapter } from '../../app/chapter.ts'
import { hlsRoutes } from './http/hls.ts'
import { openHls } from './wiring/open-hls.ts'
import { hlsTable, mediaSettingsOf } from './wiring/settings-hls.ts'

/** Its face. */
export const chapter: Chapter = {
  id: 'hls',
  settings: hlsTable,
  kept: nothingKept,
  needs: ['media'],
  examine: async settings => (await import('./wiring/hls-doctor.ts')).checkFfmpeg(mediaSettingsOf(settings).ffmpeg),
  events: noEvents,
  routes: () => hlsRoutes,
  open: openHls,
  commands: async () => (await import('./cli/hls-commands.ts')).hlsCommands,
}
