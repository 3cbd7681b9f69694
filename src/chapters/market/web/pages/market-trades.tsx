// Own trades: how far each has come, what it waits for, and its transactions on both chains.

import { useState } from 'preact/hooks'
import type { Trade } from '../../client/routes.ts'
import { coins } from '../../../wallets/web/model/amounts.ts'
import { paymentName } from '../model/market-words.ts'
import { paymentsOf, tradesNow } from '../node/market-requests.ts'
import { useAnswer } from '../../../../web/node/use-answer.ts'
import { useParts } from '../../../../web/parts/more-rows.tsx'
import { text } from '../texts/market.ts'

const EVERY_MS = 3000
const states: Readonly<Record<string, string>> = {
  pending: text('pending'),
  completed: text('completed'),
  refunded: text('refunded'),
  abandoned: text('abandoned'),
}

function Payments({ trade }: { trade: Trade }) {
  const { trader_id: trader, transaction_number: number } = trade
  const ask = (signal: AbortSignal) => paymentsOf(trader, number, signal)
  const { value, problem } = useAnswer(ask, [trader, number], EVERY_MS)
  if (value === null) return <p class="muted">{problem === '' ? text('asking') : problem}</p>
  if (value.length === 0) return <p class="muted">{text('nothingPaid')}</p>
  return (
    <ul class="reasons" aria-label={text('transactionsOnChains')}>
      {value.map(payment => (
        <li key={`${payment.kind}${payment.payment_id}`}>
          <span class="number">
            {text('payment', { name: paymentName(payment), amount: coins(payment.amount_exact, payment.currency) })}
          </span>
          <span class="sub mono muted address">
            {payment.payment_id} · {payment.success ? text('confirmed') : text('waitsForBlock')}
          </span>
        </li>
      ))}
    </ul>
  )
}

function TradeRow({ trade }: { trade: Trade }) {
  const [asked, setAsked] = useState(false)
  const { transaction_number: number, quantity_exact: quantity, quantity_type: quantityType } = trade
  const { price_exact: price, price_type: priceType, partner_trader_id: partner, waits_for: waitsFor } = trade
  return (
    <li class="trade-row" data-trade={String(number)}>
      <div class="order-head">
        <strong class="number">
          {text('amountAt', { quantity: coins(quantity, quantityType), price: coins(price, priceType) })}
        </strong>
        <span class="muted">
          {text('orderAndState', { number: trade.order_number, state: states[trade.status] ?? trade.status })}
        </span>
      </div>
      <span class="sub muted">
        {text('partner')} <span class="mono">{partner.slice(0, 8)}</span>
        {waitsFor !== '' && `. ${waitsFor}`}
      </span>
      {asked && <Payments trade={trade} />}
      <div class="money-actions">
        <button type="button" class="quiet" aria-expanded={asked} onClick={() => setAsked(!asked)}>
          {text('transactions')}
        </button>
      </div>
    </li>
  )
}

/** Own trades: how far each has come, what it waits for, and its transactions on both chains. */
export function MarketTrades() {
  const { value, problem } = useAnswer(tradesNow, [], EVERY_MS)
  const { shown, more } = useParts([...(value ?? [])].sort((a, b) => b.transaction_number - a.transaction_number))
  return (
    <section class="card" aria-label={text('yourTrades')}>
      {value === null && <p class="muted">{problem === '' ? text('asking') : problem}</p>}
      {value?.length === 0 && <p class="muted">{text('noTrade')}</p>}
      <ul>
        {shown.map(trade => (
          <TradeRow key={trade.transaction_number} trade={trade} />
        ))}
      </ul>
      {more}
    </section>
  )
}
