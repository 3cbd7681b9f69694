// Memory that cells are made in before they are sent: a ring of slots, so that sending allocates nothing. A slot is
// used again when the ring came round; while the socket has not taken everything a new ring is begun instead, and the
// old one goes with its cells.

import { SLOT_BYTES } from './limits.ts'

/** Slots of a ring. */
export const SLOTS = 32

/** Memory that cells are made in before they are sent: a ring of slots, so that sending allocates nothing. */
export class SlotRing {
  readonly #unsent: () => number
  #slots: Uint8Array[] = []
  #next = 0

  /** `unsent`: bytes of earlier sends that the socket has not taken yet. The first ring is made at the first use. */
  constructor(unsent: () => number = () => 0) {
    this.#unsent = unsent
  }

  /**
   * A slot of SLOT_BYTES with anything in it, the caller's until it asked for SLOTS - 1 more. Longer ones are memory of
   * their own.
   */
  take(bytes: number): Uint8Array {
    if (bytes > SLOT_BYTES) return Buffer.allocUnsafeSlow(bytes)
    if (this.#next === this.#slots.length) this.#turn()
    return this.#slots[this.#next++] as Uint8Array
  }

  #turn(): void {
    this.#next = 0
    if (this.#slots.length > 0 && this.#unsent() === 0) return
    const slab = Buffer.allocUnsafeSlow(SLOTS * SLOT_BYTES)
    this.#slots = Array.from({ length: SLOTS }, (_, at) => slab.subarray(at * SLOT_BYTES, (at + 1) * SLOT_BYTES))
  }
}
