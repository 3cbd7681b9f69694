// The market of the interface (spec 2.6 to 2.8, 4.7; decisions part 4): requests are read and checked here, the trader
// of the market does the rest.

import { AppError } from '../../../base/errors.ts'
import type { Book } from '../core/book.ts'
import type { MarketFunds, SpendGate } from '../../wallets/ports/market-funds.ts'
import type { MarketStanding } from '../ports/market-network.ts'
import type { MarketTrader, OwnOrder } from '../ports/market-trader.ts'
import type { SwapChain } from '../ports/swap-chain.ts'
import type { CoinId } from '../../wallets/core/assets.ts'
import type { Side } from '../wire/types.ts'
import { KeyedQueue } from '../../../services/keyed-queue.ts'
import type {
  MarketFeesRecord,
  MarketPaymentRecord,
  MarketService,
  MarketTransactionRecord,
  NewOrder,
  OrderExplanation,
  OrderRecord,
  TickGroup,
} from './market-api.ts'
import { countCrossing, reasonsOf } from './market-explain.ts'
import { marketFees } from './market-fees.ts'
import { demandUnlocked, givenCoin, isSameOrder, readOrder } from './market-orders.ts'
import { exact, orderRecord, paymentRecord, transactionRecord } from './market-records.ts'
import { tickGroups } from './market-ticks.ts'

/** What it works with. */
export interface MarketDeps {
  readonly trader: MarketTrader
  readonly book: Pick<Book, 'pairs' | 'ticks' | 'crossing'>
  readonly funds: MarketFunds & SpendGate
  /** The chain of a coin for swaps. AppErrors WalletNotCreated, NoWalletServer. */
  chain(coin: CoinId): SwapChain
  /** Nodes of the market that are connected. */
  peers(): number
  /** How we stand in the overlay of the market. */
  standing(): MarketStanding
}

/**
 * The market of the interface (spec 2.6 to 2.8, 4.7; decisions part 4): requests are read and checked here, the trader
 * of the market does the rest.
 */
export class Market implements MarketService {
  readonly #deps: MarketDeps
  /** Orders are placed one after the other: the same key twice at once is one order. */
  readonly #placing = new KeyedQueue<'place'>()

  constructor(deps: MarketDeps) {
    this.#deps = deps
  }

  standing(): Promise<MarketStanding> {
    return Promise.resolve(this.#deps.standing())
  }

  asks(): Promise<TickGroup[]> {
    return Promise.resolve(this.#ticks('ask'))
  }

  bids(): Promise<TickGroup[]> {
    return Promise.resolve(this.#ticks('bid'))
  }

  #ticks(side: Side): TickGroup[] {
    const { book, funds } = this.#deps
    return tickGroups(book, side, coin => funds.of(coin)?.asset ?? null)
  }

  placeAsk(order: NewOrder): Promise<{ created: true; order_number: number }> {
    return this.#place('ask', order)
  }

  placeBid(order: NewOrder): Promise<{ created: true; order_number: number }> {
    return this.#place('bid', order)
  }

  #place(side: Side, order: NewOrder): Promise<{ created: true; order_number: number }> {
    const { funds, trader } = this.#deps
    return this.#placing.run('place', async () => {
      const wanted = readOrder(funds, side, order)
      const earlier = wanted.key === '' ? undefined : trader.orders().find(({ key }) => key === wanted.key)
      if (earlier !== undefined) {
        if (isSameOrder(earlier, wanted)) return { created: true, order_number: earlier.terms.number }
        throw new AppError('StateConflict', 'This idempotency key was used for another order.')
      }
      await funds.admitOrder(givenCoin(wanted), order.spend_key)
      demandUnlocked(funds, wanted)
      const { terms } = await trader.place(wanted)
      return { created: true, order_number: terms.number }
    })
  }

  orders(): Promise<OrderRecord[]> {
    return Promise.resolve(this.#deps.trader.orders().map(orderRecord))
  }

  transactions(): Promise<MarketTransactionRecord[]> {
    return Promise.resolve(this.#deps.trader.trades().map(transactionRecord))
  }

  async cancel(orderNumber: number): Promise<{ cancelled: true }> {
    await this.#deps.trader.cancel(this.#order(orderNumber).terms.number)
    return { cancelled: true }
  }

  explain(orderNumber: number): Promise<OrderExplanation> {
    const { trader, book, peers } = this.#deps
    return Promise.resolve().then(() => {
      const order = this.#order(orderNumber)
      const coin = givenCoin(order.terms)
      const matching = countCrossing(book, order)
      const trades = trader.trades().filter(trade => trade.order.number === orderNumber)
      return {
        order_number: orderNumber,
        status: order.status,
        reasons: reasonsOf(order, { matching, peers: peers(), trades }),
        reserved_funds_exact: exact(trader.fundsOf(orderNumber), coin),
        currency: coin,
        matching_orders: matching,
        peers: peers(),
      }
    })
  }

  payments(traderId: string, transactionNumber: number): Promise<MarketPaymentRecord[]> {
    const { trader } = this.#deps
    const found = trader.trades().find(({ number }) => number === transactionNumber)
    if (found === undefined || traderId.toLowerCase() !== trader.id)
      return Promise.reject(new AppError('TransactionNotFound'))
    return Promise.resolve((found.swap?.payments ?? []).map(paid => paymentRecord(found, paid)))
  }

  fees(asked: Parameters<MarketService['fees']>[0]): Promise<MarketFeesRecord> {
    return marketFees(this.#deps, asked)
  }

  #order(orderNumber: number): OwnOrder {
    const found = this.#deps.trader.orders().find(({ terms }) => terms.number === orderNumber)
    if (found === undefined) throw new AppError('OrderNotFound')
    return found
  }
}
