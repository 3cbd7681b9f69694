// Part 4.7 of the specification as rows, with the records 2.6 to 2.8. They are asked of an empty market by
// spec.test.ts, of one with orders and trades on real chains by test/chapters/market/interop/market-swaps.test.ts.

import type { SpecParameter, SpecRoute } from '../../../contract/spec/routes.ts'
import type { Shape } from '../../../contract/spec/shapes.ts'

/** 2.6. */
export const TICK: Shape = {
  fields: {
    trader_id: 'string',
    timeout: 'integer',
    quantity_type: 'string',
    price_type: 'string',
    timestamp: 'number',
    price: 'number',
    order_number: 'integer',
    message_id: 'string',
    quantity: 'number',
  },
  extra: { price_exact: 'string', quantity_exact: 'string', status: 'string' },
}
const GROUP: Shape = { fields: { price_type: 'string', quantity_type: 'string', ticks: { list: TICK } } }

const STANDING: Shape = {
  fields: {},
  extra: {
    state: { values: ['off', 'starting', 'failed', 'alone', 'connected'] },
    peers: 'integer',
    setting: 'string',
    problem: 'string',
  },
}

/** 2.7. */
export const ORDER: Shape = {
  fields: {
    trader_id: 'string',
    timestamp: 'number',
    price: 'number',
    quantity: 'number',
    price_type: 'string',
    quantity_type: 'string',
    reserved_quantity: 'number',
    traded_quantity: 'number',
    is_ask: 'boolean',
    timeout: 'number',
    order_number: 'integer',
    completed_timestamp: { nullable: 'number' },
  },
  extra: {
    status: 'string',
    cancelled: 'boolean',
    price_exact: 'string',
    quantity_exact: 'string',
    reserved_quantity_exact: 'string',
    traded_quantity_exact: 'string',
  },
}

/** 2.8. */
export const TRANSACTION: Shape = {
  fields: {
    trader_id: 'string',
    order_number: 'integer',
    partner_trader_id: 'string',
    transaction_number: 'integer',
    price: 'number',
    price_type: 'string',
    transferred_price: 'number',
    quantity: 'number',
    quantity_type: 'string',
    transferred_quantity: 'number',
    timestamp: 'number',
    payment_complete: 'boolean',
  },
  extra: {
    partner_order_number: 'integer',
    status: 'string',
    step: 'string',
    waits_for: 'string',
    price_exact: 'string',
    quantity_exact: 'string',
    transferred_price_exact: 'string',
    transferred_quantity_exact: 'string',
  },
}

const common = { part: '4.7', status: 200, asks: () => [{}] } as const
const NEW_ORDER: Readonly<Record<string, SpecParameter>> = {
  price: { type: 'number' },
  quantity: { type: 'number' },
  price_type: { type: 'string', required: true },
  quantity_type: { type: 'string', required: true },
}
const placing = {
  ...common,
  method: 'PUT',
  parameters: NEW_ORDER,
  failures: [400, 403, 404, 409],
  extraParameters: ['timeout', 'price_exact', 'quantity_exact', 'idempotency_key', 'spend_key'],
  answer: { json: { fields: { created: 'boolean' }, extra: { order_number: 'integer' } } },
} as const satisfies Partial<SpecRoute>

function reading(name: string, record: Shape, extra: Readonly<Record<string, Shape>> = {}): SpecRoute {
  return {
    ...common,
    method: 'GET',
    path: `/market/${name}`,
    parameters: {},
    failures: [],
    answer: { json: { fields: { [name]: { list: record } }, extra } },
  }
}

/** Every row of 4.7. */
export const MARKET_ROUTES: readonly SpecRoute[] = [
  reading('asks', GROUP, { network: STANDING }),
  { ...placing, path: '/market/asks' },
  reading('bids', GROUP),
  { ...placing, path: '/market/bids' },
  reading('orders', ORDER),
  reading('transactions', TRANSACTION),
]
