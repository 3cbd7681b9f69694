// What circuits report, for statistics, debug routes, events and metrics.

import type { CircuitEvent, OverlayFacts } from '../../overlay/ports/overlay-facts.ts'
import type { Tunnels } from './tunnels.ts'

/** The part of OverlayFacts that is of circuits. */
export type CircuitFigures = Pick<OverlayFacts, 'circuits' | 'joined' | 'places' | 'traffic' | 'candidates' | 'watch'>

/** Reads them off the tunnels. */
export function circuitFigures(tunnels: Tunnels): CircuitFigures {
  const { own, joined, candidates } = tunnels
  return {
    circuits: () => [...own.all()].map(circuit => own.facts(circuit)),
    joined: () => joined.facts(),
    places: () => joined.places,
    traffic: () => tunnels.traffic,
    candidates: () => {
      const { relays, exits } = candidates.counts
      return { relays, exits }
    },
    watch: (happened: (event: CircuitEvent) => void) =>
      own.watch({
        ready: circuit => happened({ kind: 'ready', circuit: own.facts(circuit) }),
        removed: (circuit, reason) => happened({ kind: 'removed', circuit: own.facts(circuit), reason }),
      }),
  }
}
