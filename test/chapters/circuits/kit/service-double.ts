// A double of the figures of circuits: one of everything that there can be.

import { CircuitFigures } from '../../../../src/chapters/circuits/service/circuit-figures.ts'
import { FakeOverlay } from '../../overlay/kit/fake-overlay.ts'

/** What the double of all services has for circuits. */
export function serviceDouble(): { readonly circuits: CircuitFigures } {
  const circuits = new CircuitFigures({
    overlay: () => new FakeOverlay().withEverything(),
    randomSlots: () => 1,
    forbiddenBy: () => '',
    startFailure: () => '',
  })
  return { circuits }
}
