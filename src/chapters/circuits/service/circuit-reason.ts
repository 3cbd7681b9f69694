// Why no circuit is ready, for people: the first thing on the way to one that is missing. Pure.

import type { OverlayFacts } from '../../overlay/ports/overlay-facts.ts'

/** The first peers are usually found within so many seconds. */
const FINDING_S = 60

/** Why the overlays may not be there; empty texts: no reason of that kind. */
export interface OverlayTrouble {
  /** The setting that is why. */
  readonly forbiddenBy: string
  /** How their start failed; it is tried again. */
  readonly startFailure: string
}

/** A sentence or two; empty when a circuit carries data. `overlay` null: nothing runs. */
export function circuitReason(overlay: OverlayFacts | null, { forbiddenBy, startFailure }: OverlayTrouble): string {
  if (forbiddenBy !== '')
    return `Circuits are off by the setting ${forbiddenBy}: anonymous downloads wait, or are refused. Switch it on in the settings, and restart the node.`
  if (overlay === null)
    return startFailure === '' ? 'The overlays do not run: nothing has asked for circuits yet.' : startFailure
  const circuits = overlay.circuits().filter(({ purpose }) => purpose === 'data')
  if (circuits.some(({ state }) => state === 'READY')) return ''
  const { relays, exits } = overlay.candidates()
  if (relays === 0) return nobody(overlay.runtimeS())
  if (exits === 0)
    return `${known(relays)}, none of them lets traffic out: anonymous seeders can be reached, nobody else.`
  const building = circuits.filter(({ state }) => state === 'EXTENDING')
  if (building.length === 0)
    return `${known(relays)}, ${exits} of them let traffic out. No download asks for circuits now.`
  const trouble = building.find(({ reason }) => reason !== null)?.reason ?? ''
  return `${building.length === 1 ? 'A circuit is' : `${building.length} circuits are`} being built. ${trouble}`.trim()
}

function nobody(runtimeS: number): string {
  return runtimeS < FINDING_S
    ? 'Looking for peers of the network: none has answered yet.'
    : 'No peer of the network answers: see settings section ipv8, and whether UDP gets through.'
}

function known(relays: number): string {
  return relays === 1 ? 'One relay is known' : `${relays} relays are known`
}
