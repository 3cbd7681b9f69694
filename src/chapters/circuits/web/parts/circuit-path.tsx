// A circuit drawn as a path: stations in their order, which is also how it is read aloud.

import type { OwnCircuit } from '../../client/routes.ts'
import { pathOf, type Station } from '../model/circuit-path.ts'
import { text } from '../texts/circuits.ts'

function StationMark({ role, where, kind }: Station) {
  return (
    <li class={`station ${kind}`}>
      <span class="station-mark" aria-hidden="true" />
      <span class="station-text">
        <span class="station-role">{role}</span>
        {where !== '' && <span class={kind === 'waiting' ? 'station-where' : 'station-where mono'}>{where}</span>}
      </span>
    </li>
  )
}

/** The path of one circuit. */
export function CircuitPath({ circuit }: { circuit: OwnCircuit }) {
  return (
    <ol class="path" aria-label={text('path')}>
      {pathOf(circuit).map((station, at) => (
        <StationMark key={at} {...station} />
      ))}
    </ol>
  )
}
