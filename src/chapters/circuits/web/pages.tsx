// The chapter's page in the dashboard: circuits, and what is known of their network.

import type { ChapterPages } from '../../../web/chapter-pages.ts'
import { strokesOf } from '../../../web/parts/icons.tsx'
import { circuitEventText } from './model/circuit-path.ts'
import { text } from './texts/circuits.ts'

/** The chapter's page in the dashboard: circuits, and what is known of their network. */
export const pages: ChapterPages = {
  id: 'circuits',
  name: text('circuits'),
  strokes: strokesOf('circuit'),
  switches: ['tunnel_community.enabled', 'ipv8.enabled', 'dispersy.enabled'],
  loadPage: async () => (await import('./pages/circuits-page.tsx')).CircuitsPage,
  events: {
    circuit_ready: { name: text('circuitReady'), about: circuitEventText },
    circuit_removed: { name: text('circuitGone'), about: circuitEventText },
  },
}
