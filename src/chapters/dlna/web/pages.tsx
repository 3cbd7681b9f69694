// The chapter's page in the dashboard: players in the local network.

import type { ChapterPages } from '../../../web/chapter-pages.ts'
import { text } from './texts/players.ts'

/** The chapter's page in the dashboard: players in the local network. */
export const pages: ChapterPages = {
  id: 'dlna',
  name: text('players'),
  strokes: 'M4 5h16v11H4zM8 20h8M10 8.5l5 2-5 2z',
  chosenBy: 'dlna.enabled',
  loadPage: async () => (await import('./pages/dlna-page.tsx')).DlnaPage,
}
