// Circuits of a running overlay, made when they are first asked for: a node that only uses channels is not seen in the
// overlay of circuits, and relays nothing.

import type { Circuits } from '../ports/circuits.ts'
import type { CircuitEvent } from '../../overlay/ports/overlay-facts.ts'
import type { CircuitParts } from './circuit-parts.ts'
import type { OverlayRider } from '../../overlay/wiring/overlay-rider.ts'
import { type CircuitsFacts, noCircuitFacts } from '../../overlay/wiring/overlay-nothing.ts'

/**
 * Circuits of a running overlay, made when they are first asked for: a node that only uses channels is not seen in the
 * overlay of circuits, and relays nothing.
 */
export class LateCircuits implements OverlayRider {
  readonly #make: () => CircuitParts
  readonly #watches = new Set<(event: CircuitEvent) => void>()
  #parts: CircuitParts | null = null
  #endWatch: () => void = () => undefined

  constructor(make: () => CircuitParts) {
    this.#make = make
  }

  /** What is known of them; nothing before they are made, and events from then on. */
  readonly facts: CircuitsFacts = {
    circuits: () => this.#now().circuits(),
    joined: () => this.#now().joined(),
    places: () => this.#now().places(),
    traffic: () => this.#now().traffic(),
    candidates: () => this.#now().candidates(),
    watch: happened => {
      this.#watches.add(happened)
      return () => this.#watches.delete(happened)
    },
  }

  /** Makes them at the first call. */
  open(): void {
    if (this.#parts !== null) return
    const parts = this.#make()
    this.#parts = parts
    this.#endWatch = parts.facts.watch(event => {
      for (const happened of this.#watches) happened(event)
    })
  }

  /** Them. Throws before open(). */
  get circuits(): Circuits {
    if (this.#parts === null) throw new Error('the circuits are not open')
    return this.#parts.circuits
  }

  /** Ends them, where they were made. */
  stop(): void {
    this.#endWatch()
    this.#parts?.stop()
  }

  #now(): CircuitsFacts {
    return this.#parts?.facts ?? noCircuitFacts
  }
}
