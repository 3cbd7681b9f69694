// All own orders: placed, kept, sent to the market, ended. An order is on the disk before its statement is sent, and
// statements after a restart have a higher sequence than all before. Order of writes: the order first, then its
// statement; an end is kept first, then sent.

import { AppError } from '../../../base/errors.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { MarketNetwork } from '../ports/market-network.ts'
import { textOf, parseOrder } from './kept-forms.ts'
import type { KeptTexts } from './kept-texts.ts'
import { HeldOrder, type KeptStatus } from './held-order.ts'

/** Own orders that are over and still shown; older ones are forgotten with their trades. */
export const MAX_FINISHED_ORDERS = 1_000
/** Sequence numbers that a kept order has in store: not every statement costs a write. */
export const SEQUENCES_AHEAD = 16

const PREFIX = 'order-'
/** Orders and trades that were forgotten had numbers up to these. */
const NUMBERS = 'market-numbers'

/** What own orders need. */
export interface OwnOrdersDeps {
  readonly network: MarketNetwork
  readonly kept: KeptTexts
  readonly clock: Clock
  /** An order changed, in whatever way. */
  readonly changed: (order: HeldOrder, created: boolean) => void
  /** Forgets the trades of an order that is forgotten; answers the highest number of all trades. */
  readonly forgetTrades: (orderNumber: number) => Promise<void>
  readonly highestTrade: () => number
}

/** All own orders: placed, kept, told to the market, ended. */
export class OwnOrders {
  readonly #deps: OwnOrdersDeps
  readonly #orders = new Map<number, HeldOrder>()
  /** Those that have not ended, and some that have. */
  readonly #live = new Set<HeldOrder>()
  /** Orders whose state waits for the disk. */
  readonly #untold = new Set<HeldOrder>()
  #last = 0
  /** How often it was asked for since the pruning under way began. */
  #prunings = 0

  constructor(deps: OwnOrdersDeps) {
    this.#deps = deps
  }

  get(number: number): HeldOrder | null {
    return this.#orders.get(number) ?? null
  }

  /** In the order of their numbers. */
  all(): Iterable<HeldOrder> {
    return this.#orders.values()
  }

  /** How many of them others must keep: their time is not over. */
  inTime(): number {
    const nowMs = this.#deps.clock.wallMs()
    let count = 0
    for (const order of this.#orders.values()) if (order.endMs > nowMs) count++
    return count
  }

  /** Those that have not ended, in the order of their numbers. */
  live(): HeldOrder[] {
    // What is being cancelled may yet go on, when the disk does not take it.
    for (const order of this.#live) if (!order.live && !order.ending) this.#live.delete(order)
    return [...this.#live].filter(order => order.live)
  }

  /** A number that no order of this trader had or will have again. */
  nextNumber(): number {
    return ++this.#last
  }

  /**
   * Reads what was kept; answers the highest number of a trade that was forgotten. AppErrors StateUnreadable,
   * DiskError.
   */
  async load(): Promise<number> {
    const numbers = numbersOf(await this.#deps.kept.read(NUMBERS))
    this.#last = numbers.orders
    for (const { number, text } of await this.#deps.kept.readAll(PREFIX)) {
      // A damaged file keeps its number from being used again.
      this.#last = Math.max(this.#last, number)
      const kept = text === null ? null : parseOrder(text)
      if (kept === null || kept.terms.number !== number || kept.terms.trader !== this.#deps.network.trader) continue
      const order = new HeldOrder(kept)
      this.#orders.set(number, order)
      if (order.live) this.#live.add(order)
    }
    return numbers.trades
  }

  /** Keeps a new order, then tells it. AppErrors DiskFull, DiskError: then there is no such order. */
  async add(order: HeldOrder): Promise<void> {
    const { number } = order.terms
    try {
      await this.#write(order)
    } catch (error) {
      await this.#deps.kept.remove(`${PREFIX}${number}`)
      throw error
    }
    this.#orders.set(number, order)
    this.#live.add(order)
    this.#deps.changed(order, true)
    this.tell(order)
  }

  /** Ends an order because we want to. AppErrors OrderNotOpen, DiskFull, DiskError (then it goes on). */
  async cancel(order: HeldOrder): Promise<void> {
    if (!order.live || order.ending) throw new AppError('OrderNotOpen')
    order.ending = true
    const before = { status: order.status, reason: order.reason, closedMs: order.closedMs }
    Object.assign(order, { status: 'cancelled', reason: 'You cancelled it.', closedMs: this.#deps.clock.wallMs() })
    try {
      await this.#write(order)
    } catch (error) {
      Object.assign(order, before)
      // What is on the disk is not known: write again that the order is open.
      void this.#owe(order)
      throw error
    } finally {
      order.ending = false
    }
    this.#ended(order)
  }

  /** Ends an order because of what happened; kept as soon as the disk takes it, told at once. `reason`: a sentence. */
  end(order: HeldOrder, status: Exclude<KeptStatus, 'open'>, reason: string): void {
    order.status = status
    order.reason = reason
    order.closedMs ??= this.#deps.clock.wallMs()
    if (status === 'completed') order.completedMs = this.#deps.clock.wallMs()
    void this.#owe(order)
    this.#ended(order)
  }

  /** '' = it can be traded with again. */
  suspend(order: HeldOrder, why: string): void {
    if (order.suspendedFor === why) return
    order.suspendedFor = why
    this.#deps.changed(order, false)
    this.tell(order)
  }

  /** Sends the state of an order when it is another than was sent last. */
  tell(order: HeldOrder): void {
    if (order.endMs <= this.#deps.clock.wallMs()) return
    const { status, remaining } = order.state()
    const told = order.statement?.state
    if (told !== undefined && told.status === status && told.remaining === remaining) return
    if (order.sequence >= order.sequenceKept) {
      // Statements in store are used up: the file comes first.
      void this.#writeThenTell(order)
      return
    }
    order.sequence++
    order.statement = this.#deps.network.state(order.terms, { sequence: order.sequence, status, remaining })
  }

  /** Tells all that others may still have, after a start. */
  async tellAll(): Promise<void> {
    const nowMs = this.#deps.clock.wallMs()
    for (const order of this.#orders.values()) {
      if (order.endMs > nowMs && order.statement === null) await this.#writeThenTell(order)
    }
  }

  /** Forgets the oldest orders that are over, when there are too many: numbers first, then trades, then the order. */
  async prune(): Promise<void> {
    this.#prunings++
    if (this.#prunings > 1) return
    // Calls that come meanwhile share the next round.
    for (let done = 0; done < this.#prunings; ) {
      done = this.#prunings
      await this.#pruneOnce()
    }
    this.#prunings = 0
  }

  async #pruneOnce(): Promise<void> {
    const over = [...this.#orders.values()].filter(order => !order.live && order.reserved === 0n)
    if (over.length <= MAX_FINISHED_ORDERS) return
    try {
      const numbers = { orders: this.#last, trades: this.#deps.highestTrade() }
      await this.#deps.kept.write(NUMBERS, () => `${JSON.stringify(numbers)}\n`)
      // The statement that an order has ended may have to be sent again, as long as its time is not over.
      const nowMs = this.#deps.clock.wallMs()
      const oldest = over.filter(order => order.endMs <= nowMs).slice(0, over.length - MAX_FINISHED_ORDERS)
      for (const order of oldest) await this.#forget(order)
    } catch {
      // The disk is full or broken; the next one that ends tries again.
    }
  }

  async #forget(order: HeldOrder): Promise<void> {
    const { number } = order.terms
    this.#orders.delete(number)
    await this.#deps.forgetTrades(number)
    await this.#deps.kept.remove(`${PREFIX}${number}`)
  }

  #ended(order: HeldOrder): void {
    this.#deps.changed(order, false)
    this.tell(order)
    void this.prune()
  }

  /** Sends what could not be sent because the disk did not take it. */
  tellAgain(): void {
    for (const order of this.#untold) this.tell(order)
  }

  async #writeThenTell(order: HeldOrder): Promise<void> {
    this.#untold.add(order)
    if (!(await this.#owe(order))) return
    this.#untold.delete(order)
    this.tell(order)
  }

  async #write(order: HeldOrder): Promise<void> {
    let upTo = order.sequenceKept
    await this.#deps.kept.write(`${PREFIX}${order.terms.number}`, () => {
      upTo = order.sequence + SEQUENCES_AHEAD
      return textOf(order.kept(upTo))
    })
    order.sequenceKept = upTo
  }

  async #owe(order: HeldOrder): Promise<boolean> {
    let upTo = order.sequenceKept
    const kept = await this.#deps.kept.owe(`${PREFIX}${order.terms.number}`, () => {
      upTo = order.sequence + SEQUENCES_AHEAD
      return textOf(order.kept(upTo))
    })
    if (kept) order.sequenceKept = upTo
    return kept
  }
}

function numbersOf(text: string | null): { orders: number; trades: number } {
  if (text === null) return { orders: 0, trades: 0 }
  const found = /^\{"orders":([0-9]{1,10}),"trades":([0-9]{1,15})\}\n$/.exec(text)
  if (found === null) throw new AppError('StateUnreadable', 'The file market-numbers is damaged.')
  return { orders: Number(found[1]), trades: Number(found[2]) }
}
