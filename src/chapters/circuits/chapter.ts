// Circuits: onion routes through other nodes, and downloads that go through them alone.

import { nothingKept } from '../../node/state/kept-files.ts'
import type { Chapter } from '../../app/chapter.ts'
import { circuitRoutes } from './http/circuits.ts'
import { circuitEventDocs } from './service/circuit-event-table.ts'
import { openCircuits } from './wiring/open-circuits.ts'

/** Its face. */
export const chapter: Chapter = {
  id: 'circuits',
  settings: { sections: {}, rights: {} },
  kept: nothingKept,
  needs: ['overlay'],
  events: circuitEventDocs,
  routes: () => circuitRoutes,
  open: openCircuits,
  commands: async () => (await import('./cli/circuit-commands.ts')).circuitCommands,
}
