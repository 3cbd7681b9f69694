// What the overlays and circuits report, for statistics, debug routes, events and metrics. Types only.

import type { OverlayNetwork } from '../../../ports/overlay-network.ts'

/** Bytes of cells, by whose traffic they were. */
export interface CircuitTraffic {
  /** Of our own circuits. */
  readonly ownUp: number
  readonly ownDown: number
  /** Cells passed on for others, each counted once. */
  readonly relayed: number
  /** Payload that left and came back at our exit sockets for others. */
  readonly exitedUp: number
  readonly exitedDown: number
}

/** Where a hop is; null: not known (it was chosen by the hop before it). */
export interface HopFacts {
  /** `ip:port`; null = unknown. */
  readonly host: string | null
  /** SHA-1 of the public key, 40 lower-case hex digits. */
  readonly member: string
}

/** States of a circuit (spec decisions part 5). */
export type CircuitState = 'EXTENDING' | 'READY' | 'CLOSING'

/** What a circuit is for. */
export type CircuitPurpose = 'data' | 'introduction-seeder' | 'rendezvous-seeder' | 'rendezvous-downloader'

/** One circuit of our own. */
export interface OwnCircuitFacts {
  /** 32 bits, unsigned. */
  readonly id: number
  readonly state: CircuitState
  readonly purpose: CircuitPurpose
  readonly goalHops: number
  readonly hops: readonly HopFacts[]
  readonly bytesUp: number
  readonly bytesDown: number
  /** Bytes a second, lately. */
  readonly rateUp: number
  readonly rateDown: number
  /** Of its pings; null: none answered yet. */
  readonly rttMs: number | null
  /** Part of the pings that were not answered, 0 to 1. */
  readonly loss: number
  /** Since 1970. */
  readonly createdAtMs: number
  /** Why it is not ready, or closing; null: nothing is wrong. For people. */
  readonly reason: string | null
}

/** A circuit of others that runs through this node. */
export interface JoinedCircuitFacts {
  readonly id: number
  readonly role: 'relay' | 'exit' | 'introduction' | 'rendezvous'
  /** Where its cells come from, `ip:port`. */
  readonly from: string
  /** Where they go; null at an exit. */
  readonly to: string | null
  readonly bytesUp: number
  readonly bytesDown: number
  readonly createdAtMs: number
}

/** What happens to circuits, for events. */
export type CircuitEvent =
  | { readonly kind: 'ready'; readonly circuit: OwnCircuitFacts }
  | { readonly kind: 'removed'; readonly circuit: OwnCircuitFacts; readonly reason: string }

/**
 * Everything about overlays and circuits that the node shows. Answers at any time; before a start: zeros and empty
 * lists.
 */
export interface OverlayFacts extends OverlayNetwork {
  circuits(): readonly OwnCircuitFacts[]
  joined(): readonly JoinedCircuitFacts[]
  /** Circuits of others: places there are, and places taken. */
  places(): { readonly total: number; readonly taken: number }
  traffic(): CircuitTraffic
  /** Candidates for hops and exits among them. */
  candidates(): { readonly relays: number; readonly exits: number }
  /** Calls `happened` for each event; answers what ends the calls. */
  watch(happened: (event: CircuitEvent) => void): () => void
}
