// Sends owners of orders hints of what they may have missed: where two orders of others have crossed for some seconds,
// a few of the nodes that see it send a hint to the owner of the newer one, which has to propose.

import { Allowance } from '../../../base/allowance.ts'
import type { Clock, Timer } from '../../../ports/clock.ts'
import type { Random } from '../../../ports/random.ts'
import type { NegotiationMessage } from '../wire/negotiation.ts'
import type { OrderRef, OrderStatement, OrderTerms, TraderId } from '../wire/types.ts'
import type { Book } from '../core/book.ts'
import { isNewer } from '../core/priority.ts'
import { TtlMap } from '../../../base/ttl-map.ts'

/** A cross is there so long before we send others a hint: its owners may be at work. */
const HINT_MS = 3_000
/** By chance so much later, so that not all nodes do it at once. */
const HINT_SPREAD_MS = 7_000
/** Hints for one order: no more than one in this time. */
const HINT_AGAIN_MS = 30_000
/** Orders that may cross something. */
const MAX_HINTS_WAITING = 512
/** Hints we send: saved up, and one more each so many milliseconds. */
const HINTS = { burst: 20, refillMs: 1_000 } as const
/** Nodes that hint at a cross, about, however many have seen it. */
const HINTING_NODES = 3

/** What it works with. */
export interface MatchHintsDeps {
  readonly book: Pick<Book, 'get' | 'crossing'>
  readonly clock: Clock
  readonly random: Random
  /** Us: we look at our own orders without hints. */
  readonly trader: TraderId
  /** Peers of the overlay now. */
  peers(): number
  send(to: TraderId, hint: NegotiationMessage): Promise<boolean>
}

/**
 * Sends owners of orders hints of what they may have missed: where two orders of others have crossed for some seconds,
 * a few of the nodes that see it send a hint to the owner of the newer one, which has to propose.
 */
export class MatchHints {
  readonly #deps: MatchHintsDeps
  readonly #allowance = new Allowance(HINTS.burst, HINTS.refillMs)
  readonly #waiting = new Map<string, Timer>()
  readonly #hinted = new TtlMap<true>(MAX_HINTS_WAITING, HINT_AGAIN_MS)
  #sent = 0

  constructor(deps: MatchHintsDeps) {
    this.#deps = deps
  }

  /** Hints that were sent. */
  get sent(): number {
    return this.#sent
  }

  /** A statement has changed the book. */
  changed({ terms, state }: OrderStatement): void {
    const { clock, random } = this.#deps
    const name = nameOf(terms)
    if (state.status !== 'open' || state.remaining === 0n || this.#waiting.has(name)) return
    if (this.#waiting.size >= MAX_HINTS_WAITING || !this.#isChosen()) return
    const timer = clock.after(HINT_MS + random.below(HINT_SPREAD_MS), () => {
      this.#waiting.delete(name)
      this.#look(terms)
    })
    this.#waiting.set(name, timer)
  }

  /** Sends no more hints. */
  close(): void {
    for (const timer of this.#waiting.values()) timer.cancel()
    this.#waiting.clear()
  }

  /** All see the same book: so many of them tell it, about. */
  #isChosen(): boolean {
    return this.#deps.random.below(this.#deps.peers() + 1) < HINTING_NODES
  }

  #look(ref: OrderRef): void {
    const statement = this.#deps.book.get(ref)
    if (statement === null || statement.state.status !== 'open' || statement.state.remaining === 0n) return
    for (const other of this.#deps.book.crossing(statement.terms)) {
      const [newer, older] = isNewer(statement.terms, other.terms) ? [statement, other] : [other, statement]
      return this.#hint(newer.terms, older)
    }
  }

  #hint(newer: OrderTerms, statement: OrderStatement): void {
    const { clock, trader, send } = this.#deps
    const nowMs = clock.now()
    const name = nameOf(newer)
    const isOurs = newer.trader === trader || statement.terms.trader === trader
    if (isOurs || this.#hinted.get(name, nowMs) !== undefined || !this.#allowance.take(nowMs)) return
    this.#hinted.set(name, true, nowMs)
    this.#sent++
    void send(newer.trader, { kind: 'match', order: { trader: newer.trader, number: newer.number }, statement })
  }
}

function nameOf({ trader, number }: OrderRef): string {
  return `${trader}.${number}`
}
