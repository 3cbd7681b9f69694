// The overlay: the IPv8 network that circuits, channels and the market live in. It has no routes or commands of its
// own.

import { noEvents } from '../../services/events/event-table.ts'
import type { Chapter } from '../../app/chapter.ts'
import { openOverlay } from './wiring/open-overlay.ts'
import { overlaySettingsOf, overlayTable } from './wiring/settings-overlay.ts'

/** Its face. */
export const chapter: Chapter = {
  id: 'overlay',
  settings: overlayTable,
  kept: { stores: [], files: ['overlay-key'], folders: [] },
  needs: [],
  events: noEvents,
  examine: async (settings, isRunning) =>
    (await import('./wiring/overlay-doctor.ts')).checkOverlay(overlaySettingsOf(settings), isRunning),
  routes: () => [],
  open: openOverlay,
  commands: () => Promise.resolve({ plain: [], groups: {}, add: () => undefined }),
}
