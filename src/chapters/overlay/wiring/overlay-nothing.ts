// What there is to show of overlays and circuits while none run.

import type { OverlayFacts } from '../ports/overlay-facts.ts'

const noTraffic = { ownUp: 0, ownDown: 0, relayed: 0, exitedUp: 0, exitedDown: 0 } as const

/** What is known of circuits; the rest of OverlayFacts is of the overlays. */
export type CircuitsFacts = Pick<OverlayFacts, 'circuits' | 'joined' | 'places' | 'traffic' | 'candidates' | 'watch'>

/** Circuits that are not there. */
export const noCircuitFacts: CircuitsFacts = {
  circuits: () => [],
  joined: () => [],
  places: () => ({ total: 0, taken: 0 }),
  traffic: () => noTraffic,
  candidates: () => ({ relays: 0, exits: 0 }),
  watch: () => () => undefined,
}

/** Overlays that are not there. */
export const nothingRuns: OverlayFacts = {
  ...noCircuitFacts,
  running: false,
  wanAddress: () => null,
  lanAddress: () => null,
  runtimeS: () => 0,
  overlays: () => [],
}
