// Shares out the slots for received blocks. A request is sent only against a credit, and a credit is a promise of a
// slot: so a block that was asked for always finds its place, and the arena bounds all downloads together. Invariant:
// credits + leased slots <= limit. A request without one waits in line and is woken in turn, readers first.

import type { Arena, Slot } from '../../ports/arena.ts'
import type { TurnEnd, TurnJob } from '../../base/turn-end.ts'

/** Someone who waits for credits; `urgent` ones are woken first. */
export interface BudgetWaiter {
  readonly urgent: boolean
  /** Credits are there: take some, and wait again if they do not suffice. */
  creditsFree(): void
}

/** With fewer free credits none is woken: waking for each single one would cost more than it gives. */
const WAKE_AT = 8

/** The dealer of one session's block slots. */
export class BlockBudget {
  /** Slots that downloads may hold or have promised. */
  readonly limit: number
  readonly slotBytes: number
  readonly #arena: Arena
  readonly #turnEnd: TurnEnd
  readonly #waiting = new Set<BudgetWaiter>()
  readonly #wakeJob: TurnJob = { queued: false, run: () => this.#wake() }
  #credits = 0
  #leased = 0

  /** `reserve` slots of the arena are left to others (uploads). */
  constructor(arena: Arena, reserve: number, turnEnd: TurnEnd) {
    this.#arena = arena
    this.#turnEnd = turnEnd
    this.limit = Math.max(1, arena.slotCount - reserve)
    this.slotBytes = arena.slotBytes
  }

  /** Credits and slots in use. */
  get used(): number {
    return this.#credits + this.#leased
  }

  get free(): number {
    return this.limit - this.used
  }

  /** Takes a credit for each of `count` requests; false, and none is taken, when there are too few: then wait(). */
  take(count = 1): boolean {
    if (this.used + count > this.limit) return false
    this.#credits += count
    return true
  }

  /** The request ended without a block. */
  giveBack(count = 1): void {
    this.#credits -= count
    if (this.#credits < 0) throw new RangeError('more credits given back than taken')
    this.#freed()
  }

  /** As Arena.freeRun(). */
  freeRun(count: number): number {
    return this.#arena.freeRun(count)
  }

  /**
   * Turns a credit into a slot, number `near` if that is free; null (credit kept) only when others took more of the
   * arena than was left to them.
   */
  lease(near = -1): Slot | null {
    const slot = this.#arena.lease(near)
    if (slot === null) return null
    this.#credits -= 1
    this.#leased += 1
    return slot
  }

  release(slot: Slot): void {
    this.#arena.release(slot)
    this.#leased -= 1
    this.#freed()
  }

  /** Puts a waiter at the end of the line; it is woken once. */
  wait(waiter: BudgetWaiter): void {
    this.#waiting.add(waiter)
  }

  forget(waiter: BudgetWaiter): void {
    this.#waiting.delete(waiter)
  }

  #freed(): void {
    if (this.#waiting.size > 0 && this.free >= Math.min(WAKE_AT, this.limit)) this.#turnEnd.later(this.#wakeJob)
  }

  #wake(): void {
    const line = [...this.#waiting]
    for (const waiter of [...line.filter(one => one.urgent), ...line.filter(one => !one.urgent)]) {
      if (this.free === 0) return
      this.#waiting.delete(waiter)
      waiter.creditsFree()
    }
  }
}
