// What the pages of the market say: pairs, states, totals. Pure. Amounts come and go as exact decimal text.

import type { BookOrder, MarketNetworkState, Order, OrderGroup, TradePayment } from '../../client/routes.ts'
import { isAmount } from '../../../wallets/web/model/amounts.ts'
import { text } from '../texts/market.ts'

/** What is asked for or bidden, as it was typed. */
export interface OrderWords {
  readonly side: 'ask' | 'bid'
  readonly quantity: string
  readonly price: string
  readonly quantityType: string
  readonly priceType: string
  readonly hours: number
}

/** Orders of both sides of two coins. */
export interface BookPair {
  readonly name: string
  readonly quantityType: string
  readonly priceType: string
  readonly asks: readonly BookOrder[]
  readonly bids: readonly BookOrder[]
}

/** Why the book is empty, and what can be done about it. */
export function emptyBookWords(network: MarketNetworkState): string {
  switch (network.state) {
    case 'off':
      return text('emptyOff', { setting: network.setting })
    case 'failed':
      return text('emptyFailed', { reason: network.problem.replace(/\.$/, '') })
    case 'starting':
      return text('emptyStarting')
    case 'alone':
      return text('emptyAlone')
    case 'connected':
      return text('emptyBook', { count: network.peers })
  }
}

/** Groups of both sides put together by their coins, in the order of their names. */
export function bookPairs(asks: readonly OrderGroup[], bids: readonly OrderGroup[]): BookPair[] {
  const pairs = new Map<string, BookPair>()
  const add = (side: 'asks' | 'bids', { quantity_type: quantityType, price_type: priceType, ticks }: OrderGroup) => {
    const name = `${quantityType} / ${priceType}`
    const known = pairs.get(name) ?? { name, quantityType, priceType, asks: [], bids: [] }
    pairs.set(name, { ...known, [side]: [...known[side], ...ticks] })
  }
  for (const group of asks) add('asks', group)
  for (const group of bids) add('bids', group)
  return [...pairs.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** What a state of an order is to people. */
export function orderState({ status }: Pick<Order, 'status'>): string {
  const words: Readonly<Record<string, string>> = {
    open: text('open'),
    suspended: text('suspended'),
    completed: text('completed'),
    expired: text('expired'),
    cancelled: text('cancelledState'),
    withdrawn: text('withdrawn'),
  }
  return words[status] ?? status
}

/** Whether it can be cancelled. */
export function stands({ status }: Pick<Order, 'status'>): boolean {
  return status === 'open' || status === 'suspended'
}

/** What a transaction of a trade is to people. */
export function paymentName({ kind, theirs }: Pick<TradePayment, 'kind' | 'theirs'>): string {
  const words: Readonly<Record<string, string>> = {
    purse: text('purse'),
    fund: text('fund'),
    claim: text('claim'),
    refund: text('refund'),
    sweep: text('sweep'),
  }
  const name = words[kind] ?? kind
  return theirs ? text('otherSide', { name }) : name
}

/** Decimal places of a coin: those of Ethereum's kind have 18, those of Bitcoin's 8. */
export function placesOf(coin: string): number {
  return coin.endsWith('ETH') ? 18 : 8
}

/** What an order costs or brings in its price coin, rounded down to `places`; '' while something is not an amount. */
export function totalOf(quantity: string, price: string, places: number): string {
  if (!isAmount(quantity) || !isAmount(price)) return ''
  const [a, b] = [scaled(quantity), scaled(price)]
  const digits = (a.units * b.units).toString().padStart(a.places + b.places + 1, '0')
  const at = digits.length - a.places - b.places
  const fraction = digits.slice(at, at + places).replace(/0+$/, '')
  return fraction === '' ? digits.slice(0, at) : `${digits.slice(0, at)}.${fraction}`
}

function scaled(text: string): { readonly units: bigint; readonly places: number } {
  const [whole = '', fraction = ''] = text.trim().split('.')
  return { units: BigInt(whole + fraction), places: fraction.length }
}
