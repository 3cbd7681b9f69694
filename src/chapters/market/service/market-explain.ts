// Why an own order is in its state, in sentences for people.

import type { Book } from '../core/book.ts'
import type { OwnOrder, OwnTrade } from '../ports/market-trader.ts'
import { exact } from './market-records.ts'

/** Orders that are counted at most. */
const MAX_COUNTED = 1_000

/** Orders of the book that an order could be matched with now. */
export function countCrossing(book: Pick<Book, 'crossing'>, order: OwnOrder): number {
  if (order.status !== 'open') return 0
  let count = 0
  for (const _statement of book.crossing(order.terms)) if (++count === MAX_COUNTED) break
  return count
}

/** The most important first. `matching`: countCrossing(); `trades`: of this order. */
export function reasonsOf(
  order: OwnOrder,
  {
    matching,
    peers,
    trades,
  }: { readonly matching: number; readonly peers: number; readonly trades: readonly OwnTrade[] },
): string[] {
  const { terms, status, reserved, traded } = order
  const { coin } = terms.quantityAsset
  const reasons = [order.reason === '' ? usual(order) : order.reason]
  for (const { number, swap } of trades) {
    if (swap === null || swap.outcome !== null) continue
    const waits = swap.waitsFor === '' ? '' : ` ${swap.waitsFor}`
    reasons.push(`Transaction ${number} is being swapped (${swap.step}).${waits}`)
  }
  if (status !== 'open' && status !== 'suspended') return reasons
  if (traded > 0n) reasons.push(`${exact(traded, coin)} of ${exact(terms.quantity, coin)} ${coin} are traded.`)
  if (reserved > 0n) reasons.push(`${exact(reserved, coin)} ${coin} are in negotiations and swaps.`)
  if (peers === 0) reasons.push('No other node of the market is connected: nobody hears of this order.')
  if (status === 'open' && reserved + traded < terms.quantity) reasons.push(waiting(matching))
  return reasons
}

function usual({ status }: OwnOrder): string {
  const texts: Record<OwnOrder['status'], string> = {
    open: 'The order is open.',
    suspended: 'The order is suspended.',
    completed: 'All of it is traded.',
    expired: 'Its time is over.',
    cancelled: 'It was cancelled.',
    withdrawn: 'It was withdrawn.',
  }
  return texts[status]
}

function waiting(matching: number): string {
  if (matching === 0) return 'No order of another trader fits its price now.'
  return `${matching === MAX_COUNTED ? `${MAX_COUNTED} or more` : matching} orders of others fit its price; their owners are asked.`
}
