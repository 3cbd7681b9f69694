// What is set aside for own orders: for what is left of each and the fees of a few trades (`order-N`, and gas money
// `order-N-gas`), and for each swap under way what it will pay (`order-N-<id>`). All of it happens in one turn, so that
// no other order takes what moves between the names.

import { AppError } from '../../../base/errors.ts'
import type { MarketFunds } from '../../wallets/ports/market-funds.ts'
import type { CoinId } from '../../wallets/core/assets.ts'
import { COIN_DECIMALS } from '../../wallets/core/assets.ts'
import { costOf } from '../wire/cost.ts'
import type { FillNeeds } from './fill-needs.ts'
import type { HeldOrder } from './held-order.ts'

/** Fees of so many trades are set aside with an order; more are taken from what is free. */
const FILLS_SET_ASIDE = 3

/** Name under which money of an order is set aside. */
export function orderReservation(order: HeldOrder): string {
  return `order-${order.terms.number}`
}

/**
 * Name under which the money of one swap is set aside; with `-gas` behind it what its deposit on the other chain gets.
 */
export function swapReservation(orderNumber: number, id: string): string {
  return `order-${orderNumber}-${id.slice(0, 16)}`
}

/** What the owner of an order of this side gives for a quantity. */
export function givenFor(order: HeldOrder, quantity: bigint, price: bigint): bigint {
  const { side, quantityAsset } = order.terms
  return side === 'ask' ? quantity : costOf(quantity, price, COIN_DECIMALS[quantityAsset.coin])
}

/**
 * What is set aside for own orders: for what is left of each and the fees of a few trades (`order-N`, and gas money
 * `order-N-gas`), and for each swap under way what it will pay (`order-N-<id>`).
 */
export class OrderFunds {
  readonly #funds: MarketFunds
  /** What is set aside, by name, with the number of its order. As many as orders and swaps under way. */
  readonly #aside = new Map<string, { readonly order: number; readonly coin: CoinId; readonly amount: bigint }>()

  constructor(funds: MarketFunds) {
    this.#funds = funds
  }

  /**
   * Sets aside what an order needs now, or as much of its fees as there is. Answers for how many trades the fees do; 0
   * for an order that has ended or has nothing left. AppErrors InsufficientFunds (what is left of it is not there; what
   * was set aside stays), WalletNotCreated.
   */
  hold(order: HeldOrder): number {
    if (!order.live || order.left <= 0n) {
      this.letGo(order)
      return 0
    }
    const amount = givenFor(order, order.left, order.terms.price)
    const fills = this.#affordable(order, amount)
    const { number } = order.terms
    const name = orderReservation(order)
    this.#reserve(number, name, order.giveAsset.coin, amount + order.needs.fee * fills)
    if (fills > 0n && order.needs.gas > 0n) {
      this.#reserve(number, `${name}-gas`, order.takeAsset.coin, order.needs.gas * fills)
    }
    return Number(fills)
  }

  /**
   * Sets aside what a swap of an order pays, out of what the order has: its part is reserved already. AppErrors
   * InsufficientFunds, WalletNotCreated.
   */
  take(order: HeldOrder, id: string, amount: bigint, needs: FillNeeds): void {
    const { number } = order.terms
    const name = swapReservation(number, id)
    this.#shrink(order)
    try {
      this.#reserve(number, name, order.giveAsset.coin, amount + needs.fee)
      if (needs.gas > 0n) this.#reserve(number, `${name}-gas`, order.takeAsset.coin, needs.gas)
    } catch (error) {
      this.release(number, id)
      throw error
    } finally {
      this.#holdAgain(order)
    }
  }

  /**
   * Sets aside for a swap that runs, after a restart. Not there: its payment was made, or is made out of what is free.
   */
  retake(orderNumber: number, id: string, coin: CoinId, amount: bigint, suffix: '' | '-gas' = ''): void {
    if (amount === 0n) return
    try {
      this.#reserve(orderNumber, `${swapReservation(orderNumber, id)}${suffix}`, coin, amount)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
    }
  }

  /** A swap needs nothing more of what was set aside, or of its gas money. */
  release(orderNumber: number, id: string, part: 'all' | 'amount' | 'gas' = 'all'): void {
    const name = swapReservation(orderNumber, id)
    if (part !== 'gas') this.#drop(name)
    if (part !== 'amount') this.#drop(`${name}-gas`)
  }

  /** Nothing is set aside for the order itself any more; swaps under way keep theirs. */
  letGo(order: HeldOrder): void {
    this.#drop(orderReservation(order))
    this.#drop(`${orderReservation(order)}-gas`)
  }

  /** All that is set aside for an order in a coin. */
  asideFor(orderNumber: number, coin: CoinId): bigint {
    let sum = 0n
    for (const aside of this.#aside.values()) {
      if (aside.order === orderNumber && aside.coin === coin) sum += aside.amount
    }
    return sum
  }

  /** Lets go of everything. */
  stop(): void {
    for (const name of this.#aside.keys()) this.#funds.release(name)
    this.#aside.clear()
  }

  /** Down to what is left of it, without fees: that there is so much was seen when it was set aside. */
  #shrink(order: HeldOrder): void {
    const name = orderReservation(order)
    const held = this.#aside.get(name)
    const amount = givenFor(order, order.left, order.terms.price)
    if (held !== undefined && amount < held.amount) this.#tryOne(order.terms.number, name, held.coin, amount)
    this.#drop(`${name}-gas`)
  }

  #holdAgain(order: HeldOrder): void {
    try {
      this.hold(order)
    } catch (error) {
      // Its funds are short: who looks after orders finds the same and waits before it is withdrawn.
      if (!(error instanceof AppError)) throw error
    }
  }

  /**
   * Fees of how many trades there are, beside `amount`. Looked up and not tried: what is set aside tells its watchers
   * at every change.
   */
  #affordable(order: HeldOrder, amount: bigint): bigint {
    const name = orderReservation(order)
    const fees = this.#times(name, order.giveAsset.coin, amount, order.needs.fee)
    const gas = this.#times(`${name}-gas`, order.takeAsset.coin, 0n, order.needs.gas)
    return fees < gas ? fees : gas
  }

  #times(name: string, coin: CoinId, amount: bigint, each: bigint): bigint {
    const most = BigInt(FILLS_SET_ASIDE)
    if (each === 0n) return most
    const free = (this.#funds.of(coin)?.free ?? 0n) + (this.#aside.get(name)?.amount ?? 0n) - amount
    if (free < each) return 0n
    const times = free / each
    return times < most ? times : most
  }

  #tryOne(order: number, name: string, coin: CoinId, amount: bigint): boolean {
    try {
      this.#reserve(order, name, coin, amount)
      return true
    } catch (error) {
      if (error instanceof AppError) return false
      throw error
    }
  }

  #reserve(order: number, name: string, coin: CoinId, amount: bigint): void {
    if (amount === 0n) {
      this.#drop(name)
      return
    }
    const held = this.#aside.get(name)
    this.#funds.reserve(name, coin, amount)
    if (held?.amount !== amount) this.#aside.set(name, { order, coin, amount })
  }

  #drop(name: string): void {
    if (this.#aside.delete(name)) this.#funds.release(name)
  }
}
