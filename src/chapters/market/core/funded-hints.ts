// Sends the other side of a swap a hint when we have funded, so that it looks at once; and passes on its hints. Nothing
// depends on it: the chains say the same.

import type { MarketNetwork } from '../ports/market-network.ts'
import type { SwapEngine } from '../ports/swap-engine.ts'
import type { TraderId } from '../wire/types.ts'
import type { HeldTrade } from './own-trade.ts'
import type { Trades } from './trades.ts'

/** Sends the other side of a swap a hint when we have funded, so that it looks at once; and passes on its hints. */
export class FundedHints {
  readonly #network: MarketNetwork
  readonly #swapEngine: SwapEngine
  readonly #trades: Trades
  /** The last hint sent, by trade; of trades that run only. */
  readonly #told = new Map<string, string>()

  constructor(network: MarketNetwork, swapEngine: SwapEngine, trades: Trades) {
    this.#network = network
    this.#swapEngine = swapEngine
    this.#trades = trades
  }

  /** A trade of ours has changed. */
  changed(trade: HeldTrade): void {
    const { id } = trade.agreement
    if (trade.ended) {
      this.#told.delete(id)
      return
    }
    const fund = trade.swap?.payments.findLast(payment => payment.kind === 'fund' && !payment.theirs)
    if (fund === undefined || this.#told.get(id) === fund.txid) return
    this.#told.set(id, fund.txid)
    void this.#network.send(trade.partner.trader, { kind: 'funded', id, txid: fund.txid })
  }

  /** The other side says that it has funded. */
  heard(from: TraderId, id: string, txid: string): void {
    const trade = this.#trades.byId(id)
    if (trade !== null && !trade.ended && trade.partner.trader === from) this.#swapEngine.hint(id, txid)
  }
}
