// The chapter's page in the dashboard: circuits, and what is known of their network.

import './circuits.css'
import type { ChapterPages } from '../../../web/chapter-pages.ts'
import { strokesOf } from '../../../web/parts/icons.tsx'
import { circuitEventText } from './model/circuit-path.ts'
import { CircuitsPage } from './pages/circuits-page.tsx'

/** The chapter's page in the dashboard: circuits, and what is known of their network. */
export const pages: ChapterPages = {
  id: 'circuits',
  name: 'Circuits',
  strokes: strokesOf('circuit'),
  Page: CircuitsPage,
  events: {
    circuit_ready: { name: 'Circuit ready', about: circuitEventText },
    circuit_removed: { name: 'Circuit gone', about: circuitEventText },
  },
}
