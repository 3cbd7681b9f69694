// All trades of ours. The journal of a swap is the truth: a trade is written after its swap has begun, and where a swap
// has no trade, as after a kill between the two, the trade is written then. So quantity that is being swapped is never
// free again before the swap has ended.

import type { Clock } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { SwapEngine, SwapView } from '../ports/swap-engine.ts'
import type { OrderTerms, SwapAgreement, TraderId } from '../wire/types.ts'
import { parseTrade, textOf } from './kept-forms.ts'
import type { KeptTexts } from './kept-texts.ts'
import { HeldTrade, lostSwap, ourPart } from './own-trade.ts'

const PREFIX = 'trade-'

/** What trades need. */
export interface TradesDeps {
  readonly trader: TraderId
  readonly swapEngine: SwapEngine
  readonly kept: KeptTexts
  readonly clock: Clock
  readonly log: Log
  /** Terms of an own order. */
  readonly orderOf: (number: number) => OrderTerms | null
  /** A trade began, went on or ended (`ended`: just now). */
  readonly changed: (trade: HeldTrade, what: 'began' | 'went on' | 'ended') => void
}

/** All trades of ours. */
export class Trades {
  readonly #deps: TradesDeps
  readonly #byNumber = new Map<number, HeldTrade>()
  readonly #byId = new Map<string, HeldTrade>()
  readonly #running = new Set<HeldTrade>()
  #last = 0
  #unwatch: (() => void) | null = null

  constructor(deps: TradesDeps) {
    this.#deps = deps
  }

  /** The highest number that a trade had. */
  get highest(): number {
    return this.#last
  }

  /** In the order of their numbers. */
  all(): Iterable<HeldTrade> {
    return this.#byNumber.values()
  }

  /** By the id of its agreement. */
  byId(id: string): HeldTrade | null {
    return this.#byId.get(id) ?? null
  }

  /** Swaps that run: with one trader, or all. */
  running(partner: TraderId | null = null): number {
    let count = 0
    for (const trade of this.#running) if (partner === null || trade.partner.trader === partner) count++
    return count
  }

  /** Swaps that need room in the engine: ended ones too, until they are closed. */
  underWay(): number {
    return this.#deps.swapEngine.list().filter(view => view.step !== 'closed').length
  }

  /** Whether a swap with this hash runs. */
  hasHash(hash: string): boolean {
    for (const trade of this.#running) if (trade.agreement.first.hash === hash) return true
    return false
  }

  /**
   * Reads what was kept; nothing is compared with the swaps yet. `forgotten`: highest number of those that are gone.
   * AppErrors as KeptTexts.readAll.
   */
  async load(forgotten: number): Promise<void> {
    this.#last = forgotten
    for (const { number, text } of await this.#deps.kept.readAll(PREFIX)) {
      this.#last = Math.max(this.#last, number)
      const kept = text === null ? null : parseTrade(text)
      if (kept === null || kept.number !== number) continue
      if (ourPart(kept.agreement, this.#deps.trader) !== kept.order.side) continue
      this.#put(new HeldTrade(kept))
    }
  }

  /**
   * Compares trades and swaps, and follows the swaps from now on. `forgotten`: a trade whose swap the engine does not
   * know.
   */
  follow(forgotten: (trade: HeldTrade) => void): void {
    this.#unwatch = this.#deps.swapEngine.watch(view => this.#saw(view))
    const views = [...this.#deps.swapEngine.list()].sort((a, b) => a.agreement.timeMs - b.agreement.timeMs)
    const known = new Set(views.map(view => view.agreement.id))
    for (const view of views) {
      if (this.#byId.has(view.agreement.id)) this.#saw(view)
      else this.began(view.agreement, 0n, 0n)
    }
    for (const trade of this.#byNumber.values()) {
      if (trade.ended || known.has(trade.agreement.id)) continue
      this.#deps.log.error('a swap is not known any more', { trade: trade.number })
      this.#saw(lostSwap(trade.agreement))
      forgotten(trade)
    }
  }

  /**
   * A swap has begun: its trade is there from now on, and kept as soon as the disk takes it. What was set aside for it:
   * see KeptTrade.
   */
  began(agreement: SwapAgreement, needsFee: bigint, needsGas: bigint): HeldTrade | null {
    const side = ourPart(agreement, this.#deps.trader)
    const order = side === null ? null : this.#deps.orderOf(agreement[side].number)
    if (order === null || this.#byId.has(agreement.id)) {
      if (order === null) this.#deps.log.error('a swap of an order that is not known', { swap: agreement.id })
      return null
    }
    const trade = new HeldTrade({ number: ++this.#last, order, agreement, needsFee, needsGas, endedMs: 0, end: null })
    this.#put(trade)
    trade.swap = this.#deps.swapEngine.list().find(view => view.agreement.id === agreement.id) ?? null
    if (trade.ended) {
      trade.endedMs = this.#deps.clock.wallMs()
      this.#running.delete(trade)
    }
    this.#keep(trade)
    this.#deps.changed(trade, 'began')
    if (trade.ended) this.#deps.changed(trade, 'ended')
    return trade
  }

  /** Forgets the trades of an order. */
  async forget(orderNumber: number): Promise<void> {
    for (const trade of this.#byNumber.values()) {
      if (trade.order.number !== orderNumber) continue
      this.#byNumber.delete(trade.number)
      this.#byId.delete(trade.agreement.id)
      await this.#deps.kept.remove(`${PREFIX}${trade.number}`)
    }
  }

  /** Follows no more. */
  stop(): void {
    this.#unwatch?.()
    this.#unwatch = null
  }

  #saw(view: SwapView): void {
    const trade = this.#byId.get(view.agreement.id)
    // Unknown: it is just beginning, and its caller adds the trade next. Ended: it says nothing new that counts.
    if (trade === undefined) return
    const endedBefore = trade.ended
    if (endedBefore && view.outcome === null) return
    trade.swap = view
    if (trade.ended && trade.endedMs === 0) trade.endedMs = this.#deps.clock.wallMs()
    if (trade.ended) this.#running.delete(trade)
    if (trade.ended) this.#keep(trade)
    this.#deps.changed(trade, trade.ended && !endedBefore ? 'ended' : 'went on')
  }

  #put(trade: HeldTrade): void {
    this.#byNumber.set(trade.number, trade)
    this.#byId.set(trade.agreement.id, trade)
    if (!trade.ended) this.#running.add(trade)
  }

  #keep(trade: HeldTrade): void {
    void this.#deps.kept.owe(`${PREFIX}${trade.number}`, () => textOf(trade.kept()))
  }
}
