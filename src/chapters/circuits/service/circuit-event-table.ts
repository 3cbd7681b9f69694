// Events of circuits (decision 0396): name -> keys of `event`.

import type { EventDocs } from '../../../services/events/event-table.ts'

/** What both say of a circuit. */
interface CircuitPayload {
  circuit_id: number
  purpose: string
  goal_hops: number
  /** Events that were not sent since the one before. */
  skipped: number
}

/** Payload types by event type. */
export interface CircuitEventPayloads {
  circuit_ready: CircuitPayload
  circuit_removed: CircuitPayload & {
    reason: string
    bytes_up: number
    bytes_down: number
    /** Seconds. */
    uptime: number
  }
}

/** What is documented of them. */
export const circuitEventDocs: EventDocs<CircuitEventPayloads> = {
  lines: {
    circuit_ready: '(extra) A circuit of this node carries data now.',
    circuit_removed: '(extra) A circuit of this node is gone, or could not be built; `reason` is for people.',
  },
  notes: [
    'Extra keys of `event`: circuit_ready: circuit_id, purpose, goal_hops, skipped; circuit_removed: these, and ' +
      'reason, bytes_up, bytes_down, uptime (seconds).',
    'Of circuits at most 30 events come in a burst and one a minute in the long run; `skipped` says how many did not come ' +
      'since the one before.',
  ],
}
