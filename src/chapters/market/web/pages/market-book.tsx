// The order book: both sides of each pair of coins, own orders marked.

import type { BookOrder } from '../../client/routes.ts'
import { bookPairs, type BookPair, emptyBookWords } from '../model/market-words.ts'
import { bookNow, ordersNow } from '../node/market-requests.ts'
import { useAnswer } from '../../../../web/node/use-answer.ts'
import { useParts } from '../../../../web/parts/more-rows.tsx'
import { OrderForm } from './market-order-form.tsx'
import { text } from '../texts/market.ts'

const EVERY_MS = 3000

interface SideProps {
  readonly heading: string
  readonly ticks: readonly BookOrder[]
  readonly pair: BookPair
  readonly own: string
}

function SideTable({ heading, ticks, pair, own }: SideProps) {
  const { shown, more } = useParts(ticks)
  return (
    <section class="card" aria-label={text('sideOf', { side: heading, pair: pair.name })}>
      <h2>{heading}</h2>
      {ticks.length === 0 ? (
        <p class="muted">{text('none')}</p>
      ) : (
        <table class="table">
          <thead>
            <tr>
              <th scope="col">{text('priceIn', { coin: pair.priceType })}</th>
              <th scope="col" class="right">
                {text('quantityIn', { coin: pair.quantityType })}
              </th>
              <th scope="col" class="right">
                {text('trader')}
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map(tick => (
              <tr key={tick.message_id} data-tick={tick.message_id}>
                <td class="number">{tick.price_exact}</td>
                <td class="number right">{tick.quantity_exact}</td>
                <td class="mono right">{tick.trader_id === own ? text('you') : tick.trader_id.slice(0, 8)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {more}
    </section>
  )
}

/** The order book: both sides of each pair of coins, own orders marked. */
export function MarketBook() {
  const { value, problem, refresh } = useAnswer(bookNow, [], EVERY_MS)
  const orders = useAnswer(ordersNow, [], 0)
  const own = orders.value?.[0]?.trader_id ?? ''
  const changed = () => {
    refresh()
    orders.refresh()
  }
  const pairs = value === null ? [] : bookPairs(value.asks, value.bids)
  return (
    <>
      <OrderForm changed={changed} />
      {value === null && <p class="card muted">{problem === '' ? text('asking') : problem}</p>}
      {value !== null && pairs.length === 0 && (
        <p class="nothing muted" dir="auto">
          {emptyBookWords(value.network)}
        </p>
      )}
      {pairs.map(pair => (
        <section key={pair.name} aria-label={pair.name}>
          <h2>{pair.name}</h2>
          <div class="book">
            <SideTable heading={text('asks')} ticks={pair.asks} pair={pair} own={own} />
            <SideTable heading={text('bids')} ticks={pair.bids} pair={pair} own={own} />
          </div>
        </section>
      ))}
    </>
  )
}
