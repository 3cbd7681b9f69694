// A double of the market: complete records, every call noted.

import type {
  MarketPaymentRecord,
  MarketService,
  MarketTransactionRecord,
  OrderRecord,
  TickRecord,
} from '../../../../src/chapters/market/service/market-api.ts'
import { notedAnswers } from '../../../kit/doubles/noted-answers.ts'

const trader_id = 'ab'.repeat(20)
const coins = { price_type: 'TBTC', quantity_type: 'TLTC' }

const tick: TickRecord = {
  trader_id,
  order_number: 1,
  message_id: `${trader_id}.1`,
  ...coins,
  price: 0.005,
  quantity: 2,
  timeout: 3600,
  timestamp: 7.5,
  price_exact: '0.005',
  quantity_exact: '2',
  status: 'open',
}

const order: OrderRecord = {
  trader_id,
  order_number: 1,
  timestamp: 7.5,
  price: 0.005,
  quantity: 2,
  ...coins,
  reserved_quantity: 0,
  traded_quantity: 0,
  is_ask: true,
  timeout: 3600,
  completed_timestamp: null,
  status: 'open',
  cancelled: false,
  price_exact: '0.005',
  quantity_exact: '2',
  reserved_quantity_exact: '0',
  traded_quantity_exact: '0',
}

const transaction: MarketTransactionRecord = {
  trader_id,
  order_number: 1,
  partner_trader_id: 'cd'.repeat(20),
  transaction_number: 1,
  price: 0.005,
  ...coins,
  transferred_price: 0,
  quantity: 2,
  transferred_quantity: 0,
  timestamp: 7.5,
  payment_complete: false,
  partner_order_number: 4,
  status: 'pending',
  step: 'funding',
  waits_for: '',
  price_exact: '0.005',
  quantity_exact: '2',
  transferred_price_exact: '0',
  transferred_quantity_exact: '0',
}

const payment: MarketPaymentRecord = {
  trader_id,
  transaction_number: 1,
  kind: 'fund',
  payment_id: 'ef'.repeat(32),
  currency: 'TLTC',
  amount: 2,
  amount_exact: '2',
  fee_exact: '0.00001',
  timestamp: 7.5,
  theirs: false,
  success: true,
}

/** `note` is called with the name of the method and its arguments. */
export function marketDouble(note: (...call: unknown[]) => void): MarketService {
  const answer = notedAnswers(note)
  const group = { ...coins, ticks: [tick] }
  return {
    standing: answer('standing', { state: 'connected' as const, peers: 3, setting: '', problem: '' }),
    asks: answer('asks', [group]),
    bids: answer('bids', [group]),
    placeAsk: answer('placeAsk', { created: true as const, order_number: 1 }),
    placeBid: answer('placeBid', { created: true as const, order_number: 1 }),
    orders: answer('orders', [order]),
    transactions: answer('marketTransactions', [transaction]),
    cancel: answer('cancelOrder', { cancelled: true as const }),
    explain: answer('explainOrder', {
      order_number: 1,
      status: 'open',
      reasons: ['Nobody asks for it at this price.'],
      reserved_funds_exact: '2.0001',
      currency: 'TLTC',
      matching_orders: 0,
      peers: 3,
    }),
    payments: answer('payments', [payment]),
    fees: answer('marketFees', {
      quantity_type: 'TLTC',
      price_type: 'TBTC',
      ask_quantity_fee_exact: '0.0001',
      ask_price_fee_exact: '0',
      bid_quantity_fee_exact: '0',
      bid_price_fee_exact: '0.0001',
      least_quantity_exact: '0.001',
    }),
  }
}

/** What the double of all services has for the market. */
export function serviceDouble(note: (...call: unknown[]) => void): { readonly market: MarketService } {
  return { market: marketDouble(note) }
}
