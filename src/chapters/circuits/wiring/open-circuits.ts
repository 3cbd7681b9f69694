// What a node tells of its circuits.

import type { Kernel, OpenedChapter, RunningCore } from '../../../node/kernel.ts'
import { overlayParts } from '../../overlay/wiring/open-overlay.ts'
import { overlayRider } from '../../overlay/wiring/overlay-rider.ts'
import { switchedOff } from '../../overlay/wiring/overlay-switch.ts'
import { overlaySettingsOf } from '../../overlay/wiring/settings-overlay.ts'
import type { CircuitEventPayloads } from '../service/circuit-event-table.ts'
import { tellCircuitEvents } from '../service/circuit-events.ts'
import { circuitFamilies } from '../service/circuit-metrics.ts'
import { CircuitFigures } from '../service/circuit-figures.ts'
import type { CircuitsSource } from '../anonymous/anonymous-engines.ts'
import type { CircuitRouteServices } from '../service/circuits-api.ts'
import { LateCircuits } from './late-circuits.ts'

/** Opens the chapter. */
export function openCircuits({ settings, shared, clock, random, policy, events, log }: Kernel): OpenedChapter {
  let running: RunningCore | null = null
  let late: LateCircuits | null = null
  shared.offer(overlayRider, async () => {
    const { makeCircuits } = await import('./circuit-parts.ts')
    return deps => {
      late = new LateCircuits(() => {
        const made = makeCircuits(deps)
        deps.opened()
        return made
      })
      return late
    }
  })
  const seen = () => overlaySettingsOf(settings.values)
  const services: CircuitRouteServices = {
    circuits: new CircuitFigures({
      overlay: () => shared.find(overlayParts)?.facts ?? null,
      randomSlots: () => seen().tunnel_community.random_slots,
      forbiddenBy: () => switchedOff(seen()),
      startFailure: () => lastFailure(running),
    }),
  }
  const source: CircuitsSource = {
    check: () => shared.take(overlayParts).check(),
    async open() {
      await shared.take(overlayParts).open()
      if (late === null) throw new Error('the overlays run without circuits')
      return late.circuits
    },
  }
  return {
    services,
    metrics: () => {
      const facts = shared.find(overlayParts)?.facts
      return facts?.running === true ? circuitFamilies(facts) : []
    },
    storeOpened() {
      const deps = { clock, events: events.of<CircuitEventPayloads>(), log: log.part('circuits') }
      const ended = tellCircuitEvents(shared.take(overlayParts).facts, deps)
      return () => Promise.resolve(ended())
    },
    async anonymous() {
      const { NodeAnonymousEngines } = await import('../anonymous/anonymous-engines.ts')
      return ({ options, ...parts }) =>
        new NodeAnonymousEngines({
          clock,
          log,
          circuits: source,
          options: () => ({ ...options(), dht: seen().tunnel_community.dht }),
          parts: { ...parts, random, policy },
          loadResume: infoHash => parts.journal.loadResume(infoHash),
        })
    },
    start: core => {
      running = core
      return Promise.resolve()
    },
    stop: () => Promise.resolve(),
  }
}

/** How circuits that are wanted failed at last, of any number of hops; '' = they did not. */
function lastFailure(running: RunningCore | null): string {
  const failures = [1, 2, 3].map(hops => running?.engine.anonymous.facts(hops).lastFailure ?? '')
  return failures.find(failure => failure !== '') ?? ''
}
