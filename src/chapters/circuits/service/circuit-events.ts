// What happens to circuits, as events: few. A network that lets every circuit die must not fill the log, in which the
// events of downloads stand too: beyond the allowance they are only counted, and the next one that is emitted says how
// many were not.

import { Allowance } from '../../../base/allowance.ts'
import type { Log } from '../../../ports/log.ts'
import type { CircuitEvent, OverlayFacts, OwnCircuitFacts } from '../../overlay/ports/overlay-facts.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { EventSink } from '../../../services/events/event-table.ts'
import type { CircuitEventPayloads } from './circuit-event-table.ts'

/**
 * Events in a burst, and how long each takes to come back: at most 1,460 a day in the long run, of the 100,000 the log
 * keeps.
 */
const BURST = 30
const REFILL_MS = 60_000

/** What it uses. */
export interface CircuitEventsDeps {
  readonly clock: Pick<Clock, 'now' | 'wallMs'>
  readonly events: EventSink<CircuitEventPayloads>
  /** Has every one of them, at level debug. */
  readonly log: Log
}

/** Tells of circuits as events of the node until the function it answers is called. */
export function tellCircuitEvents(
  overlay: Pick<OverlayFacts, 'watch'>,
  { clock, events, log }: CircuitEventsDeps,
): () => void {
  const allowance = new Allowance(BURST, REFILL_MS)
  let skipped = 0
  return overlay.watch(event => {
    const reason = event.kind === 'removed' ? event.reason : event.circuit.reason
    log.debug(`circuit ${event.kind}`, { ...factsOf(event.circuit), ...(reason === null ? {} : { reason }) })
    if (!allowance.take(clock.now())) {
      skipped += 1
      return
    }
    if (event.kind === 'ready') events.emit('circuit_ready', { ...factsOf(event.circuit), skipped })
    else events.emit('circuit_removed', removal(event, clock.wallMs(), skipped))
    skipped = 0
  })
}

function factsOf({ id, purpose, goalHops }: OwnCircuitFacts): {
  circuit_id: number
  purpose: string
  goal_hops: number
} {
  return { circuit_id: id, purpose, goal_hops: goalHops }
}

function removal(
  { circuit, reason }: Extract<CircuitEvent, { kind: 'removed' }>,
  nowMs: number,
  skipped: number,
): CircuitEventPayloads['circuit_removed'] {
  return {
    ...factsOf(circuit),
    reason,
    bytes_up: circuit.bytesUp,
    bytes_down: circuit.bytesDown,
    uptime: Math.max(0, Math.round((nowMs - circuit.createdAtMs) / 1000)),
    skipped,
  }
}
