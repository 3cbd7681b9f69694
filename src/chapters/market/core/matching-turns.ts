// When own orders are matched: soon after the book, the wallets or the orders themselves changed, many changes
// together; and when to send a hint to owners of newer orders that seem not to know ours.

import type { Clock, Timer } from '../../../ports/clock.ts'
import type { MarketNetwork } from '../ports/market-network.ts'
import { sameAsset } from '../../wallets/core/assets.ts'
import type { OrderStatement } from '../wire/types.ts'
import type { HeldOrder } from './held-order.ts'
import { isNewer, reaches } from './priority.ts'

/**
 * The owner of a newer order that crosses ours gets a hint after so long without a proposal, and again after twice as
 * long. Milliseconds.
 */
const MATCH_HINT_MS = 15_000
/** Such hints that wait. */
const MAX_MATCH_HINTS = 256

/** What it needs. */
export interface MatchingTurnsDeps {
  readonly network: MarketNetwork
  readonly clock: Clock
  readonly live: () => Iterable<HeldOrder>
  readonly match: (order: HeldOrder) => void
  /** The last that the book has of an order. */
  readonly known: (statement: OrderStatement) => OrderStatement | null
}

/**
 * When own orders are matched: soon after the book, the wallets or the orders themselves changed, many changes
 * together; and when to send a hint to owners of newer orders that seem not to know ours.
 */
export class MatchingTurns {
  readonly #deps: MatchingTurnsDeps
  readonly #due = new Set<HeldOrder>()
  readonly #hints = new Map<string, Timer>()
  #turn: Timer | null = null
  #stopped = false

  constructor(deps: MatchingTurnsDeps) {
    this.#deps = deps
  }

  /** An order is matched in the next turn. */
  soon(order: HeldOrder): void {
    if (this.#stopped) return
    this.#due.add(order)
    this.#turn ??= this.#deps.clock.after(0, () => this.#run())
  }

  /**
   * Something was said of an order of another trader: own orders that it crosses are matched, or its owner hears of
   * them.
   */
  heard(statement: OrderStatement): void {
    const { terms, state } = statement
    if (terms.trader === this.#deps.network.trader || state.status !== 'open' || state.remaining === 0n) return
    for (const order of this.#deps.live()) {
      if (!meet(order, statement)) continue
      if (isNewer(order.terms, terms)) this.soon(order)
      else this.#hintLater(order, statement, 0)
    }
  }

  /** Ends the turns. */
  stop(): void {
    this.#stopped = true
    this.#turn?.cancel()
    for (const timer of this.#hints.values()) timer.cancel()
    this.#hints.clear()
  }

  #run(): void {
    this.#turn = null
    const due = [...this.#due]
    this.#due.clear()
    for (const order of due) this.#deps.match(order)
  }

  /** The owner of the newer order proposes; when no proposal has come after a while we send it a hint, twice. */
  #hintLater(order: HeldOrder, theirs: OrderStatement, hints: number): void {
    const name = `${order.terms.number}/${theirs.terms.trader}.${theirs.terms.number}`
    if (this.#hints.has(name) || this.#hints.size >= MAX_MATCH_HINTS || hints > 1) return
    const timer = this.#deps.clock.after(MATCH_HINT_MS * 2 ** hints, () => {
      this.#hints.delete(name)
      const now = this.#deps.known(theirs)
      if (now === null || now.state.status !== 'open' || now.state.remaining === 0n) return
      if (!order.tradable || order.left < order.needs.leastQuantity || order.statement === null) return
      const message = { kind: 'match', order: refOf(now), statement: order.statement } as const
      void this.#deps.network.send(now.terms.trader, message)
      this.#hintLater(order, now, hints + 1)
    })
    this.#hints.set(name, timer)
  }
}

function refOf({ terms }: OrderStatement): { trader: string; number: number } {
  return { trader: terms.trader, number: terms.number }
}

function meet(order: HeldOrder, { terms }: OrderStatement): boolean {
  const own = order.terms
  if (!order.tradable || terms.side === own.side || !reaches(terms, own)) return false
  return sameAsset(terms.quantityAsset, own.quantityAsset) && sameAsset(terms.priceAsset, own.priceAsset)
}
