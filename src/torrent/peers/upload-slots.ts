// Slots for blocks that are read to be uploaded: a bound over all peers together, and a line for those who find none or
// have to wait for the upload rate. What goes to a slow peer leaves its slot before it is sent: the slot is eight times
// as long, and others need it. Invariant: leased <= limit; a waiter is woken at most once for each time it waits.

import type { Arena, Slot } from '../../ports/arena.ts'
import type { Clock } from '../../ports/clock.ts'
import type { TurnEnd, TurnJob } from '../../base/turn-end.ts'

/**
 * Read for all peers together before the loop turns: under a millisecond with the sending, several while cores are
 * short.
 */
const TURN_BYTES = 1024 * 1024
/** As long as no more than QUICK_MS have passed it may be this: half the turns cost a twelfth less CPU a byte. */
const MAX_TURN_BYTES = 2 * TURN_BYTES
const QUICK_MS = 1.5

/** Copies of what slow peers have not taken, in all; further ones stay in their slots. */
const MAX_COPIED_BYTES = 4 * 1024 * 1024

/** Bytes on their way to a peer. */
export interface Outgoing {
  readonly bytes: Uint8Array
  /** To be called once, when the connection has taken them. */
  sent(): void
}

/** Someone with blocks to send who could not go on. */
export interface UploadWaiter {
  uploadGoOn(): void
}

/** The dealer of upload slots of one session. */
export class UploadSlots {
  readonly arena: Arena
  readonly #limit: number
  readonly #turnEnd: TurnEnd
  readonly #waiting = new Set<UploadWaiter>()
  readonly #throttled = new Set<UploadWaiter>()
  readonly #yielded = new Set<UploadWaiter>()
  readonly #wakeJob: TurnJob = { queued: false, run: () => this.#wake() }
  readonly #clock: Pick<Clock, 'after' | 'now'>
  #leased = 0
  #copied = 0
  /** The last copy that was taken: who was slow only at first leaves no garbage. */
  #spare: Uint8Array | null = null
  /** Bytes read on the main thread since the loop last turned. */
  #turnBytes = 0
  /** When the first of them were. */
  #turnBeganMs = 0

  /** `limit`: slots of `arena` that may be used. */
  constructor(arena: Arena, limit: number, turnEnd: TurnEnd, clock: Pick<Clock, 'after' | 'now'>) {
    this.arena = arena
    this.#limit = limit
    this.#turnEnd = turnEnd
    this.#clock = clock
  }

  /** True while this turn of the loop has time for reads on the main thread; else `waiter` is woken in a later one. */
  hasTurn(waiter: UploadWaiter): boolean {
    const has = !this.#spent
    if (!has) this.#yielded.add(waiter)
    return has
  }

  /** Counts bytes read on the main thread in this turn. */
  spendTurn(bytes: number): void {
    if (this.#turnBytes === 0) {
      this.#turnBeganMs = this.#clock.now()
      this.#clock.after(0, () => this.#turned())
    }
    this.#turnBytes += bytes
  }

  get #spent(): boolean {
    if (this.#turnBytes < TURN_BYTES) return false
    return this.#turnBytes >= MAX_TURN_BYTES || this.#clock.now() - this.#turnBeganMs > QUICK_MS
  }

  get leased(): number {
    return this.#leased
  }

  /** A slot, or null: `waiter` is then woken when one is free. */
  lease(waiter: UploadWaiter): Slot | null {
    const slot = this.#leased < this.#limit ? this.arena.lease() : null
    if (slot === null) this.#waiting.add(waiter)
    else this.#leased += 1
    return slot
  }

  release(slot: Slot): void {
    this.arena.release(slot)
    this.#leased -= 1
    if (this.#waiting.size > 0) this.#turnEnd.later(this.#wakeJob)
  }

  /**
   * The first `length` bytes of a slot, which is given back when they are sent; `slow`: at once, where they can be
   * copied.
   */
  outgoing(slot: Slot, length: number, slow: boolean): Outgoing {
    const bytes = slot.bytes.subarray(0, length)
    if (!slow || this.#copied + length > MAX_COPIED_BYTES) return { bytes, sent: () => this.release(slot) }
    const room = this.#roomFor(length)
    room.set(bytes)
    this.release(slot)
    this.#copied += room.length
    const sent = (): void => {
      this.#copied -= room.length
      this.#spare = room
    }
    return { bytes: room.subarray(0, length), sent }
  }

  /** `waiter` had no rate left: it is woken at the next tick. */
  throttle(waiter: UploadWaiter): void {
    this.#throttled.add(waiter)
  }

  forget(waiter: UploadWaiter): void {
    this.#waiting.delete(waiter)
    this.#throttled.delete(waiter)
    this.#yielded.delete(waiter)
  }

  /**
   * Wakes those who waited for rate; also those whose slot was taken by a user of the arena this dealer does not see.
   */
  tick(): void {
    const line = [...this.#throttled]
    this.#throttled.clear()
    for (const waiter of line) waiter.uploadGoOn()
    if (this.#waiting.size > 0) this.#wake()
  }

  #roomFor(length: number): Uint8Array {
    const spare = this.#spare
    this.#spare = null
    return spare !== null && spare.length >= length ? spare : new Uint8Array(length)
  }

  #turned(): void {
    this.#turnBytes = 0
    for (const waiter of [...this.#yielded]) {
      // Who had no turn this time stays in front of those who did.
      if (this.#spent) return
      this.#yielded.delete(waiter)
      waiter.uploadGoOn()
    }
  }

  #wake(): void {
    for (const waiter of Array.from(this.#waiting)) {
      if (this.#leased >= this.#limit) return
      this.#waiting.delete(waiter)
      waiter.uploadGoOn()
    }
  }
}
