// What a trade does to everything else: to its order, to what is set aside, and to the record of its partner's conduct.
// Doing it again changes nothing.

import type { TraderConduct } from './conduct.ts'
import { givenFor, type OrderFunds } from './order-funds.ts'
import type { OwnOrders } from './own-orders.ts'
import type { HeldTrade } from './own-trade.ts'

/** What a trade does to everything else: to its order, to what is set aside, and to what is thought of its partner. */
export class TradeEffects {
  readonly #orders: OwnOrders
  readonly #orderFunds: OrderFunds
  readonly #conduct: TraderConduct

  constructor(orders: OwnOrders, orderFunds: OrderFunds, conduct: TraderConduct) {
    this.#orders = orders
    this.#orderFunds = orderFunds
    this.#conduct = conduct
  }

  /** Trades that were kept, at the start: their effects count in the order of their ends. */
  load(trades: Iterable<HeldTrade>): void {
    const all = [...trades]
    for (const trade of all) this.#count(trade)
    for (const trade of all.sort((a, b) => a.endedMs - b.endedMs)) this.judge(trade)
  }

  /** A trade began, went on or ended. An end may change once more when a chain is reorganised. */
  changed(trade: HeldTrade): void {
    this.#count(trade)
    this.#releasePaid(trade)
  }

  /** A trade ended: its partner is remembered for it. */
  judge(trade: HeldTrade): void {
    if (trade.swap?.outcome === 'completed') this.#conduct.completed(trade.partner.trader)
    else if (trade.theirFault) this.#conduct.fault(trade.partner.trader, trade.endedMs)
  }

  /** After a restart: what a swap that runs has not paid yet is set aside again. */
  holdAgain(trade: HeldTrade): void {
    const order = this.#orders.get(trade.order.number)
    if (order === null || trade.ended) return
    const { id, quantity, price } = trade.agreement
    const own = trade.swap?.payments.filter(({ kind, theirs }) => kind === 'purse' && !theirs)
    const paid = new Set(own?.map(({ coin }) => coin))
    const { number } = order.terms
    const [give, take] = [order.giveAsset.coin, order.takeAsset.coin]
    // A trade that was found without its file has fees like those of its order.
    const [fee, gas] = trade.needsFee > 0n ? [trade.needsFee, trade.needsGas] : [order.needs.fee, order.needs.gas]
    if (!paid.has(give)) this.#orderFunds.retake(number, id, give, givenFor(order, quantity, price) + fee)
    if (!paid.has(take)) this.#orderFunds.retake(number, id, take, gas, '-gas')
  }

  #count(trade: HeldTrade): void {
    const order = this.#orders.get(trade.order.number)
    const { id, quantity } = trade.agreement
    order?.tradeBegan(id, quantity)
    if (trade.ended) order?.tradeEnded(id, trade.traded)
  }

  /** What a deposit has got needs not be set aside any more; of an ended trade nothing does. */
  #releasePaid(trade: HeldTrade): void {
    const { number } = trade.order
    const { id } = trade.agreement
    if (trade.ended) {
      this.#orderFunds.release(number, id)
      return
    }
    const give = this.#orders.get(number)?.giveAsset.coin
    for (const { kind, theirs, coin } of trade.swap?.payments ?? []) {
      if (kind === 'purse' && !theirs) this.#orderFunds.release(number, id, coin === give ? 'amount' : 'gas')
    }
  }
}
