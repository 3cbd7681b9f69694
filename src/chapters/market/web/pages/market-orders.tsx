// Own orders: what is left of each, why it stands as it does, and taking it back.

import { useState } from 'preact/hooks'
import type { Order } from '../../client/routes.ts'
import { coins } from '../../../wallets/web/model/amounts.ts'
import { orderState, stands } from '../model/market-words.ts'
import { whole } from '../../../../web/model/format.ts'
import { session } from '../../../../web/node/context.ts'
import { cancelOrder, explainOrder, ordersNow } from '../node/market-requests.ts'
import { useAnswer } from '../../../../web/node/use-answer.ts'
import { FactList } from '../../../../web/parts/facts.tsx'
import { useParts } from '../../../../web/parts/more-rows.tsx'
import { text } from '../texts/market.ts'

const EVERY_MS = 3000

function Why({ number }: { number: number }) {
  const { value, problem } = useAnswer(signal => explainOrder(number, signal), [number], EVERY_MS)
  if (value === null) return <p class="muted">{problem === '' ? text('asking') : problem}</p>
  return (
    <div>
      <ul class="reasons" aria-label={text('reasons')}>
        {value.reasons.map(reason => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
      <FactList
        facts={[
          [text('setAside'), coins(value.reserved_funds_exact, value.currency)],
          [text('ordersThatMatch'), whole(value.matching_orders)],
          [text('nodesOfMarket'), whole(value.peers)],
        ]}
      />
    </div>
  )
}

function OrderRow({ order, changed }: { order: Order; changed: () => void }) {
  const [asked, setAsked] = useState(false)
  const { order_number: number, is_ask: isAsk, quantity_exact: quantity, quantity_type: quantityType } = order
  const {
    price_exact: price,
    price_type: priceType,
    traded_quantity_exact: traded,
    reserved_quantity_exact: reserved,
  } = order
  const what = { quantity: coins(quantity, quantityType), price: coins(price, priceType) }
  const amounts = { amount: coins(traded, quantityType), reserved: coins(reserved, quantityType) }
  const cancel = async () => {
    await session.attempt(() => cancelOrder(number), text('cancelled', { number }))
    changed()
  }
  return (
    <li class="order-row" data-order={String(number)}>
      <div class="order-head">
        <strong class="number">{isAsk ? text('sellAt', what) : text('buyAt', what)}</strong>
        <span class="muted">{text('numberAndState', { number, state: orderState(order) })}</span>
      </div>
      <span class="sub muted number">
        {order.reserved_quantity > 0 ? text('tradedAndReserved', amounts) : text('traded', amounts)}
      </span>
      {asked && <Why number={number} />}
      <div class="money-actions">
        <button type="button" class="quiet" aria-expanded={asked} onClick={() => setAsked(!asked)}>
          {text('why')}
        </button>
        {stands(order) && (
          <button type="button" aria-label={text('cancelOrder', { number })} onClick={() => void cancel()}>
            {text('cancel')}
          </button>
        )}
      </div>
    </li>
  )
}

/** Own orders: what is left of each, why it stands as it does, and taking it back. */
export function MarketOrders() {
  const { value, problem, refresh } = useAnswer(ordersNow, [], EVERY_MS)
  const { shown, more } = useParts([...(value ?? [])].sort((a, b) => b.order_number - a.order_number))
  return (
    <section class="card" aria-label={text('yourOrders')}>
      {value === null && <p class="muted">{problem === '' ? text('asking') : problem}</p>}
      {value?.length === 0 && <p class="muted">{text('noOrder')}</p>}
      <ul>
        {shown.map(order => (
          <OrderRow key={order.order_number} order={order} changed={refresh} />
        ))}
      </ul>
      {more}
    </section>
  )
}
