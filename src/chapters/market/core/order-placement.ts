// Placing an order: what it must be, what it costs, its funds set aside, and only then its number, its file and its
// statement.

import { AppError } from '../../../base/errors.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { MarketFunds } from '../../wallets/ports/market-funds.ts'
import type { WantedOrder } from '../ports/market-trader.ts'
import { COIN_DECIMALS, sameAsset } from '../../wallets/core/assets.ts'
import { costOf } from '../wire/cost.ts'
import type { OrderTerms, TraderId } from '../wire/types.ts'
import { type ChainOf, type FillNeeds, fillNeeds } from './fill-needs.ts'
import { HeldOrder } from './held-order.ts'
import { MAX_ORDERS_IN_TIME, MAX_TIMEOUT_S } from './limits.ts'
import type { OrderFunds } from './order-funds.ts'
import type { OwnOrders } from './own-orders.ts'

/** Own orders that stand: each costs a statement in every book. */
export const MAX_OPEN_ORDERS = 500

/** What fits into a statement: amounts have 128 bits. */
const MAX_AMOUNT = (1n << 128n) - 1n

/** What it needs. */
export interface OrderPlacementDeps {
  readonly trader: TraderId
  readonly orders: OwnOrders
  readonly funds: MarketFunds
  readonly orderFunds: OrderFunds
  readonly chains: ChainOf
  readonly clock: Clock
}

/**
 * Placing an order: what it must be, what it costs, its funds set aside, and only then its number, its file and its
 * statement.
 */
export class OrderPlacement {
  readonly #deps: OrderPlacementDeps
  /** By key: orders that are being placed. */
  readonly #underWay = new Map<string, { readonly wanted: WantedOrder; readonly placed: Promise<HeldOrder> }>()
  #placement = 0

  constructor(deps: OrderPlacementDeps) {
    this.#deps = deps
  }

  /**
   * The order; with a key that was used before the one of that time. AppErrors as MarketTrader.place, and
   * StateConflict: the key is of another order.
   */
  async place(wanted: WantedOrder): Promise<HeldOrder> {
    const { key } = wanted
    if (key === '') return this.#place(wanted)
    const known = [...this.#deps.orders.all()].find(order => order.key === key)
    if (known !== undefined) return same(wanted, known.terms, known)
    const going = this.#underWay.get(key)
    if (going !== undefined) return same(wanted, going.wanted, await going.placed)
    const placed = this.#place(wanted)
    this.#underWay.set(key, { wanted, placed })
    try {
      return await placed
    } finally {
      this.#underWay.delete(key)
    }
  }

  async #place(wanted: WantedOrder): Promise<HeldOrder> {
    check(wanted)
    checkWallets(wanted, this.#deps.funds)
    if (this.#deps.orders.live().length + this.#placement >= MAX_OPEN_ORDERS) {
      throw new AppError('TooManyRequests', `There are ${MAX_OPEN_ORDERS} open orders already: cancel one.`)
    }
    if (this.#deps.orders.inTime() + this.#placement >= MAX_ORDERS_IN_TIME) {
      throw new AppError('TooManyRequests', 'Too many orders were placed for the time they stand: wait for their end.')
    }
    this.#placement++
    try {
      const needs = await fillNeeds(wanted, this.#deps.funds, this.#deps.chains)
      checkLeast(wanted, needs)
      checkWallets(wanted, this.#deps.funds)
      return await this.#add(wanted, needs)
    } finally {
      this.#placement--
    }
  }

  async #add(wanted: WantedOrder, needs: FillNeeds): Promise<HeldOrder> {
    const { orders, orderFunds, clock, trader } = this.#deps
    const { side, quantityAsset, priceAsset, quantity, price, timeoutS, key } = wanted
    const [number, timeMs] = [orders.nextNumber(), clock.wallMs()]
    const terms = { trader, number, side, quantityAsset, priceAsset, quantity, price, timeMs, timeoutS }
    const ended = { status: 'open', reason: '', closedMs: null, completedMs: null } as const
    const order = new HeldOrder({ terms, key, needs, ...ended, sequence: 0 })
    order.suspendedFor = ''
    try {
      if (orderFunds.hold(order) === 0) throw new AppError('InsufficientFunds', feesMissing(needs, wanted))
      await orders.add(order)
    } catch (error) {
      orderFunds.letGo(order)
      throw error
    }
    return order
  }
}

function same(wanted: WantedOrder, terms: WantedOrder | OrderTerms, order: HeldOrder): HeldOrder {
  const equal =
    (['side', 'quantity', 'price', 'timeoutS'] as const).every(name => wanted[name] === terms[name]) &&
    sameAsset(wanted.quantityAsset, terms.quantityAsset) &&
    sameAsset(wanted.priceAsset, terms.priceAsset)
  if (!equal) throw new AppError('StateConflict', 'This key was used for another order.')
  return order
}

function check({ quantityAsset, priceAsset, quantity, price, timeoutS }: WantedOrder): void {
  if (quantityAsset.coin === priceAsset.coin) refuse('quantity_type and price_type are the same coin.')
  if (quantity <= 0n || quantity > MAX_AMOUNT) refuse('quantity must be above 0.')
  if (price <= 0n || price > MAX_AMOUNT) refuse('price must be above 0.')
  if (!Number.isInteger(timeoutS) || timeoutS < 1 || timeoutS > MAX_TIMEOUT_S) {
    refuse(`timeout must be 1 to ${MAX_TIMEOUT_S} seconds.`)
  }
  const cost = costOf(quantity, price, COIN_DECIMALS[quantityAsset.coin])
  if (cost === 0n || cost > MAX_AMOUNT) refuse('At this price the quantity costs nothing, or more than there is.')
}

function checkWallets({ quantityAsset, priceAsset }: WantedOrder, funds: MarketFunds): void {
  for (const asset of [quantityAsset, priceAsset]) {
    const found = funds.of(asset.coin)
    if (found === null || !sameAsset(found.asset, asset)) {
      throw new AppError('WalletNotCreated', `The wallet ${asset.coin} is not created: PUT /wallets/${asset.coin}.`)
    }
    if (!found.unlocked) {
      throw new AppError('WalletLocked', `The wallet ${asset.coin} is locked: POST /wallets/${asset.coin}/unlock.`)
    }
  }
}

function checkLeast({ quantity, quantityAsset }: WantedOrder, { leastQuantity }: FillNeeds): void {
  if (quantity >= leastQuantity) return
  const text = `${leastQuantity} of the smallest unit of ${quantityAsset.coin}`
  refuse(`At this price and the present fees the least quantity that can be traded is ${text}.`)
}

function feesMissing({ fee, gas }: FillNeeds, wanted: WantedOrder): string {
  const ask = wanted.side === 'ask'
  const [give, take] = ask ? [wanted.quantityAsset, wanted.priceAsset] : [wanted.priceAsset, wanted.quantityAsset]
  const forGas = gas === 0n ? '' : ` and ${gas} of ${take.coin} for gas`
  return `Insufficient funds: fees of a trade are ${fee} of the smallest unit of ${give.coin}${forGas}.`
}

function refuse(text: string): never {
  throw new AppError('InvalidParameter', text)
}
