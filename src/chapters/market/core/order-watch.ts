// Looks after own open orders: wallets that are locked suspend them, funds that are gone withdraw them, time ends them.

import { AppError } from '../../../base/errors.ts'
import type { Clock, Timer } from '../../../ports/clock.ts'
import type { MarketFunds } from '../../wallets/ports/market-funds.ts'
import { type Asset, sameAsset } from '../../wallets/core/assets.ts'
import type { HeldOrder } from './held-order.ts'
import type { OrderFunds } from './order-funds.ts'
import type { OwnOrders } from './own-orders.ts'

/** Funds that are gone must be gone for so long: a payment of ours may be half seen. Milliseconds. */
export const SHORTAGE_MS = 10_000
/** How often own orders are looked at: expiry, funds. Milliseconds. */
const UPKEEP_MS = 1_000

/** What it needs. */
export interface OrderWatchDeps {
  readonly orders: OwnOrders
  readonly funds: MarketFunds
  readonly orderFunds: OrderFunds
  readonly clock: Clock
  /** Nothing may begin with this order any more: it ended, or is suspended. */
  readonly halted: (order: HeldOrder) => void
  /** This order can be matched (again). */
  readonly ready: (order: HeldOrder) => void
}

/** Why an order of these coins cannot be open now: a sentence; '' = it can. */
export function whyNot(assets: readonly Asset[], funds: MarketFunds): string {
  for (const asset of assets) {
    const found = funds.of(asset.coin)
    if (found === null) return `The wallet ${asset.coin} is not created.`
    if (!sameAsset(found.asset, asset)) return `The wallet ${asset.coin} is on another chain than this order.`
    if (!found.unlocked) return `The wallet ${asset.coin} is locked: unlock it, and the order goes on.`
  }
  return ''
}

/**
 * Looks after own open orders: wallets that are locked suspend them, funds that are gone withdraw them, time ends them.
 */
export class OrderWatch {
  readonly #deps: OrderWatchDeps
  #unwatch: (() => void) | null = null
  #upkeep: Timer | null = null
  #soon: Timer | null = null

  constructor(deps: OrderWatchDeps) {
    this.#deps = deps
  }

  /** Looks at all of them, and follows wallets and time from now on. */
  start(): void {
    this.#unwatch = this.#deps.funds.watch(() => {
      // Together: a payment tells several changes, and ours are among them.
      this.#soon ??= this.#deps.clock.after(0, () => {
        this.#soon = null
        this.lookAtAll()
      })
    })
    this.#upkeep = this.#deps.clock.every(UPKEEP_MS, () => this.#upkeepTurn())
    this.lookAtAll()
  }

  /**
   * The oldest get their funds first, and the newest are withdrawn first: that makes room for those that stood before.
   */
  lookAtAll(): void {
    const live = this.#deps.orders.live()
    for (const order of live) this.#holds(order)
    for (const order of live.reverse()) this.look(order)
  }

  /** Compares an order with time and wallets. */
  look(order: HeldOrder): void {
    if (!order.live || order.ending) return
    if (order.endMs <= this.#deps.clock.wallMs()) {
      this.#end(order, 'expired', 'Its time is over.')
      return
    }
    const why = whyNot([order.giveAsset, order.takeAsset], this.#deps.funds)
    if (why !== '') {
      // What is set aside stays, and what was not yet is when it can be.
      this.#holds(order)
      this.#suspend(order, why)
      return
    }
    if (this.#holds(order)) this.#resume(order)
    else this.#short(order)
  }

  /** Ends an order, and lets go of its funds; swaps under way go on. */
  #end(order: HeldOrder, status: 'expired' | 'withdrawn', reason: string): void {
    this.#deps.orders.end(order, status, reason)
    this.#deps.orderFunds.letGo(order)
    this.#deps.halted(order)
  }

  /** Takes an order back that cannot be traded with any more. `reason`: a sentence. */
  withdraw(order: HeldOrder, reason: string): void {
    if (order.live) this.#end(order, 'withdrawn', reason)
  }

  /** Ends its watching. */
  stop(): void {
    this.#unwatch?.()
    this.#upkeep?.cancel()
    this.#soon?.cancel()
  }

  #upkeepTurn(): void {
    const { clock, orders } = this.#deps
    const nowMs = clock.wallMs()
    for (const order of orders.live().reverse()) {
      if (order.endMs <= nowMs || order.shortSinceMs !== null) this.look(order)
    }
    orders.tellAgain()
  }

  /**
   * Whether what is left of it, and the fees of a trade at least, are set aside. Without anything left there is nothing
   * to be held.
   */
  #holds(order: HeldOrder): boolean {
    try {
      const fills = this.#deps.orderFunds.hold(order)
      return fills > 0 || order.left <= 0n || order.negotiations > 0
    } catch (error) {
      if (error instanceof AppError) return false
      throw error
    }
  }

  #suspend(order: HeldOrder, why: string): void {
    order.shortSinceMs = null
    this.#deps.orders.suspend(order, why)
    this.#deps.halted(order)
  }

  #resume(order: HeldOrder): void {
    order.shortSinceMs = null
    const before = order.suspendedFor
    this.#deps.orders.suspend(order, '')
    if (before !== '') this.#deps.ready(order)
  }

  #short(order: HeldOrder): void {
    const { clock, funds } = this.#deps
    const problem = funds.of(order.giveAsset.coin)?.problem ?? ''
    if (problem !== '') {
      // What is there is not known: no reason to give an order up.
      this.#suspend(order, `The chain of ${order.giveAsset.coin} cannot be read: ${problem}`)
      return
    }
    if (order.shortSinceMs === null) {
      order.shortSinceMs = clock.now()
      void funds.refresh()
    } else if (clock.now() - order.shortSinceMs >= SHORTAGE_MS) {
      this.#end(order, 'withdrawn', `Its funds are not there any more in the wallet ${order.giveAsset.coin}.`)
    }
  }
}
