// Part 4.8 of the specification as rows, with the records 2.9 and 2.10. They are asked of wallets that are not created
// by spec.test.ts, of such as have money on real chains by ../interop/wallets-*.test.ts.

import type { SpecRoute } from '../../../contract/spec/routes.ts'
import type { Shape } from '../../../contract/spec/shapes.ts'

const BALANCE: Shape = {
  fields: { available: 'number', pending: 'number', currency: 'string' },
  extra: {
    available_exact: 'string',
    pending_exact: 'string',
    reserved: 'number',
    reserved_exact: 'string',
  },
}
const WALLET: Shape = {
  fields: { created: 'boolean', name: 'string', address: 'string', balance: BALANCE },
  extra: {
    identifier: 'string',
    unlocked: 'boolean',
    network: 'string',
    height: 'integer',
    behind: 'integer',
    has_server: 'boolean',
    problem: 'string',
  },
}
const LINE: Shape = {
  fields: {
    currency: 'string',
    to: 'string',
    from: 'string',
    outgoing: 'boolean',
    description: 'string',
    timestamp: 'string',
    fee_amount: 'number',
    amount: 'number',
    id: 'string',
  },
  extra: { amount_exact: 'string', fee_exact: 'string', confirmations: 'integer' },
}

const common = { part: '4.8', status: 200, asks: () => [{}] } as const
const ONE = '/wallets/{identifier}'

/** Every row of 4.8. */
export const WALLET_ROUTES: readonly SpecRoute[] = [
  {
    ...common,
    method: 'GET',
    path: '/wallets',
    parameters: {},
    failures: [],
    answer: { json: { fields: { wallets: { list: WALLET } } } },
  },
  {
    ...common,
    method: 'PUT',
    path: ONE,
    failures: [400, 403, 404, 409],
    parameters: { password: { type: 'string', required: true } },
    extraParameters: ['from_height'],
    answer: { json: { fields: { created: 'boolean' }, sometimes: { seed_words: 'string' } } },
  },
  {
    ...common,
    method: 'GET',
    path: `${ONE}/balance`,
    parameters: {},
    failures: [404],
    answer: { json: { fields: { balance: BALANCE } } },
  },
  {
    ...common,
    method: 'GET',
    path: `${ONE}/transactions`,
    parameters: {},
    failures: [404],
    answer: { json: { fields: { transactions: { list: LINE } } } },
  },
  {
    ...common,
    method: 'POST',
    path: `${ONE}/transfer`,
    failures: [400, 403, 404, 409, 502],
    parameters: { amount: { type: 'number' }, destination: { type: 'string', required: true } },
    extraParameters: ['amount_exact', 'fee_rate', 'spend_key', 'idempotency_key'],
    answer: { json: { fields: { txid: 'string' }, extra: { sent: 'boolean', fee_exact: 'string' } } },
  },
]
