// The market: the order book with a form for a new order, own orders, own trades.

import '../market.css'
import { addressOf } from '../../../../web/model/place.ts'
import { marketPlace, marketTabs, type MarketTab } from '../model/market-places.ts'
import { MarketBook } from './market-book.tsx'
import { MarketOrders } from './market-orders.tsx'
import { MarketTrades } from './market-trades.tsx'
import { text } from '../texts/market.ts'

function Part({ tab }: { tab: MarketTab }) {
  switch (tab) {
    case 'book':
      return <MarketBook />
    case 'orders':
      return <MarketOrders />
    case 'trades':
      return <MarketTrades />
  }
}

/** The market: the order book with a form for a new order, own orders, own trades. */
export function MarketPage({ tab }: { tab: MarketTab }) {
  return (
    <div class="page money">
      <h1>{text('market')}</h1>
      <nav class="tabs" aria-label={text('parts')}>
        {marketTabs.map(([name, heading]) => (
          <a key={name} href={addressOf(marketPlace(name))} aria-current={name === tab ? 'page' : undefined}>
            {heading}
          </a>
        ))}
      </nav>
      <Part tab={tab} />
    </div>
  )
}
